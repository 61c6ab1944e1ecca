//! The users and groups of the model host.

use async_trait::async_trait;

use super::ModelSystem;
use super::fault::unreadable;
use crate::{Group, SystemError, User, Users};

#[async_trait]
impl Users for ModelSystem {
    async fn user_by_name(&self, name: &str) -> Result<Option<User>, SystemError> {
        self.state.turn().await;
        self.read("look up the user", || name.to_owned())?;
        Ok(self.lock().machine.user(name).cloned())
    }

    async fn user_by_uid(&self, uid: u32) -> Result<Option<User>, SystemError> {
        self.state.turn().await;
        self.read("look up the user", || uid.to_string())?;
        Ok(self.lock().machine.users.values().find(|user| user.uid == uid).cloned())
    }

    async fn group_by_name(&self, name: &str) -> Result<Option<Group>, SystemError> {
        self.state.turn().await;
        self.read("look up the group", || name.to_owned())?;
        Ok(self.lock().machine.group(name).cloned())
    }

    async fn group_by_gid(&self, gid: u32) -> Result<Option<Group>, SystemError> {
        self.state.turn().await;
        self.read("look up the group", || gid.to_string())?;
        Ok(self.lock().machine.groups.values().find(|group| group.gid == gid).cloned())
    }

    async fn users_in_primary_group(&self, gid: u32) -> Result<Vec<User>, SystemError> {
        self.state.turn().await;
        self.read("list the users of", || gid.to_string())?;
        Ok(self.lock().machine.users.values().filter(|user| user.gid == gid).cloned().collect())
    }

    async fn groups_of(&self, name: &str) -> Result<Option<Vec<u32>>, SystemError> {
        self.state.turn().await;
        self.read("look up the groups of", || name.to_owned())?;
        let machine = &self.lock().machine;
        let Some(user) = machine.user(name) else { return Ok(None) };
        let of_user =
            |group: &&Group| group.gid == user.gid || group.members.iter().any(|member| member == name);
        let mut groups: Vec<u32> = machine.groups.values().filter(of_user).map(|group| group.gid).collect();
        groups.push(user.gid);
        groups.sort_unstable();
        groups.dedup();
        Ok(Some(groups))
    }

    async fn local_users(&self) -> Result<Vec<User>, SystemError> {
        self.state.turn().await;
        self.read("list", || "the users".to_owned())?;
        Ok(self.lock().machine.users.values().cloned().collect())
    }

    async fn local_groups(&self) -> Result<Vec<Group>, SystemError> {
        self.state.turn().await;
        self.read("list", || "the groups".to_owned())?;
        Ok(self.lock().machine.groups.values().cloned().collect())
    }
}

impl ModelSystem {
    /// Counts a read of something other than a file.
    fn read(&self, operation: &'static str, subject: impl FnOnce() -> String) -> Result<(), SystemError> {
        if self.lock().faults.read_fails() {
            return Err(SystemError::other(operation, subject(), unreadable()));
        }
        Ok(())
    }
}
