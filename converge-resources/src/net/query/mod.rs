//! `net.query`: who listens on a port of the machine.

mod sockets;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::PortQuery;

use sockets::Protocol;

/// Says whether a program of the machine listens on a port. It never has changes.
///
/// What it finds is looked up by others: `net.query.web.listening`, `net.query.web.addresses`. That nobody listens is no error. Nothing is
/// sent: the tables of the kernel are read, so also a port is seen that a firewall closes. `wait.port` waits for a port instead, and
/// reaches those of other machines.
///
/// # Caveats
///
/// Only on Linux, and only what the network namespace of this process sees. A UDP socket counts as listening when it is bound to the
/// port and to no peer.
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
