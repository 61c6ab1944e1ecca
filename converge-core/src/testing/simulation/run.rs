//! Makes the runs of a scenario.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::failure::Wrong;
use super::run_record::Ran;
use super::scenario::Scenario;
use crate::engine::{CancellationToken, Engine, Event, EventKind, RunHandle};
use crate::graph::Graph;
use crate::sdk::app_state::AppState;
use crate::system::{Machine, ModelSystem};

/// Where the refreshes that are owed are kept, on the machine of the simulation.
const JOURNAL: &str = "/var/lib/converge-simulation/owed";

/// So long a run may take before it counts as one that never ends: longer than any `timeout` that a module would have.
const PATIENCE: Duration = Duration::from_hours(24 * 30);

/// How many operations a run may make before nothing answers it any more, where it is not known how many there should be: what asks again
/// and again would never come to the end of that time.
const MOST_OPERATIONS: usize = 20_000;

/// When a run is given up in which an operation is never answered, and which has no deadline of its own.
const GIVES_UP: Duration = Duration::from_hours(24);

/// How long the machine is watched after a run.
pub(super) const AFTERWARDS: Duration = Duration::from_hours(24);

/// The machine of one scenario.
pub(super) struct Stage<'s> {
    pub(super) graph: &'s Arc<Graph>,
    pub(super) model: Arc<ModelSystem>,
    pub(super) state: AppState,
    /// How many operations there are when nothing goes wrong, where that is known.
    pub(super) operations: Option<usize>,
    /// What runs may leave different.
    pub(super) beside: &'s [String],
}

impl Stage<'_> {
    /// The machine as it is to be compared.
    pub(super) fn machine(&self) -> Machine {
        let mut machine = self.model.machine().without_times();
        machine.remove("/var/lib/converge-simulation");
        for beside in self.beside {
            machine.remove(beside);
            machine.remove_fact(beside);
        }
        machine
    }

    /// One apply. It has a runtime of its own, which ends with it as a process does.
    ///
    /// # Errors
    ///
    /// It never ends.
    pub(super) fn apply(&self, scenario: &Scenario) -> Result<Ran, Wrong> {
        self.model.restart();
        self.model.take_course(scenario.course());
        let most = self.operations.map_or(MOST_OPERATIONS, |operations| 1_000 + 20 * operations);
        self.model.hang_after(most);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let no_runtime = |error| Wrong { reason: format!("there is no runtime: {error}"), lines: Vec::new() };
        let runtime = runtime.map_err(no_runtime)?;
        let (ran, killed) = runtime.block_on(self.run(scenario))?;
        // What a killed process was at is not waited for, and nothing of it goes on. To drop the handle before would cancel the run in
        // order, which a kill does not.
        runtime.shutdown_background();
        drop(killed);
        Ok(ran)
    }

    /// Gives also what of the run was not over.
    async fn run(&self, scenario: &Scenario) -> Result<(Ran, Option<RunHandle>), Wrong> {
        let mut engine = Engine::new(Arc::clone(&self.model) as _)
            .with_parallelism(scenario.workers)
            .with_app_state(self.state.clone())
            .with_journal(JOURNAL);
        if let Some(order) = scenario.order {
            engine = engine.in_order(order);
        }
        let mut run = engine.apply(self.graph);
        // What waits for something that never answers would wait for ever.
        let deadline = scenario.deadline.or_else(|| (!scenario.hangs.is_empty()).then_some(GIVES_UP));
        if let Some(deadline) = deadline {
            run = run.deadline(deadline);
        }
        for (at, is_finish) in [(scenario.finish, true), (scenario.cancel, false)] {
            let Some(at) = at else { continue };
            let token = CancellationToken::new();
            run = if is_finish { run.finish_on(token.clone()) } else { run.cancel_on(token.clone()) };
            tokio::spawn(async move {
                sleep(at).await;
                token.cancel();
            });
        }
        let began = Instant::now();
        let mut run = run.spawn();
        let mut events = Vec::new();
        let listens = listen(&mut run, &mut events, began);
        if timeout(scenario.kill.unwrap_or(PATIENCE), listens).await.is_err() {
            let ran = Ran { events, ended: None, afterwards: 0 };
            return match scenario.kill {
                Some(_) => Ok((ran, Some(run))),
                None => Err(Wrong { reason: "the run never ends".to_owned(), lines: ran.lines() }),
            };
        }
        let ended = run.await.map_err(|error| error.to_string());
        let (operations, _) = self.model.on_course();
        sleep(AFTERWARDS).await;
        let afterwards = self.model.on_course().0 - operations;
        Ok((Ran { events, ended: Some(ended), afterwards }, None))
    }

    /// How many operations and effects there were in the last run.
    pub(super) fn counted(&self) -> (usize, usize) {
        self.model.on_course()
    }
}

async fn listen(run: &mut RunHandle, events: &mut Vec<(Duration, EventKind)>, began: Instant) {
    while let Some(Event { kind, .. }) = run.next().await {
        events.push((began.elapsed(), kind));
    }
}
