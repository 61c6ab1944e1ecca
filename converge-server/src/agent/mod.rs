//! The agent, which brings this machine to its assigned modules and keeps it there.
//!
//! One task sends heartbeats (`presence`), one watches the assignments (`listen`), and one applies them
//! (`work`). Files (`known`) hold the assignments, the runs (`runs`) and the drift (`plans`). While the
//! server is away, or after a restart, the agent continues with this state and reports later.

mod agent_state;
mod assignment_state;
mod assignment_watch;
mod drift;
mod enrollment;
mod file_watch;
mod heartbeat;
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

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::{Name, Partition};
use converge_core::engine::{CancellationToken, Engine};
use converge_core::state::{Locks, State, StateError};
use converge_core::system::LocalSystem;

use crate::client::{Address, Asking, HttpError};
use crate::fleet;
use crate::json::Codec;
use agent_state::{Keep, KeepError};
use enrollment::{JoinError, Joiner};
use machine::Machine;
use server_client::Remote;

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The URL of the server: `http://HOST:PORT` or `https://HOST:PORT`.
    pub server: String,
    /// The credentials of the agent and the authorities that it trusts.
    pub asking: Asking,
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
    Server(#[from] HttpError),
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
    let Settings { server, mut asking, join, node, labels, state } = settings;
    let mut types = TypeRegistry::new();
    fleet::register_types(&mut types)?;
    let keep = Arc::new(Keep::open(&state)?);
    begun();
    let identity = if asking.token.is_some() && join.is_none() {
        None
    } else {
        let joiner = Joiner { server: &server, asking: &asking, node: &node, labels: &labels, keep: &keep };
        match joiner.identity(join.as_deref(), &stop).await {
            Err(JoinError::Stopped) => return Ok(()),
            Ok(None) if join.is_some() => return Err(AgentError::NotJoined),
            identity => identity?,
        }
    };
    if let Some(identity) = &identity {
        asking.token = None;
        asking.certificate = Some(identity.certificate()?);
    }
    let address = Address::parse(&server, &asking)?;
    let renewing = identity.map(|identity| {
        tokio::spawn(enrollment::renew(identity, address.clone(), asking, Arc::clone(&keep), stop.clone()))
    });
    let remote = Remote::new(address, Codec::new(&types).map_err(AgentError::Describe)?);
    let state = State::create(state)?;
    let system = LocalSystem::new();
    let engine = Engine::new(Arc::new(system.clone()));
    let engine = engine.with_locks(Locks::in_state(&state)).with_state_folder(state);
    let resources = converge_resources::registry().map_err(AgentError::Resources)?;
    let machine = Machine::new(resources, system, engine);

    let present = heartbeat::Presence { node: node.clone(), partition: Partition::default(), labels };
    let here = tokio::spawn(present.tell(remote.clone(), stop.clone()));
    let (heard, news) = assignment_watch::channel();
    let listening = tokio::spawn(assignment_watch::listen(remote.clone(), node.clone(), heard, stop.clone()));
    let worker = worker::Worker::new(machine, remote, keep, node);
    // The future is large, and there is only one.
    Box::pin(worker.work(news, &stop)).await;
    for task in [here, listening].into_iter().chain(renewing) {
        if let Err(error) = task.await {
            tracing::error!(%error, "a part of the agent ended unexpectedly");
        }
    }
    Ok(())
}
