//! The users and groups of the model.

use async_trait::async_trait;

use super::ModelSystem;
use crate::system::{Group, SystemError, User, Users};

#[async_trait]
impl Users for ModelSystem {
    async fn user_by_name(&self, name: &str) -> Result<Option<User>, SystemError> {
        self.state.turn().await;
        Ok(self.lock().machine.user(name).cloned())
    }

    async fn user_by_uid(&self, uid: u32) -> Result<Option<User>, SystemError> {
        self.state.turn().await;
        Ok(self.lock().machine.users.values().find(|user| user.uid == uid).cloned())
    }

    async fn group_by_name(&self, name: &str) -> Result<Option<Group>, SystemError> {
        self.state.turn().await;
        Ok(self.lock().machine.group(name).cloned())
    }

    async fn group_by_gid(&self, gid: u32) -> Result<Option<Group>, SystemError> {
        self.state.turn().await;
        Ok(self.lock().machine.groups.values().find(|group| group.gid == gid).cloned())
    }

    async fn users_in_primary_group(&self, gid: u32) -> Result<Vec<User>, SystemError> {
        self.state.turn().await;
        Ok(self.lock().machine.users.values().filter(|user| user.gid == gid).cloned().collect())
    }
}
