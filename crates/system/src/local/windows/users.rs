//! A stub for users on Windows, where users have no numeric ids.

use async_trait::async_trait;

use super::super::LocalSystem;
use crate::{Group, SystemError, SystemErrorKind, User, Users};

fn refused<T>(operation: &'static str, asked: impl ToString) -> Result<T, SystemError> {
    let kind = SystemErrorKind::unsupported("to ask for users and groups");
    Err(SystemError::other(operation, asked.to_string(), kind))
}

#[async_trait]
impl Users for LocalSystem {
    async fn user_by_name(&self, name: &str) -> Result<Option<User>, SystemError> {
        refused("look up the user", name)
    }

    async fn user_by_uid(&self, uid: u32) -> Result<Option<User>, SystemError> {
        refused("look up the user", uid)
    }

    async fn group_by_name(&self, name: &str) -> Result<Option<Group>, SystemError> {
        refused("look up the group", name)
    }

    async fn group_by_gid(&self, gid: u32) -> Result<Option<Group>, SystemError> {
        refused("look up the group", gid)
    }

    async fn users_in_primary_group(&self, gid: u32) -> Result<Vec<User>, SystemError> {
        refused("look up the users of the group", gid)
    }

    async fn groups_of(&self, name: &str) -> Result<Option<Vec<u32>>, SystemError> {
        refused("look up the groups of", name)
    }

    async fn local_users(&self) -> Result<Vec<User>, SystemError> {
        refused("list", "users")
    }

    async fn local_groups(&self) -> Result<Vec<Group>, SystemError> {
        refused("list", "groups")
    }
}
