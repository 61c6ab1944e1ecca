//! A service with controllers, for tests of their interaction.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Random};
use crate::controllers;
use crate::registry::{RegistryError, TypeRegistry};
use crate::resource::Resource;
use crate::runtime::{Manager, ManagerHandle, RegisterError};
use crate::storage::{Backend, Memory};

use super::client::{PATIENCE, TestClient};
use super::service::service;

/// The maximum delay between the publication of two resources.
const DELAY: Duration = Duration::from_millis(50);

type Types = Box<dyn Fn(&mut TypeRegistry) -> Result<(), RegistryError>>;
type Controllers = Box<dyn Fn(&mut Manager) -> Result<(), RegisterError>>;

/// A builder of a [`ControllerTest`].
pub struct ControllerTestBuilder {
    types: Vec<Types>,
    controllers: Vec<Controllers>,
    store: Arc<dyn Backend>,
    seed: u64,
    patience: Duration,
    clock: Option<Clock>,
}

/// A service with controllers, over a store in memory or any other.
///
/// The built-in controllers run as well. In a test with paused time nothing really waits, and the same seed
/// gives the same order.
///
/// ```
/// use converge_controller::registry::{RegistryError, TypeRegistry};
/// use converge_controller::runtime::{Action, Controller, Request, Runtime, report};
/// use converge_controller::service::ServiceError;
/// use converge_controller::storage::Consistency;
/// use converge_controller::testing::{ControllerTest, condition, resource};
/// use converge_controller::{Condition, ConditionState, StoredResource};
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", scope = namespace)]
/// struct Artist {
///     #[stored(tag = 1)]
///     genre: String,
/// }
///
/// async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, ServiceError> {
///     if let Some(artist) = runtime.client.find(request.id(), Consistency::Eventual).await? {
///         report(&runtime, &artist, [Condition::new("heard", ConditionState::True)]).await?;
///     }
///     Ok(Action::await_change())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # tokio::time::pause();
/// let test = ControllerTest::builder()
///     .types(|types| types.register::<Artist>())
///     .controllers(|manager| manager.register(Controller::<Artist>::new("artists").reconcile(reconcile)))
///     .start()
///     .await;
/// let korn = resource::<Artist>("korn").write(&test.client).await;
/// let heard = condition("artists", "heard", ConditionState::True);
/// test.client.wait_for_status_condition(korn.id(), &heard).await;
/// test.stop().await;
/// # }
/// ```
pub struct ControllerTest {
    /// The client of the service.
    pub client: TestClient,
    /// The statuses of the controllers.
    pub controllers: ManagerHandle,
    random: Random,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl ControllerTest {
    /// Returns a builder.
    pub fn builder() -> ControllerTestBuilder {
        ControllerTestBuilder {
            types: Vec::new(),
            controllers: Vec::new(),
            store: Arc::new(Memory::new()),
            seed: 0,
            patience: PATIENCE,
            clock: None,
        }
    }

    /// Writes resources in random order with random delays, but each after its owner.
    ///
    /// The final result must not depend on the order.
    ///
    /// # Panics
    ///
    /// Panics if a resource is refused.
    pub async fn publish(&mut self, mut resources: Vec<Resource>) {
        self.random.shuffle(&mut resources);
        while !resources.is_empty() {
            let is_owner_waiting = |resource: &Resource| {
                let owner = resource.owner.as_ref();
                owner.is_some_and(|owner| {
                    let owner = owner.clone().without_uid();
                    resources.iter().any(|other| other.id.clone().without_uid() == owner)
                })
            };
            let next = resources.iter().position(|resource| !is_owner_waiting(resource));
            let next = resources.swap_remove(next.expect("no resource owns its owner"));
            let id = next.id.clone();
            sleep(self.random.duration(Duration::ZERO, DELAY)).await;
            let result = self.client.write(next).await;
            result.unwrap_or_else(|error| panic!("{id} cannot be published: {error}"));
        }
    }

    /// Stops the controllers, and waits for their end.
    ///
    /// # Panics
    ///
    /// Panics if the manager has panicked.
    pub async fn stop(self) {
        self.stop.cancel();
        self.running.await.expect("the manager ends");
    }
}

impl ControllerTestBuilder {
    /// Adds the types of a package.
    #[must_use]
    pub fn types(
        mut self,
        register: impl Fn(&mut TypeRegistry) -> Result<(), RegistryError> + 'static,
    ) -> Self {
        self.types.push(Box::new(register));
        self
    }

    /// Adds the controllers of a package.
    #[must_use]
    pub fn controllers(
        mut self,
        register: impl Fn(&mut Manager) -> Result<(), RegisterError> + 'static,
    ) -> Self {
        self.controllers.push(Box::new(register));
        self
    }

    /// Sets the store, instead of one in memory.
    #[must_use]
    pub fn store(self, store: Arc<dyn Backend>) -> Self {
        Self { store, ..self }
    }

    /// Sets the seed of random numbers, by default 0.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the clock.
    ///
    /// A test that is stopped and started again passes the clock of the first start, so that time does not go
    /// back.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Sets the time to wait for expected states, as [`TestClient::with_patience`] does.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Starts the service and the controllers.
    ///
    /// # Panics
    ///
    /// Panics if a type or a controller is refused, or if the store is unavailable.
    pub async fn start(self) -> ControllerTest {
        let mut random = Random::from_seed(self.seed);
        let client = service(self.store, random.fork(), self.clock, self.types).await;
        let mut manager = Manager::new(client.clone(), random.fork());
        let own_controllers: Controllers = Box::new(controllers::register_controllers);
        for register in std::iter::once(own_controllers).chain(self.controllers) {
            register(&mut manager).unwrap_or_else(|error| panic!("a controller is refused: {error}"));
        }
        let stop = CancellationToken::new();
        let controllers = manager.handle();
        let running = tokio::spawn(manager.run(stop.clone()));
        let client = TestClient::new(client).with_patience(self.patience);
        ControllerTest { client, controllers, random, stop, running }
    }
}
