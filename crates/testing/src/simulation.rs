//! Simulations of a module under many conditions: orders, speeds, failures, interrupts and kills.
//!
//! A test of one resource covers that resource. A test of one run covers a module when everything goes well,
//! in one order. Neither shows that the result differs when two resources change places, or that the next run
//! does not complete an interrupted one.
//!
//! A [`Simulation`] makes runs of a module on the [model host](crate::system::ModelSystem). A *seed*
//! determines each run:
//!
//! - how many resources run at once, and which ready resource starts next,
//! - how long every operation on the machine takes, which effects fail, and which operation is never
//!   answered,
//! - when the run is asked to finish, cancelled, out of time or killed.
//!
//! Time is virtual, so nothing waits. The same seed makes the same run each time.
//!
//! ```
//! use converge_core::prelude::*;
//! use converge_core::system::{ModelSystem, WriteFile};
//! use converge_core::testing::simulation::Simulation;
//!
//! /// A file with one line.
//! #[derive(Debug, Preparer, Export)]
//! #[preparer(name = "line", task = Self, register = false)]
//! struct Line {
//!     /// The path.
//!     path: String,
//!     /// The line.
//!     #[export]
//!     text: String,
//! }
//!
//! impl Task for Line {
//!     async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
//!         let file = cx.system().files().read(self.path.as_ref()).await?;
//!         let is = file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
//!         let mut status = Status::new();
//!         status.add_difference("text", is.unwrap_or_default(), &self.text);
//!         status.raise_level_for_diffs();
//!         Ok(status)
//!     }
//!
//!     async fn apply(&mut self, cx: &Context) -> Result<Status> {
//!         cx.system().files().write(self.path.as_ref(), WriteFile::new(self.text.as_bytes())).await?;
//!         Ok(Status::new())
//!     }
//! }
//!
//! let registry = converge_core::Registry::new().with::<Line>()?;
//! let module = r#"
//!     line "a" { path = "/etc/a" text = "one" }
//!     line "b" { path = "/etc/b" text = "{{lookup `line.a.text`}} and two" }
//! "#;
//! Simulation::new(&registry, module)
//!     .start(|| ModelSystem::new().with_dir("/etc"))
//!     .holds(|runs| match runs.machine().file("/etc/b") {
//!         Some(b"one and two") => Ok(()),
//!         other => Err(format!("/etc/b is {other:?}")),
//!     })
//!     .run();
//! # Ok::<(), converge_core::RegistryError>(())
//! ```
//!
//! # Checks
//!
//! A simulation checks each run, in addition to the conditions of the author:
//!
//! - The events are well-formed: each resource is reported once, and its progress lies between its start and
//!   its end.
//! - The dependencies of a resource have ended before it starts.
//! - A group, and the lock of a type, is held by one resource at a time.
//! - Dependents of a failed resource are skipped, and name the failure as their cause.
//! - After an interrupt nothing starts. Cancelled work ends at once, and after the end nothing happens on the
//!   machine.
//! - Failures never cause a panic, and every run ends.
//!
//! A simulation also checks successive runs:
//!
//! - Without failures, every order ends with the same machine and the same outcomes.
//! - After a run with trouble, the next run without trouble ends in that state too.
//! - A pending refresh is made by the same run or by the next.
//! - One more run changes nothing.
//! - The same scenario makes the same run again. Otherwise a resource reads a clock, random numbers or state
//!   of the process.

mod failure;
mod invariants;
mod run;
mod run_record;
mod scenario;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use self::failure::Wrong;
use self::run::Stage;
use self::scenario::Size;
use super::laws::{Begin, Start, description};
use crate::graph::{Graph, NodeId};
use crate::sdk::registry::Registry;
use crate::system::{Machine, ModelSystem};
use crate::types::panic_guard::guarded;
use crate::types::value::{Text, Value};
use converge_engine::Outcome;
use converge_load::Loader;

pub use failure::Found;
pub use run_record::Ran;
pub use scenario::{NoScenario, Scenario};

/// The default number of seeds.
const SEEDS: u64 = 100;

