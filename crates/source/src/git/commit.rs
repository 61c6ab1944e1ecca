//! The hash of a git commit.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use converge_value::debug_as_text;

/// The full hash of a commit: 40 hexadecimal digits, or 64 in a SHA-256 repository.
///
/// ```
/// use converge_core::load::Commit;
///
/// let commit: Commit = "9FCEB02D0AE598E95DC970B74767F19372D61AF8".parse()?;
/// assert_eq!(commit.to_string(), "9fceb02d0ae598e95dc970b74767f19372d61af8");
/// assert!("9fceb02".parse::<Commit>().is_err());
/// # Ok::<(), converge_core::load::NoCommit>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Commit(String);

/// The error of a text that is not the hash of a commit.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a commit: its whole hash has 40 hexadecimal digits, or 64")]
pub struct NoCommit(String);

debug_as_text!(NoCommit);

impl Commit {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Commit {
    type Err = NoCommit;

    fn from_str(text: &str) -> Result<Self, NoCommit> {
        let is_hash = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash { Ok(Self(text.to_ascii_lowercase())) } else { Err(NoCommit(text.to_owned())) }
    }
}

impl TryFrom<String> for Commit {
    type Error = NoCommit;

    fn try_from(text: String) -> Result<Self, NoCommit> {
        text.parse()
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
