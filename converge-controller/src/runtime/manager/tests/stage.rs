//! A test environment: a service in memory with running controllers, in paused time.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::*;
use crate::registry::StoredResource;
use crate::resource::Resource;
use crate::runtime::demo::{client, id, resource};
use crate::runtime::{Action, Request, Runtime};
use crate::service::ServiceError;
use crate::storage::{Consistency, Memory};

/// A log of what happened, in order. Clones share the same log.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(super) fn say(&self, text: impl Into<String>) {
        self.0.lock().expect("nobody panics here").push(text.into());
    }

    /// Waits until all tasks are idle, and returns the messages since the last call.
    pub(super) async fn settled(&self) -> Vec<String> {
        settle().await;
        std::mem::take(&mut *self.0.lock().expect("nobody panics here"))
    }
}

/// Waits until all tasks are idle: paused time advances only then.
pub(super) async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

/// A service in memory.
pub(super) struct Stage {
    pub(super) store: Arc<Memory>,
    pub(super) client: Client,
    pub(super) log: Log,
}

/// Running controllers.
pub(super) struct Running {
    pub(super) stop: CancellationToken,
    pub(super) handle: ManagerHandle,
    pub(super) done: JoinHandle<()>,
}

impl Stage {
    pub(super) fn new() -> Self {
        let store = Arc::new(Memory::new());
        Self { client: client(store.clone()), store, log: Log::default() }
    }

    pub(super) async fn write<T: StoredResource>(&self, name: &str, data: T) -> Arc<Resource> {
        self.client.write(resource(name, data)).await.expect("it is written")
    }

    pub(super) async fn delete<T: StoredResource>(&self, name: &str) {
        self.client.delete(&id::<T>(name), None).await.expect("it is deleted");
    }

    pub(super) async fn read<T: StoredResource>(&self, name: &str) -> Option<Arc<Resource>> {
        self.client.find(&id::<T>(name), Consistency::Strong).await.expect("the store answers")
    }

    /// Runs controllers on an additional server.
    pub(super) fn run(&self, definitions: impl IntoIterator<Item = Definition>) -> Running {
        let mut manager = Manager::new(self.client.clone(), Random::from_seed(2));
        for definition in definitions {
            manager.register(definition).expect("it can run");
        }
        let (stop, handle) = (CancellationToken::new(), manager.handle());
        let task = tokio::spawn(manager.run(stop.clone()));
        Running { stop, handle, done: task }
    }

    /// Returns a reconciler that logs the requested resource and whether it exists.
    pub(super) fn logging<T: StoredResource>(
        &self,
    ) -> impl Fn(Runtime, Request<T>) -> Logged + Send + Sync + 'static {
        let log = self.log.clone();
        move |runtime, request| {
            let log = log.clone();
            Box::pin(async move {
                let resource = runtime.client.find(request.id(), Consistency::Eventual).await?;
                let name = &request.id().name;
                log.say(if resource.is_some() { name.to_string() } else { format!("{name} is gone") });
                Ok(Action::await_change())
            })
        }
    }
}

type Logged = std::pin::Pin<Box<dyn Future<Output = Result<Action, ServiceError>> + Send>>;

impl Running {
    /// Returns the status of the only controller.
    pub(super) fn status(&self) -> ControllerStatus {
        self.handle.status().remove(0)
    }

    /// Stops the controllers, and returns how long that took.
    pub(super) async fn stop(self) -> Duration {
        let began = Instant::now();
        self.stop.cancel();
        self.done.await.expect("no panic");
        began.elapsed()
    }
}