/// The number of scenarios that run twice to check that they are reproducible.
const TWICE: u64 = 4;

/// The environment variable with the one seed to run; simulations of `converge-controller` read it too.
const SEED: &str = "CONVERGE_SEED";

type Holds = Box<dyn Fn(&Runs) -> Result<(), String>>;

/// The simulations of one module. The [module documentation](self) lists the checks.
pub struct Simulation<'r> {
    registry: &'r Registry,
    module: String,
    params: Vec<(String, Value)>,
    start: Box<dyn Fn() -> Start>,
    beside: Vec<String>,
    holds: Vec<Holds>,
    seeds: u64,
    orders_only: bool,
}

impl fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").field("module", &self.module).finish_non_exhaustive()
    }
}

/// The runs of one scenario, one after the other on the same machine.
#[derive(Debug)]
pub struct Runs {
    scenario: Scenario,
    all: Vec<Ran>,
    graph: Arc<Graph>,
    machine: Machine,
}

impl Runs {
    /// Returns the scenario of the first run.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the run that the scenario controls.
    pub fn first(&self) -> &Ran {
        // The list is never empty, because every scenario starts with a run.
        &self.all[0]
    }

    /// Returns all runs.
    ///
    /// If the scenario disturbs the first run, the second run repairs the machine. The last run has nothing
    /// left to do.
    pub fn all(&self) -> &[Ran] {
        &self.all
    }

    /// Returns the graph of the module.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the machine after all runs.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (number, run) in (1..).zip(&self.all) {
            lines.push(format!("run {number}"));
            lines.extend(run.lines());
        }
        lines
    }
}

/// The expected end: the result of a run without trouble.
struct End {
    machine: Machine,
    outcomes: BTreeMap<NodeId, Outcome>,
    size: Size,
}

impl<'r> Simulation<'r> {
    /// Creates a simulation of the text of a module with these types.
    ///
    /// The machine has only the directories `/etc`, `/srv` and `/tmp`, unless [`start`](Self::start) sets
    /// another one.
    pub fn new(registry: &'r Registry, module: impl Into<String>) -> Self {
        let empty = || ModelSystem::new().with_dir("/etc").with_dir("/srv").with_dir("/tmp");
        Self {
            registry,
            module: module.into(),
            params: Vec::new(),
            start: Box::new(move || empty.begin()),
            beside: Vec::new(),
            holds: Vec::new(),
            seeds: SEEDS,
            orders_only: false,
        }
    }

    /// Sets the start machine, and the application state if the resources need one.
    pub fn start(mut self, start: impl Begin + 'static) -> Self {
        self.start = Box::new(move || start.begin());
        self
    }

