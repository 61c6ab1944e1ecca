//! The work of one run, from its locks to its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use tracing::Span;

use super::options::Settings;
use crate::events::emitter::{Emitted, Emitter};
use crate::events::error::EngineError;
use crate::events::event::EventKind;
use crate::events::event_queue::EventSender;
use crate::events::output::OutputReport;
use crate::events::report::ResourceReport;
use crate::events::summary::Summary;
use crate::graph::{Graph, NodeIndex};
use crate::inputs::blocking::{is_large, offload};
use crate::inputs::root_outputs::outputs;
use crate::persistence::journal::Journal;
use crate::persistence::keep_store::{KeptTexts, kept_folder};
use crate::persistence::run_lock::{Limits, take};
use crate::persistence::shared_locks::Sharing;
use crate::schedule::{Coordinator, Limits as CoordinatorLimits};
use crate::sdk::app_state::AppState;
use crate::sdk::context::{Context, RunId, RunMode};
use crate::sdk::declared_things::Declared;
use crate::sdk::export::Exports;
use crate::state::{Owner, State};
use crate::system::System;
use crate::tables::managed_so_far::declared_footprints;
use crate::tables::refreshes::Refreshes;
use crate::tables::run_tables::{RunSetup, Shared};
use crate::tables::selection::{Needed, Selection};
use crate::work::system_layers::run_mark::MarkedSystem;
use crate::{Engine, JournalPlace, RunOptions, Shown};
use converge_graph::app_state::missing_state;
use converge_language::language::WorkBudget;

/// The results of a finished run.
#[derive(Debug)]
pub(crate) struct FinishedRun {
    pub(crate) summary: Summary,
    /// The digests of the changes shown by a plan with a key.
    pub(crate) shown: Vec<Shown>,
    /// The reports, if they were kept, in the order in which the resources ended.
    pub(crate) reports: Vec<ResourceReport>,
    /// The selection of the run, with tags resolved to ids.
    pub(crate) selection: Selection,
    graph: Arc<Graph>,
    shared: Arc<Shared>,
}

impl FinishedRun {
    pub(crate) fn run_id(&self) -> &RunId {
        self.shared.setup.context.run()
    }

    pub(crate) fn mode(&self) -> RunMode {
        self.shared.mode()
    }

    /// Returns the graph that was loaded, without the nodes that the run added.
    pub(crate) fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Returns the graph that was run, including the nodes that the run added.
    pub(crate) fn grown_graph(&self) -> &Arc<Graph> {
        &self.shared.graph
    }

    /// Returns the outputs of the root module.
    pub(crate) fn outputs(&self) -> Vec<OutputReport> {
        outputs(&self.shared)
    }

    /// Returns the exports of a node, if they were kept.
    pub(crate) fn exports(&self, index: NodeIndex) -> Option<&Exports> {
        self.shared.exports(index)
    }
}

/// A run that has begun.
pub(super) struct Begun {
    pub(super) id: RunId,
    /// The span that contains the logs of the run.
    pub(super) span: Span,
    /// The sender of events.
    pub(super) events: Option<EventSender>,
}

pub(super) async fn run(
    engine: &Engine,
    graph: &Arc<Graph>,
    options: RunOptions,
    settings: &Settings,
    begun: Begun,
) -> Result<FinishedRun, EngineError> {
    let Begun { id: run, span, events } = begun;
    let mode = options.mode;
    let is_large = is_large(graph);
    let find_needed = {
        let (graph, app_state, selection) =
            (Arc::clone(graph), engine.app_state.clone(), settings.selection.clone());
        move || needed_nodes(&graph, &app_state, selection).map(|needs| (needs, graph.for_run()))
    };
    let ((selection, needed), of_run) = offload(is_large, find_needed).await??;
    let (loaded, graph) = (graph, &of_run);
    let redactor = graph.sources().redactor();
    let emitter = Emitter::new(run.clone(), Arc::clone(&engine.system), redactor.clone(), events);
    let room = emitter.room();
    let mut emitter = emitter.with_key(options.key).with_reports(options.keeps_all);
    let deadline = settings.deadline.and_then(|after| Instant::now().checked_add(after));
    let wait = settings.lock_wait.unwrap_or(engine.sharing.wait);
    let state = owned_state(engine);
    let lock = match (&state, mode) {
        (None, _) => None,
        (Some(state), RunMode::Plan) => {
            if let Some(holder) = state.holder() {
                emitter.emit(EventKind::ApplyUnderWay { holder });
            }
            None
        }
        (Some(state), RunMode::Apply) => {
            let limits = Limits { wait, deadline, stops: &settings.stops };
            Some(take(state, &redactor.redact(&module_name(graph)), &limits, &mut emitter).await?)
        }
    };
    let refreshes = Refreshes::new(Arc::clone(graph), journal(engine, graph, &run, state.as_ref()));
    if let (Some(refreshes), RunMode::Apply) = (&refreshes, mode) {
        // The run can be stopped even while the records cannot be read.
        let forgets = async {
            match deadline {
                Some(deadline) => drop(timeout_at(deadline, forget(refreshes, &mut emitter)).await),
                None => forget(refreshes, &mut emitter).await,
            }
        };
        settings.stops.run_until(forgets).await;
    }
    let system: Arc<dyn System> = match &lock {
        Some(lock) => Arc::new(MarkedSystem::new(Arc::clone(&engine.system), lock.marker().clone())),
        None => Arc::clone(&engine.system),
    };
    let mut context = Context::new(system, run, mode)
        .with_redactor(redactor.clone())
        .with_app_state(engine.app_state.clone());
    if let Some(deadline) = deadline {
        context = context.with_deadline(deadline);
    }
    let kept_texts = kept(engine, graph, state.as_ref());
    let parallelism = settings.parallelism.unwrap_or(engine.parallelism);
    let sharing = match mode {
        RunMode::Apply => Sharing { wait, ..engine.sharing.clone() },
        RunMode::Plan => Sharing::default(),
    };
    let make = {
        let (graph, order, limits) = (Arc::clone(graph), engine.order, engine.limits);
        move || {
            let context = context.with_declared(declared_things(&graph));
            let setup = RunSetup {
                context,
                budget: WorkBudget::from_limits(limits),
                approval: options.approval,
                needed,
                observes_reads: options.observes_reads,
                keeps_exports: options.keeps_all,
                kept: kept_texts.map(Arc::new),
                span,
                room,
            };
            let shared = Arc::new(Shared::new(graph, setup, refreshes, lock));
            (Arc::clone(&shared), Coordinator::new(shared, parallelism, order, sharing, emitter))
        }
    };
    let (shared, coordinator) = offload(is_large, make).await?;
    let limits = CoordinatorLimits { deadline, grace: settings.grace };
    let (summary, Emitted { shown, reports }) = coordinator.run(&settings.stops, limits).await;
    shared.held.give_all_back();
    Ok(FinishedRun { summary, shown, reports, selection, graph: Arc::clone(loaded), shared })
}

