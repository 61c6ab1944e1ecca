//! `user.authorized_key`: a key of SSH with which somebody may log in.

mod lines;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::AuthorizedKey;

use super::public_key::PublicKey;
use super::ssh_file::SshFile;
use lines::KeyEdit;

/// Sees to it that a key of SSH is among those with which a user can log in, or that it is not.
///
/// The key is found by itself, whatever comment and options stand beside it: when these are not as declared, its line is replaced. A key
/// that is there several times stays once. All other lines stay as they are, byte for byte.
///
/// # Guarantees
///
/// The file is `.ssh/authorized_keys` in the home directory, unless `file` says otherwise. Folder and file are made where they are
/// missing, belong to the user, and nobody else can write them. No link is followed there, as the user could lead a write elsewhere with
/// one. The file is replaced as a whole, and edited as it is at the moment of the apply.
///
/// # Caveats
///
/// Only text in UTF-8 of at most 8 MiB is edited. That `sshd` looks at the file is not checked.
#[derive(Debug, Preparer)]
#[preparer(name = "user.authorized_key", task = AuthorizedKey, validate, lock = "file.edit", example = "example.hcl")]
pub struct AuthorizedKeyPreparer {
    /// Login name of the user.
    #[hcl(required, nonempty, needs = "user")]
    user: String,
    /// The public key, one line as in a file whose name ends with `.pub`, with its comment or without.
    #[hcl(required, nonempty)]
    key: PublicKey,
    /// What limits the use of the key: `"no-pty"`, `"from=\"10.0.0.0/8\""`. Without it, it has no options.
    #[hcl(default)]
    options: Vec<String>,
    /// The comment, instead of that in `key`. Without both, the one that is there stays.
    #[hcl(pattern = "^[^\\x00-\\x1f]*$", expects = "a comment: one line")]
    comment: Option<String>,
    /// Whether no other key is in the file. Comments in it stay.
    #[hcl(default)]
    exact: bool,
    /// Path of the file, where it is not in the home directory. A file that is made there belongs to root, and everybody can read it.
    #[hcl(pattern = "^(/.*)?$", expects = "an absolute path", ensures = "path:content")]
    file: Option<String>,
    /// Whether the key is to be there.
    #[hcl(default)]
    state: Ensure,
}

impl Validate for AuthorizedKeyPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let invalid = |field: &str, message: String| {
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message })])
        };
        if let Some(option) = self.options.iter().find(|option| !lines::is_option(option)) {
            let message =
                format!("{option:?} is no option of a key, such as `no-pty` or `from=\"10.0.0.0/8\"`");
            return invalid("options", message);
        }
        if self.exact && self.state == Ensure::Absent {
            return invalid("exact", "a key that is to be absent cannot be the only one".to_owned());
        }
        Ok(())
    }
}

impl Resource for AuthorizedKeyPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<AuthorizedKey> {
        let file = match self.file.filter(|file| !file.is_empty()) {
            Some(path) => SshFile::At(path),
            None => SshFile::OfUser { user: self.user.clone(), name: "authorized_keys" },
        };
        let mut key = self.key;
        if let Some(comment) = self.comment {
            comment.trim().clone_into(&mut key.comment);
        }
        let edit = KeyEdit {
            key: key.clone(),
            options: self.options.join(","),
            exact: self.exact,
            present: self.state == Ensure::Present,
        };
        Ok(AuthorizedKey { user: self.user, key, state: self.state, file, edit })
    }
}
