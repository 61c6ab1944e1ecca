//! The machine, and what modules make of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use converge_controller::Name;
use converge_core::engine::{CancellationToken, Engine, EngineError, LockWait, managed_paths};
use converge_core::graph::Graph;
use converge_core::load::{ContentHash, Http, Loader, Memory, ModulesAt, Sources};
use converge_core::system::LocalSystem;
use converge_core::value::Value;
use converge_core::{Redactor, Registry};

use super::outcome::{Outcome, Seen};
use crate::fleet::types::{Content, Mode, Opening, Source};

/// How long a module may take to load, with all that it fetches.
const LOAD: Duration = Duration::from_mins(2);

/// This machine, with an engine of its own.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    registry: Arc<Registry>,
    system: LocalSystem,
    engine: Engine,
}

/// Why nothing came of a look at a module.
#[derive(Debug)]
pub(super) enum Held {
    /// Another run changes the machine; a later look may be had.
    Busy,
    /// The agent is about to stop. This had come of it, when it was asked to.
    Stopped(Option<Box<Seen>>),
}

/// A module that can be run.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) graph: Arc<Graph>,
    /// What it manages, as far as that is known.
    pub(super) paths: BTreeSet<PathBuf>,
}

impl Machine {
    /// The machine, changed by an engine that keeps what it has to remember in a folder.
    pub(super) fn new(registry: Registry, system: LocalSystem, engine: Engine) -> Self {
        // A person who applies something by hand goes first.
        Self { registry: Arc::new(registry), system, engine: engine.with_lock_wait(LockWait::Never) }
    }

    /// Loads what a module says, with these parameters that are secrets beside its own. What it owes from earlier runs is found by `name`.
    pub(super) async fn load(
        &self,
        name: &Name,
        content: &Content,
        secrets: BTreeMap<String, String>,
        stop: &CancellationToken,
    ) -> Result<Result<Loaded, String>, Held> {
        let (registry, name, content) = (self.registry.clone(), format!("{name}.hcl"), content.clone());
        let token = stop.clone();
        let load = move || {
            let graph = load(&registry, &name, &content, secrets, token)?;
            Ok(Loaded { paths: managed_paths(&graph), graph })
        };
        match tokio::task::spawn_blocking(load).await {
            Ok(Err(_)) | Err(_) if stop.is_cancelled() => Err(Held::Stopped(None)),
            Ok(loaded) => Ok(loaded),
            Err(panic) => Ok(Err(panic.to_string())),
        }
    }

    /// Looks at what a module says, and makes it so where it is to be enforced and may be.
    pub(super) async fn visit(
        &self,
        graph: &Arc<Graph>,
        mode: Mode,
        opening: Opening,
        stop: &CancellationToken,
    ) -> Result<Outcome, Held> {
        // An agent lives for months: by now the machine may have another name, other addresses and more memory.
        let engine = self.engine.clone().with_system(Arc::new(self.system.look_again()));
        let before = match engine.make_plan(graph).cancel_on(stop.clone()).await {
            _ if stop.is_cancelled() => return Err(Held::Stopped(None)),
            Ok(plan) => Seen::from(&plan.report),
            Err(error) => return refused(&error),
        };
        if mode != Mode::Enforce || !before.has_changes() {
            return Ok(Outcome::Planned(before));
        }
        if let Opening::Closed { until } = opening {
            return Ok(Outcome::Waits { seen: before, until });
        }
        match engine.apply_for_report(graph).cancel_on(stop.clone()).await {
            applied if stop.is_cancelled() => {
                Err(Held::Stopped(applied.ok().map(|report| Box::new(Seen::from(&report)))))
            }
            Ok(report) => Ok(Outcome::Applied { before, after: Seen::from(&report) }),
            Err(error) => refused(&error),
        }
    }
}

fn refused(error: &EngineError) -> Result<Outcome, Held> {
    match error {
        EngineError::Locked { .. } => Err(Held::Busy),
        EngineError::Interrupted => Err(Held::Stopped(None)),
        error => Ok(Outcome::NotRun(error.to_string())),
    }
}

/// The graph of a module, or what is wrong with it.
fn load(
    registry: &Registry,
    name: &str,
    content: &Content,
    secrets: BTreeMap<String, String>,
    stop: CancellationToken,
) -> Result<Arc<Graph>, String> {
    let (name, sources) = match &content.source {
        None => (name, Sources::only(Memory::new().with(name, content.text.as_str()))),
        Some(Source { url, sha256 }) => {
            let (folder, name) = url.rsplit_once('/').ok_or("the source of the module is not a URL")?;
            let hash: ContentHash = sha256.parse().map_err(|error| format!("{error}"))?;
            let modules = ModulesAt::new(folder, Http::new()).map_err(|error| error.to_string())?;
            (name, Sources::only(modules.with_pin(name, hash)))
        }
    };
    let mut loader = Loader::new(registry).with_sources(sources).with_deadline(LOAD).cancel_on(stop);
    for (name, value) in &content.params {
        loader = loader.with_param(name.as_str(), value.as_str());
    }
    // They are found by their value wherever they turn up, also where the module does not call them sensitive.
    let redactor = Redactor::new();
    for (name, value) in secrets {
        redactor.hide(&value);
        loader = loader.with_param(name, Value::from(value).into_secret());
    }
    loader.with_redactor(redactor).load(name).into_graph().map_err(|error| error.to_string())
}
