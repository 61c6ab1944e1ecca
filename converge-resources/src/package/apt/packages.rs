//! Comparison of packages with dpkg, and simulation of changes with apt-get.

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::value::OneOrMany;

use super::apt_get::{Apt, AptFailure};
use super::deb::Deb;
use super::error::AptError;
use super::installed_packages::{Installed, Status as Has};
use super::lists::Update;
use super::simulation::{self, Simulation, StepKind};
use super::spec::{AptSpec, DebianVersion, DeclaredVersion, Package};
use super::transaction::{Change, ChangeKind, Settings, arguments};
use super::version;
use crate::package::upgrade_policy::UpgradePolicy;

/// The task of a resource that installs or removes Debian packages.
#[derive(Debug, Export)]
pub struct AptPackages {
    /// The package, or the list of packages, as declared.
    #[export]
    pub(super) name: OneOrMany<AptSpec>,
    /// Whether the packages are to be installed.
    #[export]
    pub(super) state: Ensure,
    /// The installed version, or null if there is none; for a list of packages, the list of their versions.
    #[export(computed)]
    pub(super) version: OneOrMany<Option<String>>,
    pub(super) settings: Settings,
    pub(super) update: Update,
    pub(super) lock_timeout: Duration,
    pub(super) plan: AptPlan,
    /// Whether installed packages are upgraded.
    pub(super) newest: UpgradePolicy,
    /// Whether the packages are on hold; `None` leaves holds unchanged.
    pub(super) hold: Option<bool>,
    /// The file that contains the package, instead of names.
    pub(super) file: Option<Deb>,
}

#[derive(Debug, Default)]
pub(super) struct AptPlan {
    pub(super) changes: Vec<Change>,
    /// Packages that the changes remove, by apt-get's names.
    pub(super) removed: Vec<String>,
    /// Whether package lists have to be fetched first.
    pub(super) needs_lists: bool,
    /// Whether apt-get has work to do that only the settings declare.
    pub(super) upgrades: bool,
    /// Whether the holds differ from the declaration.
    pub(super) holds: bool,
    /// The packages whose holds are set or removed after all other changes.
    pub(super) marked: Vec<String>,
    /// The packages that are marked as manually installed.
    pub(super) manual: Vec<String>,
}

impl AptPlan {
    /// Whether apt-get has work to do.
    pub(super) fn has_transaction(&self) -> bool {
        self.upgrades || !self.changes.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.has_transaction() && !self.holds && !self.needs_lists && self.manual.is_empty()
    }
}

impl AptPackages {
    pub(super) fn new(
        name: OneOrMany<AptSpec>,
        state: Ensure,
        settings: Settings,
        update: Update,
        lock_timeout: Duration,
    ) -> Self {
        let version = name.clone().map(|_| None);
        let plan = AptPlan::default();
        Self {
            name,
            state,
            version,
            settings,
            update,
            lock_timeout,
            plan,
            newest: UpgradePolicy::No,
            hold: None,
            file: None,
        }
    }

    /// Returns a task with these fields, and defaults for all others.
    pub(in crate::package) fn plain(
        name: OneOrMany<AptSpec>,
        state: Ensure,
        newest: UpgradePolicy,
        update: Update,
        lock_timeout: Duration,
    ) -> Self {
        Self { newest, ..Self::new(name, state, Settings::default(), update, lock_timeout) }
    }

    pub(in crate::package) fn version(&self) -> &OneOrMany<Option<String>> {
        &self.version
    }

    /// Whether the resource declares only the package lists.
    pub(super) fn is_about_lists(&self) -> bool {
        self.file.is_none() && self.name.as_slice().is_empty() && !self.is_open_ended()
    }

    /// Reports package lists that are too old.
    pub(super) async fn compare_lists(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        if self.update.is_due(cx).await? {
            self.plan.needs_lists = true;
            status.add_difference("lists of packages", "too old", "fetched");
            status.raise_level(StatusLevel::WillChange);
        }
        Ok(())
    }

    pub(super) fn removes(&self) -> bool {
        self.state == Ensure::Absent
    }

    /// Returns the packages to install or remove: the named ones, or that in the file.
    pub(super) fn specs(&self) -> &[AptSpec] {
        match &self.file {
            Some(file) => file.spec.as_slice(),
            None => self.name.as_slice(),
        }
    }

    pub(super) fn packages(&self) -> Vec<&Package> {
        self.specs().iter().map(|spec| &spec.package).collect()
    }

    /// Whether the work depends on newer versions, or on packages that are no longer needed.
    pub(super) fn is_open_ended(&self) -> bool {
        self.newest.is_wanted() || self.settings.upgrade_all || self.settings.autoremove
    }

