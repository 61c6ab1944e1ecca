//! The health of a resource.

use std::fmt;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The health of a resource, from best to worst.
///
/// The health of most resources follows from their plan (`view::health`). A check that
/// knows better calls [`Status::set_health`](crate::Status::set_health).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, converge_derive::SdkHclEnum)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Health {
    /// The resource is in the declared state.
    #[default]
    Healthy,
    /// The resource works, but is not in the declared state.
    Warning,
    /// The resource does not work, or its state cannot be determined.
    Error,
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
