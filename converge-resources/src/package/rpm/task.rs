use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::value::OneOrMany;

use super::error::RpmError;
use super::installed_packages::{self, Build, InstalledBuilds, Missing};
use super::request::{Freshness, RpmRequest};
use super::run;
use super::spec::RpmSpec;
use super::tool::{PackageManager, PackageRequest};
use super::upgrades::{self, Query};
use crate::net::download::not_yet;
use crate::package::file::{Copy, PackageFile};
use crate::package::upgrade_policy::{UpgradePolicy, left_absent};

/// The task of a resource that installs or removes RPM packages.
#[derive(Debug, Export)]
pub struct RpmPackages {
    /// The package, or the list of packages, as declared.
    #[export]
    name: OneOrMany<RpmSpec>,
    /// Whether the packages are to be installed.
    #[export]
    state: Ensure,
    /// The installed version with its release, or null if there is none.
    ///
    /// For a list of packages, it is the list of their versions.
    #[export(computed)]
    version: OneOrMany<Option<String>>,
    lock_timeout: Duration,
    request: RpmRequest,
    file: Option<RpmFile>,
    plan: RpmPlan,
}

#[derive(Debug)]
struct RpmFile {
    file: PackageFile,
    /// The path of the temporary copy, while there is one.
    spec: Option<RpmSpec>,
    /// The build that the check found in the file.
    build: Option<Build>,
}

#[derive(Debug, Default)]
struct RpmPlan {
    /// The package manager; `None` if it is not known yet, or if nothing has to be done.
    tool: Option<PackageManager>,
    /// The indices of the packages to install.
    install: Vec<usize>,
    remove: Vec<String>,
    upgrade: Vec<String>,
    /// The names of packages that nothing needs, to remove.
    unneeded: Vec<String>,
}

impl RpmPlan {
    fn is_empty(&self) -> bool {
        self.install.is_empty()
            && self.remove.is_empty()
            && self.upgrade.is_empty()
            && self.unneeded.is_empty()
    }
}

impl RpmPackages {
    pub(in crate::package) fn new(name: OneOrMany<RpmSpec>, state: Ensure, lock_timeout: Duration) -> Self {
        let version = name.clone().map(|_| None);
        let (request, plan) = (RpmRequest::default(), RpmPlan::default());
        Self { name, state, version, lock_timeout, request, file: None, plan }
    }

    /// Sets these fields, and leaves all others at their defaults.
    pub(in crate::package) fn plain(mut self, newest: UpgradePolicy, age: Option<Duration>) -> Self {
        let freshness = age.map_or_else(Freshness::default, Freshness::Within);
        self.request = RpmRequest { newest, freshness, ..RpmRequest::default() };
        self
    }

    pub(super) fn with(mut self, request: RpmRequest, file: Option<PackageFile>) -> Self {
        self.request = request;
        self.file = file.map(|file| RpmFile { file, spec: None, build: None });
        self
    }

    /// Returns the packages to install or remove: the named ones, or the copy of the file.
    fn specs(&self) -> &[RpmSpec] {
        match &self.file {
            Some(file) => file.spec.as_slice(),
            None => self.name.as_slice(),
        }
    }

    /// Returns the name of a package for messages.
    fn shown<'a>(&'a self, spec: &'a RpmSpec) -> &'a str {
        self.file.as_ref().map_or_else(|| spec.name(), |file| file.file.shown())
    }

    pub(in crate::package) fn version(&self) -> &OneOrMany<Option<String>> {
        &self.version
    }

