//! A running server.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use converge_controller::authorize::Policy;
use converge_controller::service::Client;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::access::Authenticator;
use crate::listeners::{Current, Tls};
use crate::metrics::Metrics;
use crate::secret_seal::{Seal, SecretKeys};

/// A running server.
///
/// If dropped, it continues until its runtime ends; [`stop`](Self::stop) shuts it down gracefully.
pub struct Running {
    pub(super) http: SocketAddr,
    pub(super) grpc: Option<SocketAddr>,
    pub(super) client: Client,
    pub(super) gate: Authenticator,
    pub(super) seal: Seal,
    pub(super) tls: Option<Current>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) controllers: JoinHandle<()>,
    /// The task that counts the fleet.
    pub(super) census: JoinHandle<()>,
    pub(super) doors: JoinHandle<()>,
    /// Cancelled to stop the controllers.
    pub(super) stopping: CancellationToken,
    /// Cancelled to close the listeners.
    pub(super) closing: CancellationToken,
}

impl Running {
    /// Returns the address of HTTP.
    pub fn http(&self) -> SocketAddr {
        self.http
    }

    /// Returns the address of gRPC, if the server has it.
    pub fn grpc(&self) -> Option<SocketAddr> {
        self.grpc
    }

    /// Returns a client that acts for the program itself.
    pub fn client(&self) -> &Client {
        &self.client
    }

    #[cfg(test)]
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Whether the server uses TLS.
    pub fn has_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// Replaces the certificate for new connections.
    ///
    /// Existing connections are not affected. A server without TLS stays without it.
    pub fn replace_tls(&self, tls: Tls) {
        if let Some(current) = &self.tls {
            self.metrics.set_certificate_expiry(tls.end());
            current.replace(tls);
        }
    }

    /// Replaces the policy.
    ///
    /// A server without authentication stays without it.
    pub fn replace_policy(&self, policy: Policy) {
        self.gate.replace_policy(policy);
    }

    /// Replaces the keys for secrets.
    ///
    /// Secrets that none of them decrypts stay stored, but are given to no one.
    pub fn replace_secrets(&self, keys: SecretKeys) {
        self.seal.replace(keys);
    }

    /// Stops the server gracefully.
    ///
    /// It finishes running reconciles, then pending requests, and then closes the store. In the meantime the
    /// server reports that it is not ready.
    pub async fn stop(self) {
        let Self { client, gate, controllers, census, doors, stopping, closing, .. } = self;
        stopping.cancel();
        report("the controllers", controllers).await;
        report("what counts the fleet", census).await;
        closing.cancel();
        report("the doors", doors).await;
        gate.finish().await;
        drop((client, gate));
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("http", &self.http).field("grpc", &self.grpc).finish_non_exhaustive()
    }
}

async fn report(name: &str, task: JoinHandle<()>) {
    if let Err(error) = task.await {
        tracing::error!(%error, "{name} ended unexpectedly");
    }
}
