use converge_core::prelude::*;

use super::lines::{HostEdit, HostName};
use crate::user::public_key::PublicKey;
use crate::user::ssh_file::{Found, SshFile};

/// One key of a machine.
#[derive(Debug, Export)]
pub struct KnownHost {
    /// The name or address of the machine.
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
        let found = self.file.read(cx).await?;
        if let (Found::NoPlace(_), Ensure::Absent, true) = (&found, self.state, cx.pending().is_empty()) {
            return Ok(Status::new());
        }
        let text = match found.text(cx)? {
            Ok(text) => text,
            Err(status) => return Ok(status),
        };
        let mut status = Status::new();
        let edited = self.edit.edit(&text).map_err(Error::msg)?;
        if edited.text == text {
            return Ok(status);
        }
        let PublicKey { kind, blob, .. } = &self.key;
        let after = if self.edit.present { format!("{kind} {blob}") } else { String::new() };
        status.add_difference(self.host.to_string(), edited.before.join("\n"), after);
        status.raise_level(StatusLevel::WillChange);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        // As it is now: what somebody else has changed in it since the check is kept.
        let text = match self.file.read(cx).await? {
            Found::Text(text) => text,
            Found::NoPlace(why) => return Err(Error::msg(why)),
        };
        let edited = self.edit.edit(&text).map_err(Error::msg)?.text;
        if edited != text {
            self.file.write(cx, &edited).await?;
        }
        Ok(Status::new())
    }
}
