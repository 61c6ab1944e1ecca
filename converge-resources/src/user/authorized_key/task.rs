use converge_sdk::prelude::*;

use super::lines::{KEY, KeyEdit, claim_prefix};
use crate::user::public_key::PublicKey;
use crate::user::ssh_file::SshFile;

/// The task of a `user.authorized_key` resource.
#[derive(Debug, Export)]
pub struct AuthorizedKey {
    /// The login name of the user.
    #[export]
    pub(super) user: String,
    /// The public key, with its comment.
    #[export]
    pub(super) key: PublicKey,
    /// Whether the key is to be present: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) file: SshFile,
    pub(super) edit: KeyEdit,
}

impl Task for AuthorizedKey {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let prefix = claim_prefix(&self.file);
        let declared = cx.declared().names(KEY, &prefix);
        self.edit.declared =
            declared.filter_map(|name| name.strip_prefix(&prefix)).map(str::to_owned).collect();
        let edited = match self.file.differs(cx, &self.edit, self.state).await? {
            Ok(edited) => edited,
            Err(status) => return Ok(status),
        };
        let mut status = Status::new();
        status.add_difference("key", edited.before.join("\n"), edited.after.unwrap_or_default());
        if !edited.others.is_empty() {
            status.add_difference("other_keys", edited.others.join(", "), "");
        }
        status.raise_level(StatusLevel::WillChange);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.file.edit(cx, &self.edit).await
    }
}
