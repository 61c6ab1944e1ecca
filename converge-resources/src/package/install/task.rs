use converge_sdk::prelude::*;
use converge_sdk::value::OneOrMany;

use super::name::PackageName;
use crate::package::apt::AptPackages;
use crate::package::rpm::RpmPackages;

/// The task of a `package.install` resource.
#[derive(Debug, Export)]
pub struct InstalledPackages {
    /// The package, or the list of packages, as declared.
    #[export]
    pub(super) name: OneOrMany<PackageName>,
    /// Whether the packages are to be installed.
    #[export]
    pub(super) state: Ensure,
    /// The installed version, or null if there is none; for a list of packages, the list of their versions.
    #[export(computed)]
    pub(super) version: OneOrMany<Option<String>>,
    pub(super) manager: Manager,
}

#[derive(Debug)]
pub(super) enum Manager {
    Apt(Box<AptPackages>),
    Rpm(Box<RpmPackages>),
}

impl Task for InstalledPackages {
    async fn check(&mut self, cx: &Context, renderer: &dyn Renderer) -> Result<Status> {
        let (status, version) = match &mut self.manager {
            Manager::Apt(packages) => (packages.check(cx, renderer).await?, packages.version()),
            Manager::Rpm(packages) => (packages.check(cx, renderer).await?, packages.version()),
        };
        self.version = version.clone();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        match &mut self.manager {
            Manager::Apt(packages) => packages.apply(cx).await,
            Manager::Rpm(packages) => packages.apply(cx).await,
        }
    }
}

impl Batch for InstalledPackages {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        // A machine has only one of the package managers, so all tasks are of one kind.
        if batch.iter().all(|task| matches!(task.manager, Manager::Apt(_))) {
            let packages = batch.iter_mut().filter_map(|task| match &mut task.manager {
                Manager::Apt(packages) => Some(&mut **packages),
                Manager::Rpm(_) => None,
            });
            return AptPackages::apply_batch(&mut packages.collect::<Vec<_>>(), cx).await;
        }
        let mut results = Vec::new();
        for task in batch {
            results.push(task.apply(cx).await);
        }
        results
    }
}
