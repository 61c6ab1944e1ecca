//! Versions of the states of a resource.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::debug_as_text;

/// The version of a state of a resource.
///
/// The store creates a new version at each write, and only the store knows the meaning of its text. Versions
/// can only be compared for equality.
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

/// The error of an empty text given for a [`Version`].
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a version cannot be empty: leave it out to mean whatever version there is")]
pub struct InvalidVersion;

debug_as_text!(InvalidVersion);

impl Version {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<u64> for Version {
    /// Creates the version of a store that counts its writes.
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
