//! The execution of the runs of a scenario.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::failure::Wrong;
use super::run_record::Ran;
use super::scenario::Scenario;
use crate::graph::Graph;
use crate::sdk::app_state::AppState;
use crate::system::{Machine, ModelSystem};
use converge_engine::{CancellationToken, Engine, Event, EventKind, RunHandle};

/// The journal of pending refreshes on the model host.
const JOURNAL: &str = "/var/lib/converge-simulation/owed";

/// The virtual time after which a run counts as endless, longer than any `timeout` of a module.
const PATIENCE: Duration = Duration::from_hours(24 * 30);

/// The number of operations after which the model host stops answering.
///
/// It applies if the expected number of operations is unknown.
///
/// A resource that repeats a read forever would otherwise never reach the time limit.
const MOST_OPERATIONS: usize = 20_000;

/// The deadline of a run with an operation that is never answered, if the scenario sets none.
const GIVES_UP: Duration = Duration::from_hours(24);

/// The virtual time during which the machine is watched after a run.
pub(super) const AFTERWARDS: Duration = Duration::from_hours(24);

/// The model host of one scenario.
pub(super) struct Stage<'s> {
    pub(super) graph: &'s Arc<Graph>,
    pub(super) model: Arc<ModelSystem>,
    pub(super) state: AppState,
    /// The number of operations of a run without trouble, if known.
    pub(super) operations: Option<usize>,
    /// The paths and facts that are not compared.
    pub(super) beside: &'s [String],
}

impl Stage<'_> {
    /// Returns the machine without the parts that are not compared.
    pub(super) fn machine(&self) -> Machine {
        let mut machine = self.model.machine().without_times();
        machine.remove("/var/lib/converge-simulation");
        for path in self.beside {
            machine.remove(path);
            machine.remove_fact(path);
        }
        machine
    }

    /// Applies once, on a new runtime that ends with the run as a process does.
    ///
    /// # Errors
    ///
    /// The run never ends.
    pub(super) fn apply(&self, scenario: &Scenario) -> Result<Ran, Wrong> {
        self.model.restart();
        self.model.set_fault_schedule(scenario.course());
        let limit = self.operations.map_or(MOST_OPERATIONS, |operations| 1_000 + 20 * operations);
        self.model.hang_after(limit);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let no_runtime = |error| Wrong { reason: format!("there is no runtime: {error}"), lines: Vec::new() };
        let runtime = runtime.map_err(no_runtime)?;
        let (record, killed) = runtime.block_on(self.run(scenario))?;
        // The tasks of a killed process are abandoned. Dropping the handle first would cancel the run in an
        // orderly way, unlike a kill.
        runtime.shutdown_background();
        drop(killed);
        Ok(record)
    }

    /// Runs the scenario; returns the handle of the run too if it was killed.
    async fn run(&self, scenario: &Scenario) -> Result<(Ran, Option<RunHandle>), Wrong> {
        let mut engine = Engine::new(Arc::clone(&self.model) as _)
            .with_parallelism(scenario.workers)
            .with_app_state(self.state.clone())
            .with_journal(JOURNAL);
        if let Some(order) = scenario.order {
            engine = engine.with_order(order);
        }
        let mut run = engine.apply(self.graph);
        // A resource that waits for an unanswered operation would otherwise wait forever.
        let deadline = scenario.deadline.or_else(|| (!scenario.hangs.is_empty()).then_some(GIVES_UP));
        if let Some(deadline) = deadline {
            run = run.deadline(deadline);
        }
        for (delay, is_finish) in [(scenario.finish, true), (scenario.cancel, false)] {
            let Some(delay) = delay else { continue };
            let token = CancellationToken::new();
            run = if is_finish { run.finish_on(token.clone()) } else { run.cancel_on(token.clone()) };
            tokio::spawn(async move {
                sleep(delay).await;
                token.cancel();
            });
        }
        let began = Instant::now();
        let mut run = run.spawn();
        let mut events = Vec::new();
        let listens = listen(&mut run, &mut events, began);
        if timeout(scenario.kill.unwrap_or(PATIENCE), listens).await.is_err() {
            let record = Ran { events, ended: None, afterwards: 0 };
            return match scenario.kill {
                Some(_) => Ok((record, Some(run))),
                None => Err(Wrong { reason: "the run never ends".to_owned(), lines: record.lines() }),
            };
        }
        let ended = run.await.map_err(|error| error.to_string());
        let (operations, _) = self.model.schedule_counts();
        sleep(AFTERWARDS).await;
        let afterwards = self.model.schedule_counts().0 - operations;
        Ok((Ran { events, ended: Some(ended), afterwards }, None))
    }

    /// Returns the numbers of operations and effects of the last run.
    pub(super) fn counted(&self) -> (usize, usize) {
        self.model.schedule_counts()
    }
}

async fn listen(run: &mut RunHandle, events: &mut Vec<(Duration, EventKind)>, began: Instant) {
    while let Some(Event { kind, .. }) = run.next().await {
        events.push((began.elapsed(), kind));
    }
}