    /// Returns the present and the declared state of a package if they differ.
    fn difference(&self, spec: &RpmSpec, builds: &InstalledBuilds) -> Option<(String, String)> {
        let versions = || builds.installed.iter().map(Build::full_version).collect::<Vec<_>>().join(", ");
        let (present, absent) = (Ensure::Present.as_str().to_owned(), Ensure::Absent.as_str().to_owned());
        if self.state == Ensure::Absent {
            return (!builds.installed.is_empty()).then_some((present, absent));
        }
        let target = match (spec, &builds.file) {
            (_, Some(build)) if builds.installed.contains(build) => return None,
            (_, Some(build)) => build.full_version(),
            (RpmSpec::Package { version: Some(version), .. }, None) => {
                let is = |build: &Build| version.matches(&build.epoch, &build.version, &build.release);
                if builds.installed.iter().any(is) {
                    return None;
                }
                version.as_str().to_owned()
            }
            _ if builds.installed.is_empty() && self.request.newest.leaves_absent() => return None,
            _ if builds.installed.is_empty() => present,
            _ => return None,
        };
        let before = if builds.installed.is_empty() { absent } else { versions() };
        Some((before, target))
    }

    fn wanted(&self, places: &[usize]) -> Vec<PackageRequest<'_>> {
        let specs = places.iter().filter_map(|place| self.specs().get(*place));
        specs
            .map(|spec| match spec {
                RpmSpec::Package { name, version } => {
                    PackageRequest { name, version: version.as_ref().map(super::spec::RpmVersion::as_str) }
                }
                RpmSpec::File(file) => PackageRequest { name: file, version: None },
            })
            .collect()
    }

    async fn differing(&self, cx: &Context, places: &[usize]) -> Result<Vec<usize>> {
        let mut differing = Vec::new();
        for place in places {
            let Some(spec) = self.specs().get(*place) else { continue };
            if let Ok(builds) = installed_packages::query(cx, spec).await?
                && self.difference(spec, &builds).is_some()
            {
                differing.push(*place);
            }
        }
        Ok(differing)
    }

    /// Runs the package manager with the declared options.
    async fn run(&self, cx: &Context, tool: PackageManager, arguments: Vec<String>) -> Result<Vec<String>> {
        let arguments = [self.request.options(), arguments].concat();
        run::run(cx, tool, arguments, self.lock_timeout).await
    }

    async fn install(&self, cx: &Context, tool: PackageManager) -> Result<Vec<String>> {
        let places = self.differing(cx, &self.plan.install).await?;
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let mut warnings = self.run(cx, tool, tool.install(&self.wanted(&places))).await?;
        // Some tools replace a newer version only by an explicit downgrade.
        let newer = self.differing(cx, &places).await?;
        if !newer.is_empty()
            && let Some(downgrade) = tool.downgrade(&self.wanted(&newer))
        {
            warnings.extend(self.run(cx, tool, downgrade).await?);
        }
        Ok(warnings)
    }

    /// Compares the declared packages with the installed ones, and returns the names of unchanged packages.
    async fn compare(&mut self, cx: &Context, status: &mut Status) -> Result<Vec<String>> {
        let (mut versions, mut plan, mut present) = (Vec::new(), RpmPlan::default(), Vec::new());
        let mut build = None;
        for (place, spec) in self.specs().iter().enumerate() {
            let builds = match installed_packages::query(cx, spec).await? {
                Ok(builds) => builds,
                Err(Missing(what)) => {
                    versions.push(None);
                    status.add_message(what);
                    status.raise_level(StatusLevel::MayChange);
                    continue;
                }
            };
            versions.push(builds.installed.last().map(Build::full_version));
            build.clone_from(&builds.file);
            let Some((before, target)) = self.difference(spec, &builds) else {
                if self.state == Ensure::Present && builds.installed.is_empty() {
                    status.add_message(left_absent(self.shown(spec)));
                } else {
                    present.push(builds.name);
                }
                continue;
            };
            status.add_difference(self.shown(spec), before, target);
            match self.state {
                Ensure::Present => plan.install.push(place),
                Ensure::Absent => plan.remove.push(builds.name),
            }
        }
        self.plan = plan;
        let mut versions = versions.into_iter();
        self.version = match &mut self.file {
            Some(file) => {
                file.build = build;
                OneOrMany::One(versions.next().flatten())
            }
            None => self.name.clone().map(|_| versions.next().flatten()),
        };
        Ok(present)
    }

    /// Reports upgrades that the package manager would make, and packages that nothing needs.
    async fn compare_newer(
        &mut self,
        cx: &Context,
        tool: PackageManager,
        there: &[String],
        status: &mut Status,
    ) -> Result<()> {
        let options = self.request.options();
        if self.request.upgrade_all || (self.request.newest.is_wanted() && !there.is_empty()) {
            let names = if self.request.upgrade_all { &[] } else { there };
            for build in upgrades::ask(cx, tool, &options, Query::Upgrades(names)).await? {
                let spec = RpmSpec::Package { name: build.name.clone(), version: None };
                let installed = installed_packages::query(cx, &spec).await?.map(|builds| builds.installed);
                let installed = installed.unwrap_or_default();
                // Packages such as kernels have several builds, and an upgrade adds one.
                if installed.contains(&build) {
                    continue;
                }
                let before = installed.last().map_or_else(|| "absent".to_owned(), Build::full_version);
                status.add_difference(build.name.as_str(), before, build.full_version());
                self.plan.upgrade.push(build.name);
            }
        }
        if self.request.autoremove {
            for build in upgrades::ask(cx, tool, &options, Query::Unneeded).await? {
                status.add_difference(build.name.as_str(), build.full_version(), Ensure::Absent.as_str());
                self.plan.unneeded.push(build.name);
            }
        }
        Ok(())
    }

    /// Returns an error if no repository has a declared version.
    async fn check_versions(&self, cx: &Context, tool: PackageManager) -> Result<Option<RpmError>> {
        for place in &self.plan.install {
            let Some(RpmSpec::Package { name, version: Some(version) }) = self.specs().get(*place) else {
                continue;
            };
            let builds = upgrades::ask(cx, tool, &self.request.options(), Query::Known(name)).await?;
            if !builds.iter().any(|build| version.matches(&build.epoch, &build.version, &build.release)) {
                let (tool, package) = (tool.program(), name.clone());
                if builds.is_empty() {
                    return Ok(Some(RpmError::Unknown { tool, package }));
                }
                let versions = builds.iter().map(Build::full_version).collect();
                let version = version.to_string();
                return Ok(Some(RpmError::UnknownVersion { tool, package, version, known: versions }));
            }
        }
        Ok(None)
    }

    /// Returns the reason why this package manager cannot do the work, if there is one.
    async fn obstacle(&self, cx: &Context, tool: PackageManager) -> Result<Option<RpmError>> {
        let by_name = self.plan.install.iter().find_map(|place| match self.specs().get(*place)? {
            RpmSpec::Package { name, .. } => Some(name),
            RpmSpec::File(_) => None,
        });
        if let (Some(package), PackageManager::Rpm) = (by_name, tool) {
            return Ok(Some(RpmError::NothingFetches { package: package.clone() }));
        }
        if tool.knows_unneeded() && cx.pending().is_empty() {
            return self.check_versions(cx, tool).await;
        }
        Ok(None)
    }

    async fn inspect(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        let present = self.compare(cx, status).await?;
        if self.plan.is_empty() && !self.request.is_open_ended() {
            return Ok(());
        }
        let tool = PackageManager::find(cx).await?;
        self.plan.tool = Some(tool);
        let is_pending = !cx.pending().is_empty();
        if let Err(unable) = self.request.check(tool) {
            if is_pending && tool == PackageManager::Rpm {
                status.add_message("no package manager that knows repositories is installed yet");
                status.raise_level(StatusLevel::MayChange);
            } else {
                status.raise_level(StatusLevel::WillChange);
                status.set_error(unable.to_string());
            }
            return Ok(());
        }
        match self.compare_newer(cx, tool, &present, status).await {
            Err(error) if is_pending && !matches!(error, Error::Cancelled) => {
                status.add_message(format!("{} cannot tell yet what that takes: {error}", tool.program()));
                status.raise_level(StatusLevel::MayChange);
            }
            compared => compared?,
        }
        if self.plan.is_empty() {
            return Ok(());
        }
        status.raise_level(StatusLevel::WillChange);
        match self.obstacle(cx, tool).await? {
            Some(RpmError::NothingFetches { package }) if is_pending => {
                status.add_message(format!("no package manager that can fetch {package} is installed yet"));
                status.raise_level(StatusLevel::MayChange);
            }
            Some(error) => status.set_error(error.to_string()),
            None => {}
        }
        Ok(())
    }

    async fn make(&self, cx: &Context, tool: PackageManager) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        if !self.plan.install.is_empty() {
            warnings.extend(self.install(cx, tool).await?);
        }
        if !self.plan.remove.is_empty() {
            let names: Vec<&str> = self.plan.remove.iter().map(String::as_str).collect();
            // `rpm` refuses to break dependencies. The other tools would also remove dependent packages,
            // which no check has shown.
            let test = ["--erase", "--test"].into_iter().chain(names.iter().copied()).map(str::to_owned);
            run::run(cx, PackageManager::Rpm, test.collect(), self.lock_timeout).await?;
            warnings.extend(self.run(cx, tool, tool.remove(&names)).await?);
        }
        if !self.plan.upgrade.is_empty() {
            warnings.extend(self.run(cx, tool, tool.upgrade(&self.plan.upgrade)).await?);
        }
        if self.request.autoremove {
            // The removals and upgrades of this run may leave more unneeded packages; the next plan shows
            // these.
            let mut unneeded = upgrades::ask(cx, tool, &self.request.options(), Query::Unneeded).await?;
            unneeded.retain(|build| self.plan.unneeded.contains(&build.name));
            let names: Vec<&str> = unneeded.iter().map(|build| build.name.as_str()).collect();
            if !names.is_empty() {
                warnings.extend(self.run(cx, tool, tool.remove(&names)).await?);
            }
        }
        Ok(warnings)
    }
}

