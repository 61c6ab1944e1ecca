use std::time::Duration;

use converge_core::prelude::*;
use converge_core::value::OneOrMany;

use super::error::RpmError;
use super::installed::{self, Build, InstalledBuilds, Missing};
use super::run;
use super::spec::RpmSpec;
use super::tool::{PackageManager, PackageRequest};

/// Packages that are installed, or that are not.
#[derive(Debug, Export)]
pub struct RpmPackages {
    /// The package, or the list of packages, as it is written.
    #[export]
    name: OneOrMany<RpmSpec>,
    /// Whether they are to be installed.
    #[export]
    state: Ensure,
    /// The version that is installed, with its release, null when none is; for a list of packages the list of their
    /// versions.
    #[export(computed)]
    version: OneOrMany<Option<String>>,
    lock_timeout: Duration,
    plan: RpmPlan,
}

/// What the check found that the apply has to do.
#[derive(Debug, Default)]
enum RpmPlan {
    #[default]
    Nothing,
    /// Install these of the packages, by their places in `name`.
    Install(PackageManager, Vec<usize>),
    /// Remove what has these names.
    Remove(PackageManager, Vec<String>),
}

impl RpmPackages {
    pub(in crate::package) fn new(name: OneOrMany<RpmSpec>, state: Ensure, lock_timeout: Duration) -> Self {
        let version = name.clone().map(|_| None);
        Self { name, state, version, lock_timeout, plan: RpmPlan::Nothing }
    }

    pub(in crate::package) fn version(&self) -> &OneOrMany<Option<String>> {
        &self.version
    }

    /// How a package is, and how it should be, when it is not so.
    fn difference(&self, spec: &RpmSpec, found: &InstalledBuilds) -> Option<(String, String)> {
        let versions = || found.installed.iter().map(Build::full_version).collect::<Vec<_>>().join(", ");
        let (present, absent) = (Ensure::Present.as_str().to_owned(), Ensure::Absent.as_str().to_owned());
        if self.state == Ensure::Absent {
            return (!found.installed.is_empty()).then_some((present, absent));
        }
        let wanted = match (spec, &found.file) {
            (_, Some(build)) if found.installed.contains(build) => return None,
            (_, Some(build)) => build.full_version(),
            (RpmSpec::Package { version: Some(version), .. }, None) => {
                let is = |build: &Build| version.is(&build.epoch, &build.version, &build.release);
                if found.installed.iter().any(is) {
                    return None;
                }
                version.as_str().to_owned()
            }
            _ if found.installed.is_empty() => present,
            _ => return None,
        };
        let now = if found.installed.is_empty() { absent } else { versions() };
        Some((now, wanted))
    }

    fn wanted(&self, places: &[usize]) -> Vec<PackageRequest<'_>> {
        let specs = places.iter().filter_map(|place| self.name.as_slice().get(*place));
        specs
            .map(|spec| match spec {
                RpmSpec::Package { name, version } => {
                    PackageRequest { name, version: version.as_ref().map(super::spec::RpmVersion::as_str) }
                }
                RpmSpec::File(file) => PackageRequest { name: file, version: None },
            })
            .collect()
    }

    /// Those of the packages that are not as they should be.
    async fn differing(&self, cx: &Context, places: &[usize]) -> Result<Vec<usize>> {
        let mut differing = Vec::new();
        for place in places {
            let Some(spec) = self.name.as_slice().get(*place) else { continue };
            if let Ok(found) = installed::query(cx, spec).await?
                && self.difference(spec, &found).is_some()
            {
                differing.push(*place);
            }
        }
        Ok(differing)
    }

    async fn install(&self, cx: &Context, tool: PackageManager, places: &[usize]) -> Result<Vec<String>> {
        let mut warnings = run::run(cx, tool, tool.install(&self.wanted(places)), self.lock_timeout).await?;
        // Some tools replace no version by an older one unless they are asked for just that.
        let newer = self.differing(cx, places).await?;
        if !newer.is_empty()
            && let Some(downgrade) = tool.downgrade(&self.wanted(&newer))
        {
            warnings.extend(run::run(cx, tool, downgrade, self.lock_timeout).await?);
        }
        Ok(warnings)
    }
}

impl Task for RpmPackages {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.plan = RpmPlan::Nothing;
        let (mut versions, mut install, mut remove) = (Vec::new(), Vec::new(), Vec::new());
        for (place, spec) in self.name.as_slice().iter().enumerate() {
            let found = match installed::query(cx, spec).await? {
                Ok(found) => found,
                Err(Missing(what)) => {
                    versions.push(None);
                    status.add_message(what);
                    status.raise_level(StatusLevel::MayChange);
                    continue;
                }
            };
            versions.push(found.installed.last().map(Build::full_version));
            let Some((now, wanted)) = self.difference(spec, &found) else { continue };
            status.add_difference(spec.name(), now, wanted);
            match self.state {
                Ensure::Present => install.push(place),
                Ensure::Absent => remove.push(found.name),
            }
        }
        let mut versions = versions.into_iter();
        self.version = self.name.clone().map(|_| versions.next().flatten());
        if install.is_empty() && remove.is_empty() {
            return Ok(status);
        }
        status.raise_level(StatusLevel::WillChange);
        let tool = PackageManager::find(cx).await?;
        let by_name = install.iter().find_map(|place| match self.name.as_slice().get(*place)? {
            RpmSpec::Package { name, .. } => Some(name),
            RpmSpec::File(_) => None,
        });
        match by_name {
            Some(package) if tool == PackageManager::Rpm && cx.pending().is_empty() => {
                status.set_error(RpmError::NothingFetches { package: package.clone() }.to_string());
            }
            Some(package) if tool == PackageManager::Rpm => {
                status.add_message(format!("nothing that could fetch {package} exists yet"));
                status.raise_level(StatusLevel::MayChange);
            }
            _ => {}
        }
        self.plan = match self.state {
            Ensure::Present => RpmPlan::Install(tool, install),
            Ensure::Absent => RpmPlan::Remove(tool, remove),
        };
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut status = Status::new();
        let warnings = match &self.plan {
            RpmPlan::Nothing => return Ok(status),
            RpmPlan::Install(tool, places) => {
                let places = self.differing(cx, places).await?;
                if places.is_empty() {
                    return Ok(status);
                }
                self.install(cx, *tool, &places).await?
            }
            RpmPlan::Remove(tool, names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                // The others remove what depends on these as well, which no check has shown.
                let test = ["--erase", "--test"].into_iter().chain(names.iter().copied()).map(str::to_owned);
                run::run(cx, PackageManager::Rpm, test.collect(), self.lock_timeout).await?;
                run::run(cx, *tool, tool.remove(&names), self.lock_timeout).await?
            }
        };
        if !warnings.is_empty() {
            status.add_warning(warnings.join("\n"));
        }
        Ok(status)
    }
}
