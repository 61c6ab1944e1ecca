use converge_core::prelude::*;

use super::apply;
use super::error::AptError;
use super::installed;
use super::packages::{AptPackages, AptPlan};
use crate::pending;

impl Task for AptPackages {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.plan = AptPlan::default();
        let Some(installed) = installed::query(cx, &self.packages()).await? else {
            return Ok(pending::not_yet("dpkg-query does not exist yet"));
        };
        let mut versions = installed.iter().map(|has| has.version().map(str::to_owned));
        self.version = self.name.clone().map(|_| versions.next().flatten());
        let mut held = None;
        for (spec, has) in self.name.as_slice().iter().zip(&installed) {
            let Some((now, wanted)) = self.difference(spec, has) else { continue };
            status.add_difference(spec.package.to_string(), now, wanted);
            self.plan.changes.push(self.change(spec, has));
            if has.held && held.is_none() {
                held = Some(spec.package.to_string());
            }
        }
        if self.plan.changes.is_empty() {
            return Ok(status);
        }
        status.raise_level(StatusLevel::WillChange);
        match held {
            Some(package) => status.set_error(AptError::Held { package }.to_string()),
            None => self.preview(cx, &mut status).await?,
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let only = apply::together(&mut [self], cx).await.pop();
        only.unwrap_or_else(|| Ok(Status::new()))
    }
}

impl Batch for AptPackages {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        apply::together(batch, cx).await
    }
}
