use std::time::Duration;

use super::error::RpmError;
use super::tool::PackageManager;
use crate::package::upgrade_policy::Newest;

/// What is asked for beside packages that are named, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RpmRequest {
    pub(super) newest: Newest,
    pub(super) upgrade_all: bool,
    pub(super) autoremove: bool,
    pub(super) freshness: Freshness,
    pub(super) options: Vec<String>,
}

/// How new what is known of the repositories must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Freshness {
    /// As the package manager is configured.
    #[default]
    Usual,
    /// Fetched right now.
    Now,
    /// No older than this.
    Within(Duration),
}

impl RpmRequest {
    /// Whether what is to be done depends on what the repositories have.
    pub(super) fn is_open_ended(&self) -> bool {
        self.newest.is_wanted() || self.upgrade_all || self.autoremove
    }

    /// Refuses what the package manager cannot do.
    pub(super) fn check(&self, tool: PackageManager) -> Result<(), RpmError> {
        let asks = [
            (self.newest.field(), self.newest.is_wanted(), tool.knows_upgrades()),
            ("upgrade_all", self.upgrade_all, tool.knows_upgrades()),
            ("autoremove", self.autoremove, tool.knows_unneeded()),
            ("update", self.freshness == Freshness::Now, tool.is_of_dnf()),
            ("cache_max_age", matches!(self.freshness, Freshness::Within(_)), tool.is_of_dnf()),
        ];
        match asks.into_iter().find(|(_, is_asked, can)| *is_asked && !can) {
            Some((field, ..)) => Err(RpmError::Unable { tool: tool.program(), field }),
            None => Ok(()),
        }
    }

    /// The options that come with it, for each call.
    pub(super) fn options(&self) -> Vec<String> {
        let fresh = match self.freshness {
            Freshness::Usual => None,
            Freshness::Now => Some("--refresh".to_owned()),
            Freshness::Within(age) => Some(format!("--setopt=metadata_expire={}", age.as_secs())),
        };
        fresh.into_iter().chain(self.options.iter().cloned()).collect()
    }
}
