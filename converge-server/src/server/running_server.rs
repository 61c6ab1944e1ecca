//! A server that runs.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use converge_controller::authorize::Policy;
use converge_controller::service::Client;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::access::Gate;
use crate::listeners::{Current, Tls};
use crate::metrics::Metrics;
use crate::secret_seal::{Seal, SecretKeys};

/// A server that runs. It goes on when this is dropped, until its runtime ends; [`stop`](Self::stop) ends it in order.
pub struct Running {
    pub(super) http: SocketAddr,
    pub(super) grpc: Option<SocketAddr>,
    pub(super) client: Client,
    pub(super) gate: Gate,
    pub(super) seal: Seal,
    pub(super) tls: Option<Current>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) controllers: JoinHandle<()>,
    /// Counts the fleet.
    pub(super) census: JoinHandle<()>,
    pub(super) doors: JoinHandle<()>,
    /// Controllers are to finish.
    pub(super) stopping: CancellationToken,
    /// The doors are to close.
    pub(super) closing: CancellationToken,
}

impl Running {
    /// Where HTTP is spoken.
    pub fn http(&self) -> SocketAddr {
        self.http
    }

    /// Where gRPC is spoken, if it is.
    pub fn grpc(&self) -> Option<SocketAddr> {
        self.grpc
    }

    /// Asks the service, in the name of the program itself.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// What can be measured of it.
    #[cfg(test)]
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Whether it speaks TLS.
    pub fn has_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// Takes another certificate for the connections that are made from now on; those that there are go on. A server that speaks no TLS goes on
    /// so.
    pub fn replace_tls(&self, tls: Tls) {
        if let Some(current) = &self.tls {
            self.metrics.certificate_ends(tls.end());
            current.replace(tls);
        }
    }

    /// Takes another policy in place of the one that the server was made with. One that asks nobody who they are goes on so.
    pub fn replace_policy(&self, policy: Policy) {
        self.gate.replace_policy(policy);
    }

    /// Takes other keys for secrets in place of those that there are. What none of them opens stays as it is, and is given to nobody.
    pub fn replace_secrets(&self, keys: SecretKeys) {
        self.seal.replace(keys);
    }

    /// Ends it: what controllers have begun is finished, then what was asked is answered, and then the store is closed. It
    /// answers that it is not ready meanwhile.
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

async fn report(what: &str, task: JoinHandle<()>) {
    if let Err(error) = task.await {
        tracing::error!(%error, "{what} ended before they were told to");
    }
}