/// Returns the claims of all resources as far as they are known at load.
///
/// Resources that the run leaves out count too, so that `--target` changes nothing about the rest. Without a
/// resource that covers others, nobody asks.
fn declared_things(graph: &Graph) -> Declared {
    if !graph.managed_in_run().has_covers {
        return Declared::default();
    }
    let paths = graph.nodes().next().map(|(_, node)| Arc::clone(&node.scope.module.paths));
    let paths = paths.unwrap_or_default();
    Declared::from_footprints(declared_footprints(graph), move |path| paths.canonical(path))
}

/// Checks that the graph can be run, and returns the nodes that the run covers.
fn needed_nodes(
    graph: &Graph,
    app_state: &AppState,
    selection: Selection,
) -> Result<(Selection, Needed), EngineError> {
    let cycles = graph.cycles();
    if !cycles.is_empty() {
        return Err(EngineError::cycles(graph, &cycles));
    }
    let missing = missing_state(graph, app_state);
    if !missing.is_empty() {
        return Err(EngineError::MissingState { diagnostics: missing });
    }
    let selection = selection.resolve_tags(graph)?;
    let needed = selection.needed(graph)?;
    Ok((selection, needed))
}

/// Returns the part of the state that belongs to the owner.
fn owned_state(engine: &Engine) -> Option<State> {
    let state = engine.state.as_ref()?;
    Some(engine.owner().map_or_else(|| state.clone(), |owner| state.of_owner(owner)))
}

/// Returns the journal for the root module of a graph.
fn journal(engine: &Engine, graph: &Graph, run: &RunId, state: Option<&State>) -> Option<Journal> {
    let (system, directory) = match engine.journal.as_ref()? {
        JournalPlace::System(directory) => (&engine.system, owned_journal(directory, engine.owner())),
        JournalPlace::State(machine) => (machine, state?.journal()),
    };
    let module = root_module(graph)?;
    let redactor = graph.sources().redactor().clone();
    Some(Journal::new(
        Arc::clone(system),
        Arc::clone(&engine.system),
        &directory,
        module,
        run.clone(),
        redactor,
    ))
}

/// Returns the texts kept by the resources of a graph, stored next to the journal.
fn kept(engine: &Engine, graph: &Graph, state: Option<&State>) -> Option<KeptTexts> {
    let (system, folder) = match engine.journal.as_ref()? {
        JournalPlace::System(directory) => {
            (&engine.system, kept_folder(&owned_journal(directory, engine.owner())))
        }
        JournalPlace::State(machine) => (machine, state?.kept()),
    };
    let redactor = graph.sources().redactor().clone();
    Some(KeptTexts::new(Arc::clone(system), folder, root_module(graph)?, redactor))
}

/// Returns the journal folder of an owner, next to that of runs without an owner.
fn owned_journal(directory: &Path, owner: Option<&Owner>) -> PathBuf {
    let Some(owner) = owner else { return directory.to_owned() };
    let mut owners = directory.as_os_str().to_owned();
    owners.push(".owners");
    PathBuf::from(owners).join(owner.as_str())
}

/// Removes pending refreshes of resources that no longer exist, and emits an event for each.
async fn forget(refreshes: &Refreshes, emitter: &mut Emitter) {
    match refreshes.forget().await {
        Ok(forgotten) => forgotten.into_iter().for_each(|record| {
            let since = record.since.to_string();
            let (node, module, causes) = (record.node, record.module, record.causes);
            emitter.emit(EventKind::RefreshForgotten { node, module, since, causes });
        }),
        // The next run tries again.
        Err(error) => tracing::warn!(%error, "old pending refreshes cannot be read"),
    }
}

/// Returns the identity of the root module, or `None` for a graph without nodes.
fn root_module(graph: &Graph) -> Option<String> {
    let mut modules = graph.nodes().map(|(_, node)| &node.scope.module);
    let root = modules.find(|module| module.call.is_none() && module.id.parent().is_none())?;
    Some(converge_source::identity(root))
}

/// Returns the name of the module that other runs see while this run applies.
fn module_name(graph: &Graph) -> String {
    root_module(graph).unwrap_or_else(|| "an empty module".to_owned())
}
