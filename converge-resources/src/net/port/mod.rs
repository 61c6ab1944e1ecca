//! The `wait.port` resource: a port that accepts connections.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::Listening;

use crate::retry::RetryPolicy;

/// Waits until a TCP port accepts connections.
///
/// A check tries once. If the port is closed, the resource *will change*. An apply tries again, up to
/// `max_retry` times, and fails if the port is still closed then. The error says how often it tried, how long
/// that took, and why the last attempt failed. Any closed or unanswered attempt is retried, even if the name
/// of the host is not known yet. An attempt without any answer ends after 5 seconds.
///
/// Nothing is sent over the connection, so the service may still be starting. `wait.query` can ask a question
/// that only a working service answers.
#[derive(Debug, Preparer)]
#[preparer(name = "wait.port", task = Listening, reads = "anything", changes = "named", example = "example.hcl")]
pub struct PortPreparer {
    /// The host: a name or an IP address. The default is `localhost`.
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
        // Brackets around an IPv6 address are accepted, as in a URL.
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Listening { host, port, retry })
    }
}
