//! The marks of packages: holds, and whether a package was installed only because another needs it.
//!
//! apt neither upgrades nor removes a package on hold unless told to. A transaction may end a hold, so the
//! declared holds are set again after each transaction of a resource.

use converge_sdk::prelude::*;

use super::apt_get::{Apt, AptFailure};
use super::installed_packages::{AutomaticPackages, Installed};
use super::packages::AptPackages;
use super::spec::{AptSpec, Package};

impl AptPackages {
    /// Whether the resource leaves a package unchanged because of a hold.
    pub(super) fn is_kept_by_hold(&self, current: &Installed) -> bool {
        current.held && self.hold.is_none()
    }

    /// Compares the holds with their declaration, and stores the packages to mark.
    pub(super) fn compare_holds(&mut self, installed: &[Installed], status: &mut Status) {
        let Some(hold) = self.hold else { return };
        let packages: Vec<(Package, bool)> = self
            .specs()
            .iter()
            .zip(installed)
            .filter(|(_, has)| !self.leaves(has))
            .map(|(AptSpec { package, .. }, has)| (package.clone(), has.held))
            .collect();
        for (package, _) in packages.iter().filter(|(_, held)| *held != hold) {
            let word = |held: bool| if held { "on hold" } else { "not on hold" };
            status.add_difference(format!("{package} is"), word(!hold), word(hold));
            status.raise_level(StatusLevel::WillChange);
            self.plan.holds = true;
        }
        self.plan.marked = packages.into_iter().map(|(package, _)| package.to_string()).collect();
    }

    /// Finds the packages that are declared, but that apt would remove with those that need them.
    pub(super) async fn compare_marks(
        &mut self,
        cx: &Context,
        installed: &[Installed],
        status: &mut Status,
    ) -> Result<()> {
        if self.removes() || self.newest.leaves_absent() {
            return Ok(());
        }
        let automatic = AutomaticPackages::read(cx).await?;
        let is_changed =
            |package: &Package| self.plan.changes.iter().any(|change| change.package == *package);
        let marks = self.specs().iter().zip(installed).filter(|(AptSpec { package, .. }, current)| {
            // apt-get marks the packages that it installs by itself.
            automatic.contains(package, current) && !is_changed(package)
        });
        let manual: Vec<String> = marks.map(|(spec, _)| spec.package.to_string()).collect();
        for package in &manual {
            status.add_difference(format!("{package} is"), "automatically installed", "manually installed");
            status.raise_level(StatusLevel::WillChange);
        }
        self.plan.manual = manual;
        Ok(())
    }
}

/// Sets the declared marks of the packages of resources.
pub(super) async fn mark(apt: &mut Apt<'_>, tasks: &[&AptPackages]) -> Result<(), AptFailure> {
    let manual: Vec<String> = tasks.iter().flat_map(|task| task.plan.manual.iter().cloned()).collect();
    if !manual.is_empty() {
        apt.mark("manual", &manual).await?;
    }
    for (hold, verb) in [(true, "hold"), (false, "unhold")] {
        let declared = tasks.iter().filter(|task| task.hold == Some(hold));
        let packages: Vec<String> = declared.flat_map(|task| task.plan.marked.iter().cloned()).collect();
        if !packages.is_empty() {
            apt.mark(verb, &packages).await?;
        }
    }
    Ok(())
}