    /// Whether all packages are as declared.
    ///
    /// This is false for open-ended declarations, which only apt-get can evaluate.
    pub(super) fn is_reached(&self, installed: &[Installed]) -> bool {
        let mut specs = self.specs().iter().zip(installed);
        !self.is_open_ended() && specs.all(|(spec, has)| self.difference(spec, has).is_none())
    }

    /// Whether a package is not installed, and is to stay so.
    pub(super) fn leaves(&self, current: &Installed) -> bool {
        self.newest.leaves_absent() && matches!(current.status, Has::Absent | Has::ConfigFiles)
    }

    /// Returns the present and the declared state of a package if they differ.
    pub(super) fn difference(&self, spec: &AptSpec, current: &Installed) -> Option<(String, String)> {
        if self.leaves(current) {
            return None;
        }
        let target = spec.version.as_ref();
        let before = match (&current.status, self.state) {
            (Has::Installed { version }, Ensure::Present) => match target {
                Some(target) if !target.fits(version) => version.clone(),
                _ => return None,
            },
            (Has::Installed { .. }, Ensure::Absent) => Ensure::Present.as_str().to_owned(),
            (Has::Broken { word, version, .. }, _) => format!("{version} ({word})"),
            (Has::Absent, Ensure::Absent) => return None,
            (Has::ConfigFiles, Ensure::Absent) if !self.settings.purge => return None,
            (Has::ConfigFiles, Ensure::Absent) => "only its configuration".to_owned(),
            (Has::Absent | Has::ConfigFiles, Ensure::Present) => Ensure::Absent.as_str().to_owned(),
        };
        let target = target.filter(|_| self.state == Ensure::Present);
        let target = target.map_or_else(|| self.state.as_str().to_owned(), ToString::to_string);
        Some((before, target))
    }

    pub(super) fn change(&self, spec: &AptSpec, current: &Installed) -> Change {
        let reinstall = matches!(current.status, Has::Broken { unpack: true, .. });
        let copy = self.file.as_ref().and_then(Deb::path);
        let kind = match (self.state, copy) {
            (Ensure::Present, Some(path)) => ChangeKind::File(path),
            (Ensure::Present, None) => {
                let version = match &spec.version {
                    Some(DeclaredVersion::Exact(version)) => Some(version.clone()),
                    Some(DeclaredVersion::Range(_)) | None => None,
                };
                ChangeKind::Install { version, again: reinstall }
            }
            (Ensure::Absent, _) => ChangeKind::Remove,
        };
        Change { package: spec.package.clone(), kind, held: current.held }
    }

    /// Whether the version of a package is chosen among those that apt knows.
    pub(super) fn has_range(&self) -> bool {
        self.specs().iter().any(|spec| matches!(spec.version, Some(DeclaredVersion::Range(_))))
    }

    /// Returns the newest version that apt knows in the range of a package; an exact one is not looked up.
    ///
    /// # Errors
    ///
    /// Returns the error of apt if it knows no such version.
    pub(super) async fn chosen(
        &self,
        cx: &Context,
        spec: &AptSpec,
    ) -> Result<Option<DebianVersion>, AptFailure> {
        let Some(range @ DeclaredVersion::Range(_)) = &spec.version else { return Ok(None) };
        let package = spec.package.to_string();
        let known = Apt::new(cx, self.lock_timeout).versions(&package).await?;
        let mut fitting: Vec<&String> = known.iter().filter(|version| range.fits(version)).collect();
        fitting.sort_by(|one, other| version::compare(one, other));
        if let Some(version) = fitting.last().and_then(|version| version.parse().ok()) {
            return Ok(Some(version));
        }
        Err(AptError::UnknownVersion { package, version: range.to_string(), known }.into())
    }

    /// Simulates the changes with apt-get.
    pub(super) async fn preview(
        &mut self,
        cx: &Context,
        status: &mut Status,
        newer: Vec<Change>,
    ) -> Result<()> {
        let apt = Apt::new(cx, self.lock_timeout);
        let is_for_newer = self.settings.upgrade_all || !newer.is_empty();
        match preview(&apt, &self.settings, &self.plan.changes, &newer).await {
            Ok(simulation) => {
                self.add_newer(&simulation, newer, status);
                self.plan.removed = self.report(&simulation, status);
                let Settings { upgrade_all, autoremove, .. } = self.settings;
                let removes = autoremove && !self.plan.removed.is_empty();
                self.plan.upgrades = removes || (upgrade_all && !simulation.steps.is_empty());
                if self.plan.upgrades || !self.plan.changes.is_empty() {
                    status.raise_level(StatusLevel::WillChange);
                }
                if is_for_newer {
                    self.expect_lists(cx, status).await?;
                }
                Ok(())
            }
            Err(failure) => self.not_possible(cx, status, failure).await,
        }
    }

