//! The manager, which runs controllers.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

mod dependencies;
mod error;
mod metrics;
mod status;
#[cfg(test)]
mod tests;

pub use dependencies::{Dependencies, DependencyError};
pub use error::RegisterError;
pub use metrics::openmetrics;
pub use status::ControllerStatus;

use super::engine::definition::{Definition, Placement};
use super::engine::record::Record;
use super::engine::run;
use super::supervisor::{Supervisor, SupervisorHandle};
use crate::clock::Random;
use crate::service::Client;
use crate::storage::{LeaseName, Vacancy};

/// A manager of controllers: they are registered, and then the manager is run once.
pub struct Manager {
    client: Client,
    random: Random,
    controllers: Vec<Registered>,
    handle: ManagerHandle,
}

/// A handle that reports the statuses of the controllers of a [`Manager`].
///
/// Clones report the same.
#[derive(Clone, Default)]
pub struct ManagerHandle(Arc<Mutex<Vec<Observed>>>);

/// A registered controller.
struct Registered {
    definition: Arc<Definition>,
    lease: LeaseName,
    record: Arc<Record>,
    supervisor: Supervisor,
    vacancy: Arc<OnceLock<Vacancy>>,
}

/// The observable parts of a controller.
struct Observed {
    definition: Arc<Definition>,
    record: Arc<Record>,
    supervisor: SupervisorHandle,
    /// The time since when nobody has held the lease, for a controller with a lease.
    vacancy: Arc<OnceLock<Vacancy>>,
}

impl Manager {
    /// Creates a manager of controllers that use this client.
    ///
    /// The random numbers spread work that would otherwise happen at the same time.
    pub fn new(client: Client, random: Random) -> Self {
        Self { client, random, controllers: Vec::new(), handle: ManagerHandle::default() }
    }

    /// Adds a controller.
    ///
    /// # Errors
    ///
    /// Fails if the controller could not run, or has the name of another one.
    pub fn register(&mut self, definition: Definition) -> Result<(), RegisterError> {
        let lease = self.check(&definition)?;
        let definition = Arc::new(definition);
        let record = Arc::new(Record::default());
        let supervisor = Supervisor::new(self.random.fork());
        let watched_controller = Observed {
            definition: Arc::clone(&definition),
            record: Arc::clone(&record),
            supervisor: supervisor.handle(),
            vacancy: Arc::default(),
        };
        let vacancy = Arc::clone(&watched_controller.vacancy);
        self.handle.0.lock().unwrap_or_else(PoisonError::into_inner).push(watched_controller);
        self.controllers.push(Registered { definition, lease, record, supervisor, vacancy });
        Ok(())
    }

    /// Returns the dependencies between the types of its controllers.
    pub fn dependencies(&self) -> Dependencies {
        Dependencies::calculate(self.controllers.iter().map(|controlled| &*controlled.definition))
    }

    /// Returns a handle that reports the statuses of its controllers, also while they run.
    pub fn handle(&self) -> ManagerHandle {
        self.handle.clone()
    }

    /// Runs all controllers until `stop` is cancelled and their running work has ended.
    ///
    /// It consumes the manager, so that nothing can be registered later or run twice.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut running = JoinSet::new();
        for controlled in self.controllers {
            let span = tracing::info_span!("controller", name = %controlled.definition.name());
            let task = supervise(controlled, self.client.clone(), self.random.fork(), stop.clone());
            running.spawn(task.instrument(span));
        }
        while let Some(ended) = running.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a controller has ended");
            }
        }
    }

    fn check(&self, definition: &Definition) -> Result<LeaseName, RegisterError> {
        let name = definition.name().to_owned();
        let lease = name.parse().map_err(|_| RegisterError::Name { name: name.clone() })?;
        if let Some(duplicate) = self.controllers.iter().find(|other| other.definition.name() == name) {
            let (first, second) =
                (duplicate.definition.managed_type().clone(), definition.managed_type().clone());
            return Err(RegisterError::Twice { name, first, second });
        }
        let mut watched = BTreeSet::new();
        for resource_type in definition.watches().map(|watched| &watched.resource_type) {
            let (controller, resource_type) = (name.clone(), resource_type.clone());
            if self.client.service().types().get(&resource_type).is_none() {
                return Err(RegisterError::UnknownType { controller, resource_type });
            }
            if !watched.insert(resource_type.clone()) {
                return Err(RegisterError::WatchedTwice { controller, resource_type });
            }
        }
        let mut streams = BTreeSet::new();
        if let Some(stream) = definition.streams.iter().find(|stream| !streams.insert(&stream.name)) {
            return Err(RegisterError::StreamTwice { controller: name, stream: stream.name.to_string() });
        }
        let mistake = |mistake| RegisterError::Cache { controller: name, mistake };
        definition.cache.check().map_err(mistake).map(|()| lease)
    }
}

/// Keeps one controller running, according to its placement.
async fn supervise(controlled: Registered, client: Client, mut random: Random, stop: CancellationToken) {
    let Registered { definition, lease, record, supervisor, vacancy } = controlled;
    match definition.placement() {
        Placement::Singleton => {
            let lease = client.service().backend().lease(&lease);
            vacancy.get_or_init(|| lease.vacancy());
            let begin = |held, ending| {
                // All writes of a run use the holding of the lease that it began with, also if a new holding
                // exists by now.
                let (_, fence) = watch::channel(Some(held));
                let client = client.clone().fenced(fence);
                run(Arc::clone(&definition), client, Arc::clone(&record), random.fork(), ending)
            };
            supervisor.run(lease.watch(), stop, begin).await;
        }
        Placement::EachServer => {
            let (_always, fence) = watch::channel(Some(()));
            let begin = |(), ending| {
                run(Arc::clone(&definition), client.clone(), Arc::clone(&record), random.fork(), ending)
            };
            supervisor.run(fence, stop, begin).await;
        }
    }
}

impl ManagerHandle {
    /// Returns the status of each controller, in the order of registration.
    pub fn status(&self) -> Vec<ControllerStatus> {
        let controllers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let status = |seen: &Observed| {
            let vacant = seen.vacancy.get().and_then(Vacancy::lasts);
            ControllerStatus::new(&seen.definition, &seen.record, seen.supervisor.status(), vacant)
        };
        controllers.iter().map(status).collect()
    }

    /// Returns the statuses as metrics.
    pub fn openmetrics(&self) -> String {
        openmetrics(&self.status())
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let controllers = self.controllers.iter().map(|controlled| &*controlled.definition);
        f.debug_list().entries(controllers).finish()
    }
}

impl fmt::Debug for ManagerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.status()).finish()
    }
}
