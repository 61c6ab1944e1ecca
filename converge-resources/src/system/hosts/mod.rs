//! `system.hosts`: the address of a name.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::path::PathBuf;

use converge_core::footprint::Footprint;
use converge_core::prelude::*;

pub use task::Hosts;

use crate::system::host_name::HostName;
use edit::HostEntry;

/// Sees to it that a name has an address in `/etc/hosts`, or none.
///
/// The line is found again by the name that comes first behind the address. A name may have one line with an address of IPv4 and one with an
/// address of IPv6, each a resource.
///
/// # Guarantees
///
/// All other lines stay as they are, byte for byte, and so does a comment behind the names. The file is replaced as a whole, but where it is a mount
/// by itself, as in a container: there it is written in place.
///
/// # Caveats
///
/// A name that is an alias in another line has two addresses then, of which the first counts.
#[derive(Debug, Preparer)]
#[preparer(name = "system.hosts", task = Hosts, footprint, lock = "file.edit", example = "example.hcl")]
pub struct HostsPreparer {
    /// The name.
    #[hcl(required, nonempty)]
    name: HostName,
    /// The address. With `state = "absent"` only the line with this address goes, and without it those of all addresses.
    #[hcl(required_if = "state=present")]
    ip: Option<IpAddr>,
    /// Further names for the address, in their order; those that are there and are not said go.
    #[hcl(default)]
    aliases: Vec<HostName>,
    /// Path of the file.
    #[hcl(default = "/etc/hosts", nonempty, pattern = "^/", expects = "an absolute path", touches = "path")]
    file: String,
    /// Whether the line is to be there.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl HasFootprint for HostsPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let family = match self.ip {
            Some(IpAddr::V4(_)) => "IPv4",
            Some(IpAddr::V6(_)) => "IPv6",
            None => "any",
        };
        footprint.manages("host", &format!("{} ({family}) in {}", self.name, self.file));
    }
}

impl Resource for HostsPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Hosts> {
        let Self { name, ip, aliases, file, state } = self;
        let path = PathBuf::from(&file);
        let entry =
            HostEntry { name: name.clone(), ip, aliases: aliases.clone(), is_wanted: state.is_present() };
        let ip = ip.map(|ip| ip.to_string());
        Ok(Hosts { name, ip, aliases, file, state, entry, path, steps: Vec::new() })
    }
}