impl RpmFile {
    /// Copies the file for the package manager.
    async fn open(&mut self, cx: &Context) -> Result<Copy> {
        let copy = self.file.copy(cx, "package.rpm").await?;
        self.spec = Some(RpmSpec::File(copy.path()));
        Ok(copy)
    }

    /// Like [`open`](Self::open), but fails if the content has changed since the check.
    async fn reopen(&mut self, cx: &Context) -> Result<Copy> {
        let copy = self.open(cx).await?;
        let builds = installed_packages::query(cx, &RpmSpec::File(copy.path())).await?;
        if builds.ok().and_then(|builds| builds.file) != self.build {
            return Err(Error::msg(format!("{} has changed since the check", self.file.shown())));
        }
        Ok(copy)
    }

    /// Replaces the path of the copy by the declared file in an error.
    fn with_file_name(&self, copy: &Copy, error: Error) -> Error {
        match error {
            Error::Other(error) => Error::msg(error.to_string().replace(&copy.path(), self.file.shown())),
            error => error,
        }
    }
}

impl Task for RpmPackages {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.plan = RpmPlan::default();
        let Some(file) = &mut self.file else {
            self.inspect(cx, &mut status).await?;
            return Ok(status);
        };
        let opened = file.open(cx).await;
        let Some(copy) = not_yet(cx, &mut status, opened)? else { return Ok(status) };
        let inspected = self.inspect(cx, &mut status).await;
        if let (Err(error), Some(file)) = (inspected, &self.file) {
            return Err(file.with_file_name(&copy, error));
        }
        copy.remove().await?;
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut status = Status::new();
        let Some(tool) = self.plan.tool.filter(|_| !self.plan.is_empty()) else { return Ok(status) };
        let copy = match &mut self.file {
            Some(file) => Some(file.reopen(cx).await?),
            None => None,
        };
        let warnings = match (self.make(cx, tool).await, &self.file, &copy) {
            (Err(error), Some(file), Some(copy)) => return Err(file.with_file_name(copy, error)),
            (made, ..) => made?,
        };
        if let Some(copy) = copy {
            copy.remove().await?;
        }
        if !warnings.is_empty() {
            status.add_warning(warnings.join("\n"));
        }
        Ok(status)
    }
}
