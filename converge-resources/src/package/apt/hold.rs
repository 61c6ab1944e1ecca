//! Package holds: apt neither upgrades nor removes a package on hold unless told to.
//!
//! A transaction may end a hold, so the declared holds are set again after each transaction of a resource.

use converge_sdk::prelude::*;

use super::apt_get::{Apt, AptFailure};
use super::installed_packages::Installed;
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
}

/// Sets the declared holds of the packages of resources.
pub(super) async fn mark(apt: &mut Apt<'_>, tasks: &[&AptPackages]) -> Result<(), AptFailure> {
    for (hold, verb) in [(true, "hold"), (false, "unhold")] {
        let declared = tasks.iter().filter(|task| task.hold == Some(hold));
        let packages: Vec<String> = declared.flat_map(|task| task.plan.marked.iter().cloned()).collect();
        if !packages.is_empty() {
            apt.mark(verb, &packages).await?;
        }
    }
    Ok(())
}
