use converge_sdk::prelude::*;
use converge_sdk::value::OneOrMany;

use super::apply;
use super::error::AptError;
use super::installed_packages;
use super::packages::{AptPackages, AptPlan};
use crate::package::upgrade_policy::left_absent;

impl AptPackages {
    /// Compares the machine with the declaration, and simulates the changes with apt-get.
    pub(super) async fn compare(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        if self.is_about_lists() {
            return self.compare_lists(cx, status).await;
        }
        let Some(installed) = installed_packages::query(cx, &self.packages()).await? else {
            status.add_message("dpkg-query does not exist yet");
            status.raise_level(StatusLevel::MayChange);
            return Ok(());
        };
        let mut versions = installed.iter().map(|package| package.version().map(str::to_owned));
        self.version = match self.file {
            Some(_) => OneOrMany::One(versions.next().flatten()),
            None => self.name.clone().map(|_| versions.next().flatten()),
        };
        let (mut hold_package, mut unknown) = (None, None);
        let (mut changes, mut newer) = (Vec::new(), Vec::new());
        for (spec, current) in self.specs().iter().zip(&installed) {
            let mut change = self.change(spec, current);
            let Some((before, mut target)) = self.difference(spec, current) else {
                if self.leaves(current) {
                    status.add_message(left_absent(&spec.package.to_string()));
                } else if self.newest.is_wanted() && self.is_kept_by_hold(current) {
                    status.add_warning(format!("{} is on hold, so it stays at its version", spec.package));
                } else if self.newest.is_wanted() {
                    newer.push(change);
                }
                continue;
            };
            match self.chosen(cx, spec).await {
                Ok(None) => {}
                Ok(Some(chosen)) => {
                    target = chosen.to_string();
                    change = change.with_version(chosen);
                }
                Err(failure) => unknown = unknown.or(Some(failure)),
            }
            status.add_difference(spec.package.to_string(), before, target);
            changes.push(change);
            if self.is_kept_by_hold(current) && hold_package.is_none() {
                hold_package = Some(spec.package.to_string());
            }
        }
        self.plan.changes = changes;
        self.compare_holds(&installed, status);
        self.compare_marks(cx, &installed, status).await?;
        if self.plan.changes.is_empty() && !self.is_open_ended() {
            return Ok(());
        }
        if !self.plan.changes.is_empty() {
            status.raise_level(StatusLevel::WillChange);
        }
        match (hold_package, unknown) {
            (Some(package), _) => status.set_error(AptError::Held { package }.to_string()),
            (None, Some(failure)) => self.not_possible(cx, status, failure).await?,
            (None, None) => self.preview(cx, status, newer).await?,
        }
        Ok(())
    }
}

impl Task for AptPackages {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.plan = AptPlan::default();
        if let Some(file) = &mut self.file
            && !file.open(cx, &mut status).await?
        {
            file.close().await?;
            return Ok(status);
        }
        let compared = self.compare(cx, &mut status).await;
        if let Some(file) = &mut self.file {
            file.close().await?;
        }
        compared?;
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let result = apply::together(&mut [self], cx).await.pop();
        result.unwrap_or_else(|| Ok(Status::new()))
    }
}

impl Batch for AptPackages {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        apply::together(batch, cx).await
    }
}
