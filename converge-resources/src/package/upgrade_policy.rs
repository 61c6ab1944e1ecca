//! Whether packages that are named are to be the newest ones.

use converge_core::prelude::*;
use converge_core::value::FieldError;

use super::names::invalid;

/// What is asked of packages that are named without a version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Newest {
    /// Nothing: what is installed stays at its version.
    #[default]
    No,
    /// What is installed is upgraded, and what is not is installed.
    Yes,
    /// What is installed is upgraded, and what is not stays absent.
    WhereInstalled,
}

impl Newest {
    /// What `latest` and `only_upgrade` say together.
    pub(super) fn of(latest: bool, only_upgrade: bool) -> Self {
        match (latest, only_upgrade) {
            (_, true) => Self::WhereInstalled,
            (true, false) => Self::Yes,
            (false, false) => Self::No,
        }
    }

    /// Whether newer versions are looked for.
    pub(super) fn is_wanted(self) -> bool {
        self != Self::No
    }

    /// Whether what is not installed stays so.
    pub(super) fn leaves_absent(self) -> bool {
        self == Self::WhereInstalled
    }

    /// The field that asks for it.
    pub(super) fn field(self) -> &'static str {
        if self.leaves_absent() { "only_upgrade" } else { "latest" }
    }

    /// The rules between it and what else is written.
    pub(super) fn validate(self, state: Ensure, names_a_version: bool) -> Result<(), Vec<FieldError>> {
        if self.is_wanted() && state == Ensure::Absent {
            return Err(invalid(self.field(), "what is to be absent is not upgraded"));
        }
        if self.is_wanted() && names_a_version {
            return Err(invalid(self.field(), "it is about packages that `name` names without a version"));
        }
        Ok(())
    }
}

/// What a package is told that is left absent.
pub(super) fn left_absent(package: &str) -> String {
    format!("{package} is not installed, and only what is installed is upgraded")
}
