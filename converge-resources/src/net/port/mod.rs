//! `wait.port`: a port that something listens on.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Listening;

use crate::retry::RetryPolicy;

/// Waits until a TCP port accepts connections.
///
/// A check tries once. When nobody listens, the resource *will change*: an apply tries again, as often as `max_retry` says,
/// and fails when the port is still closed then, with how often it tried, how long that took, and why the last attempt
/// failed. Whatever is closed or does not answer counts: a host whose name is not known yet is waited for as well. An
/// attempt without any answer ends after 5 seconds.
///
/// Nothing is sent over the connection: what listens may still be getting ready. See `wait.query` for a question that only
/// a service that works can answer.
#[derive(Debug, Preparer)]
#[preparer(name = "wait.port", task = Listening, reads = "anything", changes = "named", example = "example.hcl")]
pub struct PortPreparer {
    /// The host: a name or an IP address. It is `localhost` when nothing else is given.
    #[hcl(default)]
    host: String,
    /// The port.
    #[hcl(required, min = 1, max = 65535, needs = "port")]
    port: u16,
    #[hcl(embed)]
    retry: RetryPolicy,
}

impl Resource for PortPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Listening> {
        let Self { host, port, retry } = self;
        let host = if host.is_empty() { "localhost".to_owned() } else { host };
        // As in a URL, for an IPv6 address.
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Listening { host, port, retry })
    }
}
