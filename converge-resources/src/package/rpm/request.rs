use std::time::Duration;

use super::error::RpmError;
use super::tool::PackageManager;
use crate::package::upgrade_policy::UpgradePolicy;

/// The request for a package manager, apart from named packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RpmRequest {
    pub(super) newest: UpgradePolicy,
    pub(super) upgrade_all: bool,
    pub(super) autoremove: bool,
    pub(super) freshness: Freshness,
    pub(super) options: Vec<String>,
}

/// The required freshness of the metadata of the repositories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Freshness {
    /// The package manager decides by its configuration.
    #[default]
    Usual,
    /// Fetched right now.
    Now,
    /// No older than this.
    Within(Duration),
}

impl RpmRequest {
    /// Whether the work depends on the contents of the repositories.
    pub(super) fn is_open_ended(&self) -> bool {
        self.newest.is_wanted() || self.upgrade_all || self.autoremove
    }

    /// Refuses requests that the package manager does not support.
    pub(super) fn check(&self, tool: PackageManager) -> Result<(), RpmError> {
        let asks = [
            (self.newest.field(), self.newest.is_wanted(), tool.knows_upgrades()),
            ("upgrade_all", self.upgrade_all, tool.knows_upgrades()),
            ("autoremove", self.autoremove, tool.knows_unneeded()),
            ("update", self.freshness == Freshness::Now, tool.takes_dnf_options()),
            ("cache_max_age", matches!(self.freshness, Freshness::Within(_)), tool.takes_dnf_options()),
        ];
        match asks.into_iter().find(|(_, is_asked, can)| *is_asked && !can) {
            Some((field, ..)) => Err(RpmError::Unable { tool: tool.program(), field }),
            None => Ok(()),
        }
    }

    pub(super) fn options(&self) -> Vec<String> {
        let fresh = match self.freshness {
            Freshness::Usual => None,
            Freshness::Now => Some("--refresh".to_owned()),
            Freshness::Within(age) => Some(format!("--setopt=metadata_expire={}", age.as_secs())),
        };
        fresh.into_iter().chain(self.options.iter().cloned()).collect()
    }
}
