//! The engine as an application uses it.

use std::sync::Arc;

use converge_core::Registry;
use converge_core::engine::{Engine, Event, EventKind, EventSink, Summary};
use converge_core::graph::Graph;
use converge_core::plan::{Plan, Report};
use converge_core::system::LocalSystem;
use tokio::runtime::{Builder, Runtime};

use crate::error::BenchError;
use crate::load;
use crate::module::Module;

/// An engine with everything that it needs to run.
#[derive(Debug)]
pub(crate) struct Measured {
    registry: Registry,
    engine: Engine,
    runtime: Runtime,
}

impl Measured {
    /// Creates an engine for this machine.
    pub(crate) fn new() -> Result<Self, BenchError> {
        Ok(Self {
            registry: converge_resources::registry()?,
            engine: Engine::new(Arc::new(LocalSystem::new())),
            runtime: Builder::new_multi_thread().enable_all().build().map_err(BenchError::Runtime)?,
        })
    }

    /// Loads a module from its text into a graph.
    pub(crate) fn load(&self, module: &Module) -> Result<Arc<Graph>, BenchError> {
        load::load(&self.registry, &module.path)
    }

    /// Applies a graph whose files are all missing.
    pub(crate) fn first_apply(&self, graph: &Arc<Graph>, files: usize) -> Result<(), BenchError> {
        let mut failures = FirstFailure::default();
        let summary = self.runtime.block_on(async { self.engine.apply(graph).sink(&mut failures).await })?;
        expect("first apply", summary, failures, (0, files))
    }

    pub(crate) fn converged_plan(&self, graph: &Arc<Graph>, files: usize) -> Result<(), BenchError> {
        let mut failures = FirstFailure::default();
        let summary = self.runtime.block_on(async { self.engine.plan(graph).sink(&mut failures).await })?;
        expect("plan", summary, failures, (files, 0))
    }

    /// Returns the plan of a graph as a value.
    pub(crate) fn make_plan(&self, graph: &Arc<Graph>) -> Result<Plan, BenchError> {
        Ok(self.runtime.block_on(async { self.engine.make_plan(graph).await })?)
    }

    pub(crate) fn apply_for_report(&self, graph: &Arc<Graph>) -> Result<Report, BenchError> {
        Ok(self.runtime.block_on(async { self.engine.apply_for_report(graph).await })?)
    }
}

/// The message of the first failed resource, which explains an invalid measurement.
#[derive(Debug, Default)]
struct FirstFailure(Option<String>);

impl EventSink for FirstFailure {
    fn emit(&mut self, event: Event) {
        if let EventKind::ResourceFinished(report) = event.kind
            && let Some(failure) = report.failure
        {
            self.0.get_or_insert_with(|| format!("{}: {}", report.id.short(), failure.message));
        }
    }
}

/// Fails unless exactly these numbers of resources were unchanged and changed.
fn expect(
    step: &'static str,
    summary: Summary,
    failures: FirstFailure,
    (unchanged, changed): (usize, usize),
) -> Result<(), BenchError> {
    if summary.is_success()
        && !summary.has_changes()
        && (summary.unchanged, summary.changed) == (unchanged, changed)
    {
        return Ok(());
    }
    Err(BenchError::WrongResult {
        step,
        expected: format!("{unchanged} unchanged and {changed} changed"),
        got: failures.0.unwrap_or_else(|| format!("{summary:?}")),
    })
}
