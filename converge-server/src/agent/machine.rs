//! The loading and running of modules on this machine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use converge_controller::Name;
use converge_core::engine::{CancellationToken, Engine, EngineError, LockWait, managed_paths};
use converge_core::graph::Graph;
use converge_core::load::{ContentHash, Http, Loader, Memory, ModulesAt, Sources};
use converge_core::system::LocalSystem;
use converge_core::value::Value;
use converge_core::{Redactor, Registry};

use super::known_module::{Loaded, Reads, Settled};
use super::outcome::{Outcome, Seen};
use crate::fleet::types::{Content, Mode, Opening, Source};

/// The maximum time to load a module, including downloads.
const LOAD: Duration = Duration::from_mins(2);

/// This machine with its own engine.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    registry: Arc<Registry>,
    system: LocalSystem,
    engine: Engine,
}

/// A reason why a check of a module gave no outcome.
#[derive(Debug)]
pub(super) enum Held {
    /// Another run holds the lock; a later check may succeed.
    Busy,
    /// The agent is stopping.
    ///
    /// Contains the findings up to the cancellation.
    Stopped(Option<Box<Seen>>),
}

impl Machine {
    /// Creates the machine with an engine whose state is in a folder.
    pub(super) fn new(registry: Registry, system: LocalSystem, engine: Engine) -> Self {
        // A person who applies a module by hand has priority.
        Self { registry: Arc::new(registry), system, engine: engine.with_lock_wait(LockWait::Never) }
    }

    /// Loads the module of a revision with its secret parameters.
    ///
    /// `name` identifies pending work of earlier runs.
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

    /// Checks a module, and applies it if it is enforced and may be changed now.
    ///
    /// If no watched path has changed since the module was settled, only the resources are checked first that may
    /// differ all the same. Also returns what a check of the whole module read.
    pub(super) async fn run(
        &self,
        graph: &Arc<Graph>,
        settled: Option<&Settled>,
        mode: Mode,
        opening: Opening,
        stop: &CancellationToken,
    ) -> Result<(Outcome, Option<Reads>), Held> {
        // An agent runs for months, during which the host name, addresses and memory of the machine may
        // change.
        let engine = self.engine.clone().with_system(Arc::new(self.system.look_again()));
        if let Some(Settled { seen, unwatched }) = settled {
            let is_settled = unwatched.is_empty() || {
                let run = engine.make_plan(graph).cancel_on(stop.clone());
                let plan = unwatched.iter().fold(run, |run, id| run.target(id.clone())).await;
                plan.is_ok_and(|plan| Seen::from(&plan.report).is_settled())
            };
            if stop.is_cancelled() {
                return Err(Held::Stopped(None));
            }
            if is_settled {
                return Ok((Outcome::Planned(seen.clone()), None));
            }
        }
        let (before, reads) = match engine.make_plan(graph).observe_reads().cancel_on(stop.clone()).await {
            _ if stop.is_cancelled() => return Err(Held::Stopped(None)),
            Ok(plan) => (Seen::from(&plan.report), Reads::new(graph, plan.report)),
            Err(error) => return Ok((refused(&error)?, None)),
        };
        let outcome = match opening {
            _ if mode != Mode::Enforce || !before.has_changes() => Outcome::Planned(before),
            Opening::Closed { until } => Outcome::Waits { seen: before, until },
            _ => match engine.apply_for_report(graph).cancel_on(stop.clone()).await {
                applied if stop.is_cancelled() => {
                    return Err(Held::Stopped(applied.ok().map(|report| Box::new(Seen::from(&report)))));
                }
                Ok(report) => Outcome::Applied { before, after: Seen::from(&report) },
                Err(error) => refused(&error)?,
            },
        };
        Ok((outcome, Some(reads)))
    }
}

fn refused(error: &EngineError) -> Result<Outcome, Held> {
    match error {
        EngineError::Locked { .. } => Err(Held::Busy),
        EngineError::Interrupted => Err(Held::Stopped(None)),
        error => Ok(Outcome::NotRun(error.to_string())),
    }
}

/// Loads the graph of a module, or returns the diagnostics.
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
    // The values are redacted wherever they appear, even if the module does not mark them as sensitive.
    let redactor = Redactor::new();
    for (name, value) in secrets {
        redactor.hide(&value);
        loader = loader.with_param(name, Value::from(value).into_secret());
    }
    loader.with_redactor(redactor).load(name).into_graph().map_err(|error| error.to_string())
}