    /// Reports why apt cannot make the changes, and whether a pending change or new lists may help.
    pub(super) async fn not_possible(
        &mut self,
        cx: &Context,
        status: &mut Status,
        failure: AptFailure,
    ) -> Result<()> {
        match failure {
            failure @ AptFailure::Other(_) => Err(failure.into()),
            AptFailure::Apt(error) if !cx.pending().is_empty() => {
                status.add_message(format!("apt cannot tell yet what that takes: {error}"));
                status.raise_level(StatusLevel::MayChange);
                Ok(())
            }
            AptFailure::Apt(error) if !self.removes() && self.update.is_due(cx).await? => {
                self.plan.needs_lists = true;
                if self.plan.changes.is_empty() {
                    status.raise_level(StatusLevel::MayChange);
                }
                let reason = match error {
                    AptError::UnknownPackage { package } => format!("apt knows no package {package:?} yet"),
                    error => error.to_string(),
                };
                status.add_message(format!("the lists of packages are fetched first, as {reason}"));
                Ok(())
            }
            AptFailure::Apt(error) => {
                status.set_error(error.to_string());
                Ok(())
            }
        }
    }

    /// Adds the packages for which apt has another version.
    fn add_newer(&mut self, simulation: &Simulation, newer: Vec<Change>, status: &mut Status) {
        for change in newer {
            let mut steps = simulation.steps.iter();
            let step = steps.find(|step| simulation::is_name_of(&change.package, &step.package));
            if let Some(StepKind::Replace { from, to }) = step.map(|step| &step.kind) {
                status.add_difference(change.package.to_string(), from.as_str(), to.as_str());
                self.plan.changes.push(change);
            }
        }
    }

    /// Reports that lists are fetched first, which may have newer versions.
    async fn expect_lists(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        // Unless the module asks for new lists, the present ones are used.
        if self.update != Update::WhenThereAreNone && self.update.is_due(cx).await? {
            self.plan.needs_lists = true;
            status.add_message("the lists of packages are fetched first, and may have newer versions");
            status.raise_level(StatusLevel::MayChange);
        }
        Ok(())
    }

    /// Reports the effects on other packages, and returns the removed ones.
    fn report(&self, simulation: &Simulation, status: &mut Status) -> Vec<String> {
        let (mut installed, mut replaced, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        for step in &simulation.steps {
            let package = &step.package;
            if let StepKind::Replace { from, to } = &step.kind
                && version::compare(to, from).is_lt()
            {
                status.add_message(format!("{package} is downgraded, from {from} to {to}"));
            }
            if self.plan.changes.iter().any(|change| simulation::is_name_of(&change.package, package)) {
                continue;
            }
            match &step.kind {
                StepKind::Install { version } => installed.push(format!("{package} {version}")),
                StepKind::Replace { from, to } if self.settings.upgrade_all => {
                    status.add_difference(package.as_str(), from.as_str(), to.as_str());
                }
                StepKind::Replace { from, to } => replaced.push(format!("{package} {from} with {to}")),
                StepKind::Remove { version } => {
                    status.add_difference(package.as_str(), version.as_str(), Ensure::Absent.as_str());
                    removed.push(package.clone());
                }
            }
        }
        for (verb, packages) in [("installs", installed), ("replaces", replaced)] {
            if !packages.is_empty() {
                status.add_message(format!("also {verb} {}", packages.join(", ")));
            }
        }
        removed
    }
}

/// Simulates these changes, and upgrades of the packages in `newer`.
pub(super) async fn preview(
    apt: &Apt<'_>,
    settings: &Settings,
    changes: &[Change],
    newer: &[Change],
) -> Result<Simulation, AptFailure> {
    let printed = match apt.simulate(&arguments(settings, changes.iter().chain(newer))).await {
        Ok(printed) => printed,
        Err(AptFailure::Apt(AptError::UnknownVersion { package, version, .. })) => {
            let versions = apt.versions(&package).await?;
            return Err(AptError::UnknownVersion { package, version, known: versions }.into());
        }
        Err(failure) => return Err(failure),
    };
    let simulation = Simulation::parse(&printed.stdout);
    // apt-get installs another package if that is the only provider of the name, and several packages if the
    // name can be read as a pattern.
    let mut installs = changes.iter().filter(|change| !matches!(change.kind, ChangeKind::Remove));
    let Some(other) = installs.find(|change| !simulation.touches(&change.package)) else {
        return Ok(simulation);
    };
    let package = other.package.to_string();
    let providers = apt.providers(&package).await?;
    Err(AptError::no_candidate(package, providers).into())
}
