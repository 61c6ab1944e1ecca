//! Users and groups, as the machine's own databases know them.

use std::path::PathBuf;

use async_trait::async_trait;

use super::SystemError;

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct User {
    /// Login name.
    pub name: String,
    /// User id.
    pub uid: u32,
    /// Id of the primary group.
    pub gid: u32,
    /// Full name or comment.
    pub comment: String,
    /// Home directory.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))]
    pub home: PathBuf,
    /// Login shell.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))]
    pub shell: PathBuf,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Group {
    /// Name.
    pub name: String,
    /// Group id.
    pub gid: u32,
    /// Names of its members.
    pub members: Vec<String>,
}

/// Reads users and groups. They are changed with the system's own commands, through
/// [`Processes`](super::Processes).
#[async_trait]
pub trait Users: Send + Sync {
    /// The user of a name; `None` when there is none.
    async fn user_by_name(&self, name: &str) -> Result<Option<User>, SystemError>; // with `#[async_trait]` on the `impl`

    /// The user of an id; `None` when there is none.
    async fn user_by_uid(&self, uid: u32) -> Result<Option<User>, SystemError>;

    /// The group of a name; `None` when there is none.
    async fn group_by_name(&self, name: &str) -> Result<Option<Group>, SystemError>;

    /// The group of an id; `None` when there is none.
    async fn group_by_gid(&self, gid: u32) -> Result<Option<Group>, SystemError>;

    /// The users whose primary group has this id, by name. Only those in the machine's own file of users: a
    /// directory on the network cannot be asked for all of its users.
    async fn users_in_primary_group(&self, gid: u32) -> Result<Vec<User>, SystemError>;

    /// The ids of all groups that a user is in, the primary one among them, sorted; `None` when there is no such user.
    async fn groups_of(&self, name: &str) -> Result<Option<Vec<u32>>, SystemError>;

    /// The users in the machine's own file of users, by name. A directory on the network cannot be asked for all of its users.
    async fn local_users(&self) -> Result<Vec<User>, SystemError>;

    /// The groups in the machine's own file of groups, by name.
    async fn local_groups(&self) -> Result<Vec<Group>, SystemError>;
}
