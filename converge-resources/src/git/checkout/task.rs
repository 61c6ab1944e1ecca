use converge_sdk::prelude::*;

use super::bare_repository::BarePlan;
use super::declaration::Wanted;
use super::destination;
use super::repository::Repository;
use super::revision::Revision;
use super::tree::TreePlan;
use crate::missing_dependency;

/// The task of a `git.checkout` resource.
#[derive(Debug, Export)]
pub struct Checkout {
    /// The address of the repository.
    #[export]
    pub(super) repository: Repository,
    /// The directory of the checkout.
    #[export]
    pub(super) destination: String,
    /// The branch, the tag or the commit, as it is declared.
    #[export]
    pub(super) revision: Revision,
    /// The full commit.
    #[export(computed)]
    pub(super) commit: Option<String>,
    pub(super) key: Option<String>,
    pub(super) known_hosts: Option<String>,
    pub(super) wanted: Wanted,
    pub(super) plan: Plan,
}

#[derive(Debug)]
pub(super) enum Plan {
    Tree(TreePlan),
    Bare(BarePlan),
}

impl Checkout {
    async fn inspect(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        let files = [
            ("private key", self.key.as_deref()),
            ("file of host keys", self.known_hosts.as_deref()),
            ("repository", self.repository.path()),
        ];
        for (kind, path) in files {
            if let Some(path) = path {
                destination::is_there(cx, kind, path).await?;
            }
        }
        (self.commit, self.plan) = match self.plan {
            Plan::Tree(_) => {
                let plan = self.wanted.inspect_tree(cx, status).await?;
                (plan.has.clone(), Plan::Tree(plan))
            }
            Plan::Bare(_) => {
                let plan = self.wanted.inspect_bare(cx, status).await?;
                (plan.commit.clone(), Plan::Bare(plan))
            }
        };
        Ok(())
    }
}

impl Task for Checkout {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        match self.inspect(cx, &mut status).await {
            Ok(()) => Ok(status),
            Err(error @ Error::Cancelled) => Err(error),
            Err(error) if cx.pending().is_empty() => Err(error),
            Err(error) => {
                Ok(missing_dependency::not_yet(format!("what is checked out is not known yet: {error}")))
            }
        }
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.commit = match &self.plan {
            Plan::Tree(plan) => self.wanted.apply_tree(cx, plan).await?,
            Plan::Bare(plan) => self.wanted.apply_bare(cx, plan).await?,
        };
        Ok(Status::new())
    }
}
