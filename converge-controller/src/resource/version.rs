//! Which state of a resource is meant.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Which state of a resource is meant. The store makes it, anew at each write; what its text means only the store
/// knows. Two versions can be compared for equality and for nothing else.
///
/// ```
/// use converge_controller::Version;
///
/// assert_eq!("17".parse::<Version>()?.as_str(), "17");
/// assert!("".parse::<Version>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Version(Arc<str>);

/// An empty text was given for a [`Version`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a version cannot be empty: leave it out to mean whatever version there is")]
pub struct InvalidVersion;

impl Version {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<u64> for Version {
    /// The version of a store that counts its writes.
    fn from(revision: u64) -> Self {
        Self(revision.to_string().into())
    }
}

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        if text.is_empty() { Err(InvalidVersion) } else { Ok(Self(text.into())) }
    }
}

impl TryFrom<String> for Version {
    type Error = InvalidVersion;

    fn try_from(text: String) -> Result<Self, InvalidVersion> {
        text.parse()
    }
}

impl From<Version> for String {
    fn from(version: Version) -> String {
        version.as_str().to_owned()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
