use converge_sdk::prelude::*;

use super::lines::{HostEdit, HostName};
use crate::user::public_key::PublicKey;
use crate::user::ssh_file::SshFile;

/// The task of a `user.known_host` resource.
#[derive(Debug, Export)]
pub struct KnownHost {
    /// The name or address of the host.
    #[export]
    pub(super) host: HostName,
    /// The public key, with its comment.
    #[export]
    pub(super) key: PublicKey,
    /// Whether the key is to be known: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) file: SshFile,
    pub(super) edit: HostEdit,
}

impl Task for KnownHost {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let edited = match self.file.differs(cx, &self.edit, self.state).await? {
            Ok(edited) => edited,
            Err(status) => return Ok(status),
        };
        let mut status = Status::new();
        let PublicKey { kind, blob, .. } = &self.key;
        let after = if self.edit.present { format!("{kind} {blob}") } else { String::new() };
        status.add_difference(self.host.to_string(), edited.before.join("\n"), after);
        status.raise_level(StatusLevel::WillChange);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.file.edit(cx, &self.edit).await
    }
}
