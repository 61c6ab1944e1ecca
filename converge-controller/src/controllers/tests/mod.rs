//! Tests of the lifecycle of resources, with a complete manager and a store in memory, in paused time.

mod cascade;
mod tenancies;

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::authorize::Caller;
use crate::builtin_types::Tombstone;
use crate::clock::{Clock, Random};
use crate::identity::{Id, Scope, Tenancy};
use crate::registry::{Cause, Hooks, Registration, StoredResource as _, TypeRegistry};
use crate::resource::{Data, Resource};
use crate::service::{Client, List, Service};
use crate::storage::{Backend, Consistency, Memory};

struct AnyData;

impl Hooks for AnyData {
    fn check_data(&self, _: &Data) -> Result<(), Cause> {
        Ok(())
    }
}

/// A service and the built-in controllers.
struct Stage {
    client: Client,
    store: Arc<Memory>,
    stop: CancellationToken,
    running: Option<JoinHandle<()>>,
}

const ARTIST: &str = "demo.v1.Artist";
const NODE: &str = "demo.v1.Node";

impl Stage {
    async fn new() -> Self {
        let mut types = TypeRegistry::new();
        for (name, scope) in [(ARTIST, Scope::Namespace), (NODE, Scope::Partition)] {
            types.add(Registration::new(name.parse().unwrap(), scope, "tests", AnyData)).unwrap();
        }
        let store = Arc::new(Memory::new());
        let backend: Arc<dyn Backend> = Arc::<Memory>::clone(&store);
        let clock = Clock::following_tokio(UNIX_EPOCH + Duration::from_hours(500_000));
        let service = Service::new(backend, types, clock, Random::from_seed(1)).unwrap();
        service.start().await.unwrap();
        let client = service.client(Caller::system());
        Self { client, store, stop: CancellationToken::new(), running: None }
    }

    /// Starts the controllers, as a server does when it starts.
    fn run(&mut self) {
        let mut manager = Manager::new(self.client.clone(), Random::from_seed(2));
        register_controllers(&mut manager).unwrap();
        self.stop = CancellationToken::new();
        self.running = Some(tokio::spawn(manager.run(self.stop.clone())));
    }

    /// Aborts the controllers, as a kill does.
    async fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            let _ = running.await;
        }
    }

    /// Writes a resource without data; `tenancy` is `partition/namespace`.
    async fn write(
        &self,
        resource_type: &str,
        tenancy: &str,
        name: &str,
        owner: Option<&Id>,
    ) -> Arc<Resource> {
        let id = id(resource_type, tenancy, name);
        self.client.write(Resource { owner: owner.cloned(), ..Resource::new(id) }).await.expect("a write")
    }

    /// Waits until only these resources and the default ones are left.
    async fn wait_until_left(&self, expect: &[&str]) {
        let always = ["tenancy/Namespace/default/_/default", "tenancy/Partition/_/_/default"];
        let deadline = tokio::time::Instant::now() + Duration::from_mins(10);
        loop {
            let snapshot = self.store.snapshot();
            let left = snapshot.iter().map(|resource| crate::storage::Key::from_id(&resource.id).to_string());
            let left: Vec<String> = left.filter(|key| !always.contains(&key.as_str())).collect();
            if left == expect {
                return;
            }
            assert!(tokio::time::Instant::now() < deadline, "left are {left:?}, expected were {expect:?}");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }
}

fn id(resource_type: &str, tenancy: &str, name: &str) -> Id {
    let (partition, namespace) = tenancy.split_once('/').unwrap_or((tenancy, ""));
    let tenancy = Tenancy::from_units(partition, namespace).unwrap();
    Id::new(resource_type.parse().unwrap(), tenancy, name.parse().unwrap())
}
