//! Users and groups, as in the machine's own databases.

use std::path::PathBuf;

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct User {
    /// The login name.
    pub name: String,
    /// The user id.
    pub uid: u32,
    /// The id of the primary group.
    pub gid: u32,
    /// The full name or a comment.
    pub comment: String,
    /// The home directory.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))]
    pub home: PathBuf,
    /// The login shell.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))]
    pub shell: PathBuf,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Group {
    /// The name.
    pub name: String,
    /// The group id.
    pub gid: u32,
    /// The names of the members.
    pub members: Vec<String>,
}
