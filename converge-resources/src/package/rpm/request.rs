use std::time::Duration;

use super::error::RpmError;
use super::tool::PackageManager;

/// What is asked for beside packages that are named, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RpmRequest {
    pub(super) latest: bool,
    pub(super) upgrade_all: bool,
    pub(super) autoremove: bool,
    pub(super) update: bool,
    pub(super) cache_max_age: Option<Duration>,
    pub(super) options: Vec<String>,
}

impl RpmRequest {
    /// Whether what is to be done depends on what the repositories have.
    pub(super) fn is_open_ended(&self) -> bool {
        self.latest || self.upgrade_all || self.autoremove
    }

    /// Refuses what the package manager cannot do.
    pub(super) fn check(&self, tool: PackageManager) -> Result<(), RpmError> {
        let asks = [
            ("latest", self.latest, tool.knows_upgrades()),
            ("upgrade_all", self.upgrade_all, tool.knows_upgrades()),
            ("autoremove", self.autoremove, tool.knows_unneeded()),
            ("update", self.update, tool.is_of_dnf()),
            ("cache_max_age", self.cache_max_age.is_some(), tool.is_of_dnf()),
        ];
        match asks.into_iter().find(|(_, is_asked, can)| *is_asked && !can) {
            Some((field, ..)) => Err(RpmError::Unable { tool: tool.program(), field }),
            None => Ok(()),
        }
    }

    /// The options that come with it, for each call.
    pub(super) fn options(&self) -> Vec<String> {
        let refresh = self.update.then(|| "--refresh".to_owned());
        let age = self.cache_max_age.map(|age| format!("--setopt=metadata_expire={}", age.as_secs()));
        refresh.into_iter().chain(age).chain(self.options.iter().cloned()).collect()
    }
}
