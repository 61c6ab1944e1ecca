//! `user.known_host`: the key by which SSH knows another machine.

mod lines;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::KnownHost;

use super::public_key::PublicKey;
use super::ssh_file::SshFile;
use lines::{HostEdit, HostName};

/// Sees to it that SSH knows a machine by its key, or that it does not.
///
/// A line of the host with another key of the same kind is replaced, so a key that was changed is known by the new one only; keys of other
/// kinds stay. Where other names stand beside the host on a line, only the host is taken out of it. Hashed names are found too.
/// All other lines stay as they are, byte for byte.
///
/// # Guarantees
///
/// Without `user` and `file`, it is `/etc/ssh/ssh_known_hosts`, for all users of the machine. In the home directory of a user no link is
/// followed, as the user could lead a write elsewhere with one. The file is replaced as a whole, and edited as it is at the moment of the apply.
///
/// # Caveats
///
/// Lines with a marker (`@cert-authority`, `@revoked`) are not touched, and a key that is revoked is refused. Patterns (`*.example.com`) are
/// not looked at. A new line has the name in clear. Only text in UTF-8 of at most 8 MiB is edited.
#[derive(Debug, Preparer)]
#[preparer(name = "user.known_host", task = KnownHost, validate, lock = "file.edit", example = "example.hcl")]
pub struct KnownHostPreparer {
    /// The name or address of the machine, with a port other than 22 as in `"[example.com]:2222"`.
    #[hcl(required, nonempty)]
    host: HostName,
    /// The public key of the machine, one line as in `/etc/ssh/ssh_host_ed25519_key.pub`.
    #[hcl(required, nonempty)]
    key: PublicKey,
    /// The user whose `.ssh/known_hosts` it is.
    #[hcl(mutually_exclusive = "user,file", needs = "user")]
    user: Option<String>,
    /// Path of the file.
    #[hcl(
        mutually_exclusive = "user,file",
        pattern = "^(/.*)?$",
        expects = "an absolute path",
        ensures = "path:content"
    )]
    file: Option<String>,
    /// Whether the key is to be known.
    #[hcl(default)]
    state: Ensure,
}

impl Validate for KnownHostPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        if self.user.as_deref() == Some("") {
            let message = "a user without a name: leave `user` out for the file of the machine".to_owned();
            return Err(vec![FieldError::new("user", FieldErrorKind::Invalid { message })]);
        }
        Ok(())
    }
}

impl Resource for KnownHostPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<KnownHost> {
        let file = match (self.user, self.file.filter(|file| !file.is_empty())) {
            (Some(user), _) => SshFile::OfUser { user, name: "known_hosts" },
            (None, Some(path)) => SshFile::At(path),
            (None, None) => SshFile::At("/etc/ssh/ssh_known_hosts".to_owned()),
        };
        let present = self.state == Ensure::Present;
        let edit = HostEdit { host: self.host.clone(), key: self.key.clone(), present };
        Ok(KnownHost { host: self.host, key: self.key, state: self.state, file, edit })
    }
}
