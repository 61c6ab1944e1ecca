//! The data of the service: modules, plans, and one engine.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use converge_core::Limits;
use converge_core::load::{CacheStats, ModuleCache, ModuleSource, Reading, SourceError, Sources, Visible};
use converge_core::prelude::embed::*;
use serde_json::{Map, Value as Json};

use super::Failure;

/// The maximum number of stored plans; older ones are removed.
const MOST_PLANS: usize = 100;

/// The maximum duration of a load.
const LOAD: Duration = Duration::from_secs(10);

/// The data of the service, shared by all requests.
#[derive(Debug)]
pub(crate) struct Fleet {
    registry: Registry,
    engine: Engine,
    modules: Modules,
    /// The cache of parsed modules.
    ///
    /// A module is loaded when it is stored, for each plan, and again before the plan is applied.
    cache: ModuleCache,
    plans: Mutex<Plans>,
}

/// Modules by name. A real service would use a database.
#[derive(Clone, Debug, Default)]
struct Modules(Arc<Mutex<BTreeMap<String, Arc<str>>>>);

/// Modules refer to each other by the names under which they are stored.
impl ModuleSource for Modules {
    fn read(&self, name: &str, _: &Reading) -> Result<Arc<str>, SourceError> {
        let reason = "nobody has put it here".to_owned();
        let unknown = || SourceError::Unreadable { name: name.to_owned(), reason };
        lock(&self.0).get(name).cloned().ok_or_else(unknown)
    }
}

/// Plans that wait for approval.
#[derive(Debug, Default)]
struct Plans {
    last: u64,
    kept: BTreeMap<u64, Arc<StoredPlan>>,
}

/// A plan with its module and parameters.
#[derive(Debug)]
pub(crate) struct StoredPlan {
    pub(crate) module: String,
    pub(crate) params: Map<String, Json>,
    pub(crate) plan: Plan,
}

impl Fleet {
    /// Creates a service whose modules see only the machine in `folder`.
    ///
    /// Their root `/` is the folder, their programs have a separate environment, and loading them reads no
    /// files.
    #[expect(clippy::disallowed_methods, reason = "the folder is the service's own")]
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let machine = folder.join("machine");
        std::fs::create_dir_all(&machine)?;
        let system = LocalSystem::builder()
            .root(machine)
            .clear_env()
            .env("PATH", "/usr/bin:/bin")
            .file_size_limit(64 << 20)
            .build()?;
        let engine = Engine::new(Arc::new(system)).with_state_folder(State::create(folder.join("state"))?);
        let registry = converge_resources::registry()?;
        let (modules, cache, plans) = (Modules::default(), ModuleCache::new(), Mutex::default());
        Ok(Self { registry, engine, modules, cache, plans })
    }

    /// Stores a module if it loads. Its parameters have no values yet.
    pub(crate) fn put(&self, name: String, text: Arc<str>) -> Result<(), LoadError> {
        let loader = self.loader().for_inspection();
        loader.load_text(name.as_str(), Arc::clone(&text)).into_graph()?;
        lock(&self.modules.0).insert(name, text);
        Ok(())
    }

    /// Returns the names of all modules.
    pub(crate) fn modules(&self) -> Vec<String> {
        lock(&self.modules.0).keys().cloned().collect()
    }

    /// Returns the graph of a module with these parameters.
    pub(crate) fn load(&self, module: &str, params: &Map<String, Json>) -> Result<Arc<Graph>, LoadError> {
        let mut loader = self.loader();
        for (name, value) in params {
            loader = loader.with_param(name.as_str(), value.clone());
        }
        loader.load(module).into_graph()
    }

    fn loader(&self) -> Loader<'_> {
        Loader::new(&self.registry)
            .with_sources(Sources::only(self.modules.clone()))
            .with_cache(&self.cache)
            .with_visible(Visible::nothing())
            .with_limits(Limits { resources: 10_000, ..Limits::default() })
            .with_deadline(LOAD)
    }

    /// Returns the statistics of the module cache.
    pub(crate) fn cached(&self) -> CacheStats {
        self.cache.stats()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Stores a plan and returns its number.
    pub(crate) fn keep(&self, plan: StoredPlan) -> u64 {
        let mut plans = lock(&self.plans);
        plans.last += 1;
        let number = plans.last;
        plans.kept.insert(number, Arc::new(plan));
        if plans.kept.len() > MOST_PLANS {
            plans.kept.pop_first();
        }
        number
    }

    pub(crate) fn plan(&self, number: u64) -> Option<Arc<StoredPlan>> {
        lock(&self.plans).kept.get(&number).cloned()
    }
}

/// Locks a mutex, even after a panic, because no operation here leaves its data inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
