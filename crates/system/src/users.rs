//! Users and groups, as in the machine's own databases.

use std::path::PathBuf;

use async_trait::async_trait;

use super::SystemError;

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

/// A reader of users and groups.
///
/// Users and groups are changed with the system's own programs, through [`Processes`](super::Processes).
#[async_trait]
pub trait Users: Send + Sync {
    /// Returns the user with a name; `None` if there is none.
    async fn user_by_name(&self, name: &str) -> Result<Option<User>, SystemError>; // with `#[async_trait]` on the `impl`

    /// Returns the user with an id; `None` if there is none.
    async fn user_by_uid(&self, uid: u32) -> Result<Option<User>, SystemError>;

    /// Returns the group with a name; `None` if there is none.
    async fn group_by_name(&self, name: &str) -> Result<Option<Group>, SystemError>;

    /// Returns the group with an id; `None` if there is none.
    async fn group_by_gid(&self, gid: u32) -> Result<Option<Group>, SystemError>;

    /// Returns the local users whose primary group has this id, ordered by name.
    ///
    /// Only the machine's own user file is read: a directory service cannot list all of its users.
    async fn users_in_primary_group(&self, gid: u32) -> Result<Vec<User>, SystemError>;

    /// Returns the sorted ids of all groups of a user, including the primary one.
    ///
    /// Returns `None` if there is no such user.
    async fn groups_of(&self, name: &str) -> Result<Option<Vec<u32>>, SystemError>;

    /// Returns the users in the machine's own user file, ordered by name.
    ///
    /// A directory service cannot list all of its users.
    async fn local_users(&self) -> Result<Vec<User>, SystemError>;

    /// Returns the groups in the machine's own group file, ordered by name.
    async fn local_groups(&self) -> Result<Vec<Group>, SystemError>;
}
