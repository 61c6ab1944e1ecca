//! The `user.authorized_key` resource: an SSH key for logins.

mod lines;
mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::AuthorizedKey;

use super::public_key::PublicKey;
use super::ssh_file::{self, SshFile};
use lines::KeyEdit;

/// The name of the file in the SSH directory of a user.
const FILE: &str = "authorized_keys";

/// Ensures that a user can log in with an SSH key, or that the user cannot.
///
/// The key is identified by itself, whatever its comment and options are: if these differ from the
/// declaration, the line is replaced. A duplicate key is reduced to one line. All other lines stay as they
/// are, byte for byte.
///
/// # Guarantees
///
/// The file is `.ssh/authorized_keys` in the home directory, unless `file` says otherwise. A missing
/// directory or file is created. Both belong to the user, and nobody else can write them. No link in the path
/// is followed, because the user could redirect a write with one. The file is replaced as a whole, and the
/// edit applies to the file as it is at the moment of the apply.
///
/// # Caveats
///
/// Only UTF-8 text of at most 8 MiB is edited. The resource does not check that `sshd` uses the file.
#[derive(Debug, Preparer)]
#[preparer(name = "user.authorized_key", task = AuthorizedKey, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct AuthorizedKeyPreparer {
    /// Login name of the user.
    #[hcl(required, nonempty, needs = "user, home")]
    user: String,
    /// The public key: one line as in a file with the suffix `.pub`, with or without its comment.
    #[hcl(required, nonempty)]
    key: PublicKey,
    /// Options that restrict the use of the key: `"no-pty"`, `"from=\"10.0.0.0/8\""`.
    ///
    /// The default is no options.
    #[hcl(default)]
    options: Vec<String>,
    /// The comment, instead of that in `key`. Without both, the present one stays.
    #[hcl(pattern = "^[^\\x00-\\x1f]*$", expects = "a comment: one line")]
    comment: Option<String>,
    /// Whether all other keys are removed. Comments in the file stay.
    #[hcl(default)]
    exact: bool,
    /// Path of the file, if it is not in the home directory.
    ///
    /// A new file there belongs to root, and everybody can read it.
    #[hcl(nonempty, pattern = "^/", expects = "an absolute path", ensures = "path:content")]
    file: Option<String>,
    /// Whether the key is to be present.
    #[hcl(default)]
    state: Ensure,
}

impl AuthorizedKeyPreparer {
    fn ssh_file(&self) -> SshFile {
        match self.file.as_ref().filter(|file| !file.is_empty()) {
            Some(path) => SshFile::Path(path.clone()),
            None => SshFile::User { user: self.user.clone(), name: FILE },
        }
    }
}

impl HasFootprint for AuthorizedKeyPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.covers |= self.exact;
        let Self { key, options, comment, state, .. } = self;
        let line = format!("{} {}", options.join(","), comment.as_deref().unwrap_or(&key.comment));
        let name = lines::claim_prefix(&self.ssh_file()) + &lines::claim_name(key);
        if let SshFile::User { user, name } = self.ssh_file() {
            ssh_file::claim(footprint, &user, name);
        }
        footprint.sets(lines::KEY, &name, if state.is_present() { &line } else { "absent" });
    }
}

impl Validate for AuthorizedKeyPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let invalid = |field: &str, message: String| {
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message })])
        };
        if let Some(option) = self.options.iter().find(|option| !lines::is_option(option)) {
            let message =
                format!("{option:?} is not an option of a key, such as `no-pty` or `from=\"10.0.0.0/8\"`");
            return invalid("options", message);
        }
        if self.exact && self.state == Ensure::Absent {
            return invalid("exact", "an absent key cannot be the only one".to_owned());
        }
        Ok(())
    }
}

impl Resource for AuthorizedKeyPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<AuthorizedKey> {
        let file = self.ssh_file();
        let mut key = self.key;
        if let Some(comment) = self.comment {
            comment.trim().clone_into(&mut key.comment);
        }
        let edit = KeyEdit {
            key: key.clone(),
            options: self.options.join(","),
            exact: self.exact,
            present: self.state == Ensure::Present,
            declared: BTreeSet::new(),
        };
        Ok(AuthorizedKey { user: self.user, key, state: self.state, file, edit })
    }
}
