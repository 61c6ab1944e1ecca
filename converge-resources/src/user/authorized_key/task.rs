use converge_core::prelude::*;

use super::lines::KeyEdit;
use crate::user::public_key::PublicKey;
use crate::user::ssh_file::{Found, SshFile};

/// One key of a user.
#[derive(Debug, Export)]
pub struct AuthorizedKey {
    /// Login name of the user.
    #[export]
    pub(super) user: String,
    /// The public key, with its comment.
    #[export]
    pub(super) key: PublicKey,
    /// Whether the key is to be there: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) file: SshFile,
    pub(super) edit: KeyEdit,
}

impl Task for AuthorizedKey {
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
        let edited = self.edit.edit(&text);
        if edited.text == text {
            return Ok(status);
        }
        status.add_difference("key", edited.before.join("\n"), edited.after.unwrap_or_default());
        if !edited.others.is_empty() {
            status.add_difference("other_keys", edited.others.join(", "), "");
        }
        status.raise_level(StatusLevel::WillChange);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        // As it is now: what somebody else has changed in it since the check is kept.
        let text = match self.file.read(cx).await? {
            Found::Text(text) => text,
            Found::NoPlace(why) => return Err(Error::msg(why)),
        };
        let edited = self.edit.edit(&text).text;
        if edited != text {
            self.file.write(cx, &edited).await?;
        }
        Ok(Status::new())
    }
}