    /// Sets a parameter of the module.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.push((name.into(), value.into()));
        self
    }

    /// Excludes a path with everything below it, or a fact, from comparisons, with the reason.
    pub fn beside(mut self, (what, reason): (impl Into<String>, &str)) -> Self {
        let _ = reason;
        self.beside.push(what.into());
        self
    }

    /// Adds a condition on the runs of every scenario.
    ///
    /// `Err` explains the violation. A panic, as of `assert!`, counts as a violation too.
    pub fn holds(mut self, invariant: impl Fn(&Runs) -> Result<(), String> + 'static) -> Self {
        self.holds.push(Box::new(invariant));
        self
    }

    /// Sets the number of seeds. The default is 100.
    pub fn seeds(mut self, seeds: u64) -> Self {
        self.seeds = seeds;
        self
    }

    /// Varies only orders and speeds, without failures or interrupts.
    pub fn orders_only(mut self) -> Self {
        self.orders_only = true;
        self
    }

    /// Tries all seeds, or only the one in the environment variable `CONVERGE_SEED`.
    ///
    /// # Errors
    ///
    /// The first failure, with the smallest scenario that shows it.
    pub fn check(&self) -> Result<(), Box<Found>> {
        let seed: Option<u64> = from_env(SEED);
        self.check_seeds(seed.map_or(0..self.seeds, |seed| seed..seed.saturating_add(1)))
    }

    /// Tries all seeds, or only the one in the environment variable `CONVERGE_SEED`.
    ///
    /// # Panics
    ///
    /// A scenario fails. The message contains the events and the line that replays them.
    #[track_caller]
    #[expect(clippy::panic, reason = "that is how a test fails")]
    pub fn run(&self) {
        if let Err(failure) = self.check() {
            panic!("{failure}");
        }
    }

    /// Tries one scenario, in the form in which a failure prints it.
    ///
    /// # Panics
    ///
    /// The scenario fails, or the text is not a valid scenario.
    #[track_caller]
    #[expect(clippy::panic, reason = "that is how a test fails")]
    pub fn replay(&self, scenario: &str) {
        let scenario: Scenario = match scenario.parse() {
            Ok(scenario) => scenario,
            Err(error) => panic!("{error}"),
        };
        let replayed = self.end().and_then(|(graph, end)| {
            let tried = self.try_out(&graph, &end, &scenario, true);
            tried.map_err(|violation| {
                Box::new(Found {
                    seed: None,
                    scenario: scenario.clone(),
                    smallest: scenario,
                    wrong: violation,
                })
            })
        });
        if let Err(failure) = replayed {
            panic!("{failure}");
        }
    }

    fn check_seeds(&self, seeds: std::ops::Range<u64>) -> Result<(), Box<Found>> {
        let (graph, end) = self.end()?;
        for seed in seeds {
            let scenario = Scenario::of_seed(seed, end.size, self.orders_only);
            let Err(violation) = self.try_out(&graph, &end, &scenario, seed < TWICE) else { continue };
            let (smallest, violation) = self.shrink(&graph, &end, &scenario, violation);
            return Err(Box::new(Found { seed: Some(seed), scenario, smallest, wrong: violation }));
        }
        Ok(())
    }

    /// Returns the graph and the result of a run without trouble, one resource after the other.
    fn end(&self) -> Result<(Arc<Graph>, End), Box<Found>> {
        let scenario = Scenario::default();
        let failure = |violation| {
            Box::new(Found {
                seed: None,
                scenario: scenario.clone(),
                smallest: scenario.clone(),
                wrong: violation,
            })
        };
        let mut loader = Loader::new(self.registry).with_app_state((self.start)().state);
        for (name, value) in &self.params {
            loader = loader.with_param(Text::from(name.as_str()), value.clone());
        }
        let graph =
            loader.load_text("simulation.hcl", self.module.as_str()).into_graph().map_err(|error| {
                failure(Wrong { reason: format!("the module cannot be loaded:\n{error}"), lines: Vec::new() })
            })?;
        let stage = self.stage(&graph, None);
        let run = stage.apply(&scenario).map_err(failure)?;
        let (operations, effects) = stage.counted();
        let end =
            End { machine: stage.machine(), outcomes: outcomes(&run), size: Size { operations, effects } };
        if let Err(violation) = self.try_out(&graph, &end, &scenario, true) {
            return Err(failure(violation));
        }
        Ok((graph, end))
    }

    fn stage<'s>(&'s self, graph: &'s Arc<Graph>, end: Option<&End>) -> Stage<'s> {
        let Start { model, state } = (self.start)();
        model.let_time_follow_tokio();
        let operations = end.map(|end| end.size.operations);
        Stage { graph, model: Arc::new(model), state, operations, beside: &self.beside }
    }

    /// Makes the runs of one scenario and checks them.
    fn try_out(&self, graph: &Arc<Graph>, end: &End, scenario: &Scenario, twice: bool) -> Result<(), Wrong> {
        let stage = self.stage(graph, Some(end));
        let first = stage.apply(scenario)?;
        let (mut machine, lines) = (stage.machine(), first.lines());
        let mut runs = Runs {
            scenario: scenario.clone(),
            all: vec![first],
            graph: Arc::clone(graph),
            machine: machine.clone(),
        };
        let violation = |runs: &Runs, reason: String| Wrong { reason, lines: runs.lines() };
        invariants::check(graph, runs.first()).map_err(|reason| violation(&runs, reason))?;
        if scenario.is_disturbed() {
            let next = stage.apply(&Scenario::default())?;
            runs.all.push(next);
            machine = stage.machine();
            invariants::check(graph, &runs.all[1]).map_err(|reason| violation(&runs, reason))?;
            invariants::refreshes_are_made(graph, &runs.all[0], &runs.all[1])
                .map_err(|reason| violation(&runs, reason))?;
            same_failures(end, &runs.all[1]).map_err(|reason| violation(&runs, reason))?;
        } else {
            same_outcomes(end, runs.first()).map_err(|reason| violation(&runs, reason))?;
        }
        if machine != end.machine {
            let differing = description::differing(&machine, &end.machine);
            let reason = if scenario.is_disturbed() {
                format!("the next run does not end where one does in which nothing goes wrong: {differing}")
            } else {
                format!("the end depends on the order in which things happen: {differing}")
            };
            return Err(violation(&runs, reason));
        }
        let last = stage.apply(&Scenario::default())?;
        runs.all.push(last);
        runs.machine = stage.machine();
        if runs.machine != machine {
            let differing = description::differing(&runs.machine, &machine);
            return Err(violation(&runs, format!("one more run changes the machine again: {differing}")));
        }
        if let Some(changed) =
            runs.all.last().and_then(|run| run.reports().find(|report| report.outcome == Outcome::Changed))
        {
            let reason = format!("one more run says that it has changed {}", changed.id.short());
            return Err(violation(&runs, reason));
        }
        for invariant in &self.holds {
            let result = guarded(|| invariant(&runs)).unwrap_or_else(Err);
            result.map_err(|reason| violation(&runs, reason))?;
        }
        if twice {
            let stage = self.stage(graph, Some(end));
            let second = stage.apply(scenario)?;
            if second.lines() != lines {
                let reason = format!(
                    "the same scenario makes another run the second time, so something depends on what is not the machine: a clock \
                     or random numbers that do not come from `cx.system()`, or state of the process. The second time:\n{}",
                    second.lines().join("\n")
                );
                return Err(violation(&runs, reason));
            }
        }
        Ok(())
    }

    /// Removes the parts of a scenario that are not needed for the failure.
    fn shrink(
        &self,
        graph: &Arc<Graph>,
        end: &End,
        scenario: &Scenario,
        violation: Wrong,
    ) -> (Scenario, Wrong) {
        let (mut smallest, mut violation) = (scenario.clone(), violation);
        loop {
            let smaller = smallest.smaller().into_iter().find_map(|smaller| {
                let violation = self.try_out(graph, end, &smaller, false).err()?;
                Some((smaller, violation))
            });
            match smaller {
                Some(smaller) => (smallest, violation) = smaller,
                None => return (smallest, violation),
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "what is tried is said to the test, and not to a machine")]
fn from_env<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

fn outcomes(run: &Ran) -> BTreeMap<NodeId, Outcome> {
    run.reports().map(|report| (report.id.clone(), report.outcome)).collect()
}

/// Checks that the outcome of each resource does not depend on the order.
fn same_outcomes(end: &End, run: &Ran) -> Result<(), String> {
    for (id, outcome) in outcomes(run) {
        let target = end.outcomes.get(&id);
        if target != Some(&outcome) {
            let target = target.map_or_else(|| "nothing".to_owned(), |wanted| format!("{wanted:?}"));
            let id = id.short();
            return Err(format!(
                "what comes of {id} depends on the order in which things happen: {outcome:?}, and {target} one after the other"
            ));
        }
    }
    Ok(())
}

/// Checks that only resources that fail in a run without trouble fail in the repairing run.
fn same_failures(end: &End, run: &Ran) -> Result<(), String> {
    let has_failed = |outcome: Option<&Outcome>| matches!(outcome, Some(Outcome::Failed | Outcome::Skipped));
    for report in run.reports() {
        let failed = has_failed(Some(&report.outcome));
        if failed && !has_failed(end.outcomes.get(&report.id)) {
            let message = report.failure.as_ref().map_or("", |failure| &failure.message);
            let id = report.id.short();
            return Err(format!(
                "after a run in which something went wrong, the next one cannot do {id}: {message}"
            ));
        }
    }
    Ok(())
}
