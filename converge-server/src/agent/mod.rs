//! The agent, which brings this machine to its assigned modules and keeps it there.
//!
//! One task sends heartbeats (`heartbeat`), one watches the assignments (`assignment_watch`), and one applies
//! them (`worker`). Files (`agent_state`) hold the assignments, the runs (`run_history`) and the drift (`plans`).
//! While the server is away, or after a restart, the agent continues with this state and reports later.

mod agent_state;
mod assignment_state;
mod assignment_watch;
mod drift;
mod enrollment;
mod file_watch;
mod heartbeat;
mod known_module;
mod machine;
mod outcome;
mod plans;
mod retry_delay;
mod run_history;
mod secrets;
mod server_client;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;

use converge_client::{Client, ClientError, Credentials, ServerUrl};
use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::{Name, Partition};
use converge_core::engine::{CancellationToken, Engine};
use converge_core::state::{Locks, State, StateError};
use converge_core::system::LocalSystem;

use crate::fleet;
use crate::json::Codec;
use agent_state::{Keep, KeepError};
use enrollment::{JoinError, Joiner};
use machine::Machine;
use server_client::Remote;

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The servers, which share one store.
    pub servers: Vec<ServerUrl>,
    /// The credentials of the agent and the authorities that it trusts.
    pub credentials: Credentials,
    /// The file with the join token of an agent that authenticates with a certificate.
    pub join: Option<PathBuf>,
    /// The name of this machine's node.
    pub node: Name,
    /// The labels of the node if it does not exist yet.
    pub labels: Vec<(String, String)>,
    /// The state folder of runs.
    ///
    /// The agent shares it with `converge apply`, so that two runs never overlap.
    pub state: PathBuf,
}

/// A reason why an agent cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentError {
    #[error(transparent)]
    Server(#[from] ClientError),
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error(transparent)]
    Join(#[from] JoinError),
    #[error("this machine has not joined, and the file of the join token does not exist")]
    NotJoined,
    #[error(transparent)]
    State(#[from] StateError),
    #[error("the types cannot be registered: {0}")]
    Types(#[from] RegistryError),
    #[error("the types cannot be described: {0}")]
    Describe(Box<dyn std::error::Error + Send + Sync>),
    #[error("the resources cannot be registered: {0}")]
    Resources(converge_core::RegistryError),
}

/// Runs the agent until it is told to stop; then it cancels the current run and saves its state.
///
/// `begun` is called once the agent holds the lock of its state folder. The agent may wait for its server
/// after that.
pub(crate) async fn run(
    settings: Settings,
    stop: CancellationToken,
    begun: impl FnOnce(),
) -> Result<(), AgentError> {
    let Settings { servers, mut credentials, join, node, labels, state } = settings;
    let mut types = TypeRegistry::new();
    fleet::register_types(&mut types)?;
    let store = Arc::new(Keep::open(&state)?);
    begun();
    let identity = if credentials.token.is_some() && join.is_none() {
        None
    } else {
        let (servers, credentials) = (&servers, &credentials);
        let joiner = Joiner { servers, credentials, node: &node, labels: &labels, keep: &store };
        match joiner.identity(join.as_deref(), &stop).await {
            Err(JoinError::Stopped) => return Ok(()),
            Ok(None) if join.is_some() => return Err(AgentError::NotJoined),
            identity => identity?,
        }
    };
    if let Some(identity) = &identity {
        credentials.token = None;
        credentials.certificate = Some(identity.certificate()?);
    }
    let client = Client::new(servers, &credentials)?;
    let renewing = identity.map(|identity| {
        tokio::spawn(enrollment::renew(
            identity,
            client.clone(),
            credentials,
            Arc::clone(&store),
            stop.clone(),
        ))
    });
    let remote = Remote::new(client, Codec::new(&types).map_err(AgentError::Describe)?);
    let state = State::create(state)?;
    let system = LocalSystem::new();
    let engine = Engine::new(Arc::new(system.clone()));
    let engine = engine.with_locks(Locks::in_state(&state)).with_state_folder(state);
    let resources = converge_resources::registry().map_err(AgentError::Resources)?;
    let machine = Machine::new(resources, system, engine);

    let present = heartbeat::Presence { node: node.clone(), partition: Partition::default(), labels };
    let heartbeat_task = tokio::spawn(present.send_heartbeats(remote.clone(), stop.clone()));
    let (sender, news) = assignment_watch::channel();
    let listening =
        tokio::spawn(assignment_watch::listen(remote.clone(), node.clone(), sender, stop.clone()));
    let worker = worker::Worker::new(machine, remote, store, node);
    // The future is large, and there is only one.
    Box::pin(worker.work(news, &stop)).await;
    for task in [heartbeat_task, listening].into_iter().chain(renewing) {
        if let Err(error) = task.await {
            tracing::error!(%error, "a part of the agent ended unexpectedly");
        }
    }
    Ok(())
}
