//! The `system.hosts` resource: the address of a name.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::path::PathBuf;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;

pub use task::Hosts;

use crate::system::host_name::HostName;
use edit::HostEntry;

/// Ensures that a name has an address in `/etc/hosts`, or that it has none.
///
/// The line is identified by the first name after the address. A name may have one line with an IPv4 address
/// and one with an IPv6 address, each a resource.
///
/// # Guarantees
///
/// All other lines stay as they are, byte for byte, and so does a comment after the names. The file is
/// replaced as a whole, unless it is a mount by itself, as in a container: there it is overwritten in place.
///
/// # Caveats
///
/// A name that is also an alias in another line has two addresses, of which the first counts.
#[derive(Debug, Preparer)]
#[preparer(name = "system.hosts", task = Hosts, footprint, lock = "file.edit", example = "example.hcl")]
pub struct HostsPreparer {
    /// The host name.
    #[hcl(required, nonempty)]
    name: HostName,
    /// The address.
    ///
    /// With `state = "absent"`, only the line with this address is removed, or without it all lines of the
    /// name.
    #[hcl(required_if = "state=present")]
    ip: Option<IpAddr>,
    /// Further names for the address, in order; present names that are not declared are removed.
    #[hcl(default)]
    aliases: Vec<HostName>,
    /// Path of the file.
    #[hcl(
        default = "/etc/hosts",
        nonempty,
        pattern = "^/",
        expects = "an absolute path",
        ensures = "path:content"
    )]
    file: String,
    /// Whether the line is to be present.
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
        let names = self.aliases.iter().map(HostName::as_str).collect::<Vec<_>>().join(" ");
        let line = self.ip.filter(|_| self.state.is_present()).map(|ip| format!("{ip} {names}"));
        let name = format!("{} ({family}) in {}", self.name, self.file);
        footprint.sets("host", &name, line.as_deref().unwrap_or("absent"));
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
