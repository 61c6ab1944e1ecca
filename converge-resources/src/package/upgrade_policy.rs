//! The upgrade policy for named packages.

use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

use super::names::invalid;

/// The upgrade policy for packages that are named without a version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UpgradePolicy {
    /// Installed packages stay at their version.
    #[default]
    No,
    /// Installed packages are upgraded, and others are installed.
    Yes,
    /// Installed packages are upgraded, and others stay absent.
    WhereInstalled,
}

impl UpgradePolicy {
    /// Combines `latest` and `only_upgrade`.
    pub(super) fn from_fields(latest: bool, only_upgrade: bool) -> Self {
        match (latest, only_upgrade) {
            (_, true) => Self::WhereInstalled,
            (true, false) => Self::Yes,
            (false, false) => Self::No,
        }
    }

    /// Whether newer versions are looked up.
    pub(super) fn is_wanted(self) -> bool {
        self != Self::No
    }

    /// Whether packages that are not installed stay absent.
    pub(super) fn leaves_absent(self) -> bool {
        self == Self::WhereInstalled
    }

    /// Returns the field that declares the policy.
    pub(super) fn field(self) -> &'static str {
        if self.leaves_absent() { "only_upgrade" } else { "latest" }
    }

    /// Validates the policy against the other fields.
    pub(super) fn validate(self, state: Ensure, names_a_version: bool) -> Result<(), Vec<FieldError>> {
        if self.is_wanted() && state == Ensure::Absent {
            return Err(invalid(self.field(), "an absent package cannot be upgraded"));
        }
        if self.is_wanted() && names_a_version {
            return Err(invalid(self.field(), "it is for packages in `name` without a version"));
        }
        Ok(())
    }
}

/// Returns the message about a package that is left absent.
pub(super) fn left_absent(package: &str) -> String {
    format!("{package} is not installed, and only installed packages are upgraded")
}
