//! The `user.known_host` resource: a host key known to SSH.

mod lines;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;

pub use task::KnownHost;

use super::public_key::PublicKey;
use super::ssh_file::{self, SshFile};
use lines::{HostEdit, HostName};

/// The name of the file in the SSH directory of a user.
const FILE: &str = "known_hosts";

/// The file for all users of the machine.
const MACHINE_FILE: &str = "/etc/ssh/ssh_known_hosts";

/// Ensures that SSH knows a host by its key, or that it does not.
///
/// A line of the host with another key of the same kind is replaced, so that a changed key is known by its
/// new value only; keys of other kinds stay. If a line has further names, only the host is removed from it.
/// Hashed names are matched too. All other lines stay as they are, byte for byte.
///
/// # Guarantees
///
/// Without `user` and `file`, the file is `/etc/ssh/ssh_known_hosts`, for all users of the machine. In the
/// home directory of a user, no link is followed, because the user could redirect a write with one. The file
/// is replaced as a whole, and the edit applies to the file as it is at the moment of the apply.
///
/// # Caveats
///
/// Lines with a marker (`@cert-authority`, `@revoked`) are not changed, and a revoked key is refused.
/// Patterns (`*.example.com`) are ignored. A new line has the name in clear. Only UTF-8 text of at most 8 MiB
/// is edited.
#[derive(Debug, Preparer)]
#[preparer(name = "user.known_host", task = KnownHost, footprint, lock = "file.edit", example = "example.hcl")]
#[preparer(at_most_one = "user,file")]
pub struct KnownHostPreparer {
    /// The name or address of the host, with a port other than 22 as in `"[example.com]:2222"`.
    #[hcl(required, nonempty)]
    host: HostName,
    /// The public key of the host: one line as in `/etc/ssh/ssh_host_ed25519_key.pub`.
    #[hcl(required, nonempty)]
    key: PublicKey,
    /// The user whose `.ssh/known_hosts` is edited.
    #[hcl(nonempty, needs = "user, home")]
    user: Option<String>,
    /// Path of the file.
    #[hcl(nonempty, pattern = "^/", expects = "an absolute path", ensures = "path:content")]
    file: Option<String>,
    /// Whether the key is to be known.
    #[hcl(default)]
    state: Ensure,
}

impl KnownHostPreparer {
    fn ssh_file(&self) -> SshFile {
        match (&self.user, self.file.as_ref().filter(|file| !file.is_empty())) {
            (Some(user), _) => SshFile::User { user: user.clone(), name: FILE },
            (None, Some(path)) => SshFile::Path(path.clone()),
            (None, None) => SshFile::Path(MACHINE_FILE.to_owned()),
        }
    }
}

impl HasFootprint for KnownHostPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let Self { host, key, state, .. } = self;
        let name = format!("{host} ({}) in {}", key.kind, self.ssh_file());
        match self.ssh_file() {
            SshFile::User { user, name } => ssh_file::claim(footprint, &user, name),
            SshFile::Path(path) if self.file.is_none() => footprint.edits(&path),
            SshFile::Path(_) => {}
        }
        footprint.sets("known_host", &name, if state.is_present() { &key.blob } else { "absent" });
    }
}

impl Resource for KnownHostPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<KnownHost> {
        let file = self.ssh_file();
        let present = self.state == Ensure::Present;
        let edit = HostEdit { host: self.host.clone(), key: self.key.clone(), present };
        Ok(KnownHost { host: self.host, key: self.key, state: self.state, file, edit })
    }
}
