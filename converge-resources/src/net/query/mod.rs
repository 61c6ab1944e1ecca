//! The `net.query` resource: the listeners of a port of the machine.

mod sockets;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::PortQuery;

use sockets::Protocol;

/// Returns whether a program of the machine listens on a port. It never has changes.
///
/// Other resources look up the results: `net.query.web.listening`, `net.query.web.addresses`. A port without
/// a listener is no error. Nothing is sent: the resource reads the tables of the kernel, so it also finds
/// ports that a firewall blocks. To wait for a port, or to reach one of another machine, use `wait.port`.
///
/// # Caveats
///
/// The resource works only on Linux, and sees only the network namespace of this process. A UDP socket counts
/// as listening if it is bound to the port and to no peer.
#[derive(Debug, Preparer)]
#[preparer(name = "net.query", task = PortQuery, reads = "named", changes = "named", example = "example.hcl")]
pub struct PortQueryPreparer {
    /// The port.
    #[hcl(required, min = 1, max = 65535, needs = "port")]
    port: u16,
    /// The protocol.
    #[hcl(default)]
    protocol: Protocol,
}

impl Resource for PortQueryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<PortQuery> {
        let Self { port, protocol } = self;
        Ok(PortQuery { port, protocol, listening: false, addresses: Vec::new(), user: None })
    }
}
