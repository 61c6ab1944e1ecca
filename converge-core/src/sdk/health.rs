//! How healthy a resource is.

use std::fmt;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// How healthy a resource is, from best to worst.
///
/// For most resources that follows from what a plan says of them ([`view::health`](crate::view::health)). A check that
/// knows better says so with [`Status::set_health`](crate::Status::set_health).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, converge_derive::HclEnum)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Health {
    /// As it should be.
    #[default]
    Healthy,
    /// Not as it should be, and it works.
    Warning,
    /// It does not work, or nobody can tell.
    Error,
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
