//! The heartbeat of the agent.

use std::collections::BTreeMap;
use std::time::Duration;

use converge_controller::{Id, Metadata, Name, Partition, Status, StoredResource as _, Tenancy, Typed};
use converge_core::engine::CancellationToken;
use converge_core::system::{LocalSystem, Platform, System as _};

use super::retry_delay::Pause;
use super::server_client::{Remote, RemoteError};
use crate::fleet::types::{Node, NodeReport};

/// The interval of heartbeats.
///
/// The server treats a node as silent after three missed ones.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// The description of this machine for its heartbeats.
#[derive(Debug)]
pub(super) struct Presence {
    pub(super) node: Name,
    pub(super) partition: Partition,
    pub(super) labels: Vec<(String, String)>,
}

impl Presence {
    /// Sends heartbeats until the agent stops, and retries while the server is away.
    pub(super) async fn send_heartbeats(self, remote: Remote, stop: CancellationToken) {
        let mut pause = Pause::new();
        let mut is_away = false;
        loop {
            let result = tokio::select! {
                () = stop.cancelled() => return,
                told = self.once(&remote) => told,
            };
            let goes_on = match result {
                Ok(()) => {
                    if is_away {
                        tracing::info!("the server answers again");
                    }
                    (pause, is_away) = (Pause::new(), false);
                    tokio::time::timeout(HEARTBEAT, stop.cancelled()).await.is_err()
                }
                Err(error) => {
                    if !is_away {
                        tracing::warn!(%error, "the server is unreachable: continuing with the known assignments");
                    }
                    is_away = true;
                    pause.wait(&stop).await
                }
            };
            if !goes_on {
                return;
            }
        }
    }

    async fn once(&self, remote: &Remote) -> Result<(), RemoteError> {
        let tenancy = Tenancy::Partition(self.partition.clone());
        let id = |resource_type| Id::new(resource_type, tenancy.clone(), self.name());
        let node = match remote.find::<Node>(&id(Node::resource_type().clone())).await? {
            Some(node) => node,
            None => remote.write(self.new_node(&tenancy)).await?,
        };
        let stored = remote.find::<NodeReport>(&id(NodeReport::resource_type().clone())).await?;
        let data = NodeReport { version: env!("CARGO_PKG_VERSION").to_owned(), facts: facts() };
        let report = match stored {
            Some(report) if report.data == data => report,
            Some(report) => remote.write(Typed { data, ..report }).await?,
            None => {
                remote.write(Typed::named(tenancy.clone(), self.name(), data).with_owner(node.id())).await?
            }
        };
        if let Some(generation) = report.resource.generation {
            remote.report(report.id(), NodeReport::HEARTBEAT, &Status::new(generation, [])).await?;
        }
        Ok(())
    }

    fn name(&self) -> Name {
        self.node.clone()
    }

    fn new_node(&self, tenancy: &Tenancy) -> Typed<Node> {
        let mut node = Typed::named(tenancy.clone(), self.name(), Node::default());
        let labels: &mut Metadata = node.metadata_mut();
        for (key, text) in &self.labels {
            if let Err(error) = labels.set(key, text) {
                tracing::warn!(%error, "a label is left out");
            }
        }
        node
    }
}

/// Returns the facts of the machine that do not change from minute to minute.
fn facts() -> BTreeMap<String, String> {
    let system = LocalSystem::new();
    let Platform { os, name, version, linux_distribution, .. } = system.platform();
    let facts = [
        ("architecture", std::env::consts::ARCH),
        ("os", os.as_str()),
        ("distribution", linux_distribution.as_str()),
        ("name", name.as_str()),
        ("version", version.as_str()),
    ];
    let pairs = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    pairs.map(|(name, fact)| (name.to_owned(), fact.to_owned())).collect()
}
