//! Plans and applies a graph.
//!
//! One coordinator owns the state of a run: which nodes are ready, which may change the machine, what each
//! finished one left behind. Workers take ready nodes from a queue and send back what came of them, or the node itself
//! when the scheduler has to let it change the machine.

mod approval;
mod attempt;
mod batch;
mod coordinator;
mod duplicates;
mod error;
mod event;
mod flags;
mod footprint;
mod identify;
mod identity;
mod interrupt;
mod job;
mod journal;
mod limit;
mod marked;
mod message;
mod pending;
mod planned;
mod progress;
mod redacted;
mod refresh;
mod render;
mod run_lock;
mod scope;
mod shared;
mod shared_locks;
#[cfg(test)]
mod tests;
mod watched;
mod when;
mod work_queue;
mod worker;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use crate::graph::{Graph, NodeIndex};
use crate::language::WorkLimits;
use crate::load::missing_state;
use crate::sdk::app_state::AppState;
use crate::sdk::context::{Context, RunId, RunMode};
use crate::sdk::export::Exports;
use crate::state::{Locks, Owner, State};
use crate::system::{LocalSystem, System};

use approval::ShownSink;
use coordinator::Coordinator;
use journal::Journal;
use marked::MarkedSystem;
use redacted::RedactedSink;
use refresh::Refreshes;
use run_lock::{Limits, take};
use shared::Shared;
use shared_locks::Sharing;

pub use approval::OnDrift;
pub(crate) use approval::{Approval, Digest, Key, Shown};
pub use error::EngineError;
pub(crate) use event::seconds;
pub use event::{
    Difference, Event, EventSink, Failure, InterruptKind, Outcome, ResourceReport, Skipped, Stage, Summary,
};
pub use interrupt::Interrupt;
pub use run_lock::LockWait;

/// Plans and applies graphs on one system.
///
/// # Guarantees
///
/// - A resource is begun only after everything that it waits for has been handled without an error; as
///   many run at once as the graph and [`with_parallelism`](Self::with_parallelism) allow.
/// - The first event is [`Event::RunStarted`], the last [`Event::RunFinished`], and between them there is
///   exactly one [`Event::ResourceFinished`] for each resource, whatever fails, panics or is interrupted. Parameters,
///   modules, switches and their cases have none, unless one fails.
/// - What is in a case that is not taken, or under a `when` that is false, is [`Outcome::NotTaken`], and what waits for
///   it goes on.
/// - The outcomes do not depend on the order in which resources happened to run. With a parallelism of 1
///   the order of events does not either: of the resources that are ready, the one with the smallest id is next.
/// - In an apply, resources of one `group` never run at the same time. Nor do copies of one resource, which a
///   module that is used twice makes. A plan ignores groups.
/// - In an apply, no two resources whose types have the same [lock](crate::guide#locks) are changed at the same time, and
///   those of a type with [batches](crate::guide#batches) that are ready together are changed together. What waits for its turn
///   keeps no other resource from being worked on.
///
/// - No secret of the graph is in what the sink gets: its [`Redactor`](crate::Redactor) takes them out of every event.
///
/// # Caveats
///
/// - Both methods must be called in a tokio runtime, with its timer on when there is a deadline, a `timeout` or a `retry`.
/// - A resource that computes or makes blocking calls without ever awaiting keeps its worker busy, and
///   cannot be cancelled before it awaits. Its [`Event::ResourceStarted`] comes when it ends, and with it what
///   the same worker did in the millisecond before, and nothing waits for or there was enough else to do: waking others for
///   every file costs more than looking at the file.
#[derive(Clone, Debug)]
pub struct Engine {
    system: Arc<dyn System>,
    parallelism: NonZeroUsize,
    deadline: Option<Duration>,
    run: Option<RunId>,
    journal: Option<JournalPlace>,
    limits: WorkLimits,
    state: Option<State>,
    sharing: Sharing,
    app_state: AppState,
}

/// Where the refreshes that are owed are written down.
#[derive(Clone, Debug)]
enum JournalPlace {
    /// In a directory of the system.
    System(PathBuf),
    /// In the state, on the machine that this process runs on. What belongs to the system may be for others to write.
    State(Arc<dyn System>),
}

/// How a graph is run.
#[derive(Debug)]
pub(crate) struct RunOptions {
    pub(crate) mode: RunMode,
    /// Whether all exports are kept until the end, and not only those that are looked up.
    pub(crate) keeps_exports: bool,
    /// Of a plan: what digests of what it shows are made with.
    pub(crate) key: Option<Key>,
    /// Of an apply: what it may do; all when nothing is said.
    pub(crate) approval: Option<Approval>,
}

impl RunOptions {
    pub(crate) fn new(mode: RunMode) -> Self {
        Self { mode, keeps_exports: false, key: None, approval: None }
    }
}

/// What is left of a run.
#[derive(Debug)]
pub(crate) struct FinishedRun {
    pub(crate) summary: Summary,
    /// Of a plan with a key: what it showed.
    pub(crate) shown: Vec<Shown>,
    shared: Arc<Shared>,
}

impl FinishedRun {
    pub(crate) fn run_id(&self) -> RunId {
        self.shared.context.run().clone()
    }

    /// What was exported, where it was kept.
    pub(crate) fn exports(&self, index: NodeIndex) -> Option<&Exports> {
        self.shared.exports(index)
    }
}

impl Engine {
    /// An engine for `system`, which works on as many resources at once as this process can use
    /// processors.
    pub fn new(system: Arc<dyn System>) -> Self {
        let parallelism = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            system,
            parallelism,
            deadline: None,
            run: None,
            journal: None,
            state: None,
            sharing: Sharing::default(),
            limits: WorkLimits::default(),
            app_state: AppState::new(),
        }
    }

    /// Works on at most this many resources at once.
    pub fn with_parallelism(mut self, parallelism: NonZeroUsize) -> Self {
        self.parallelism = parallelism;
        self
    }

    /// Cancels a run that takes longer.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Names the runs. Otherwise each is named by the time at which it began.
    pub fn with_run_id(mut self, run: RunId) -> Self {
        self.run = Some(run);
        self
    }

    /// Limits what the expressions and templates of a run may cost, all of them together.
    pub fn with_limits(mut self, limits: WorkLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Writes the refreshes that are owed into this directory, so that they are made by a later run when this one does
    /// not come to them. See the [guide](crate::guide#refresh) for what that promises.
    ///
    /// The directory is one of the system's. It is made, with those around it, when first something is owed; there is
    /// nothing in it while nothing is. Beside it is a file with its name and `.salt`: a random value, without which the hashes in
    /// the records say nothing. What is owed belongs to a resource of a root module, by its file and the id
    /// of the resource, or, where the module has moved, by what the resource is declared to be; so one directory is enough for
    /// all modules of a machine. Graphs that were built in Rust all count as one module: give each application a directory
    /// of its own.
    ///
    /// Without this, what is owed at the end of a run is forgotten.
    pub fn with_journal(mut self, directory: impl Into<PathBuf>) -> Self {
        self.journal = Some(JournalPlace::System(directory.into()));
        self
    }

    /// Gives resources the state of the application, which they get with [`Context::state`](crate::Context::state). What was given
    /// before is replaced. Not to be confused with the [folder](Self::with_state_folder) in which runs keep what they owe.
    ///
    /// A [`Loader`](crate::load::Loader::with_app_state) that has the same finds types that need more while a module is loaded.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use converge_core::prelude::embed::*;
    ///
    /// struct Store;
    ///
    /// let state = AppState::new().with(Store).with_shared(Arc::new(String::from("blue")));
    /// let engine = Engine::new(Arc::new(LocalSystem::new())).with_app_state(state);
    /// assert_eq!(engine.app_state().get::<String>()?, "blue");
    /// # Ok::<(), converge_core::Error>(())
    /// ```
    pub fn with_app_state(self, state: AppState) -> Self {
        Self { app_state: state, ..self }
    }

    /// The state of the application.
    pub fn app_state(&self) -> &AppState {
        &self.app_state
    }

    /// Lets one apply at a time work on the machine: of all that have the same state, whatever process they are in. It waits
    /// for the one before, as [`with_lock_wait`](Self::with_lock_wait) says. The refreshes that are owed are in the
    /// [state](State::journal), too.
    ///
    /// The lock ends with the process, however that ends. Programs that a run had started when it was killed keep it until
    /// they have ended; what a script has left in the background by then does not.
    ///
    /// A plan waits for nobody, and says when an apply is under way.
    pub fn with_state_folder(self, state: State) -> Self {
        let journal = Some(JournalPlace::State(Arc::new(LocalSystem::new())));
        Self { state: Some(state), journal, ..self }
    }

    /// Says whose runs these are. Runs of different owners have nothing of each other, with one
    /// [state](Self::with_state_folder), [journal](Self::with_journal) and [locks](Self::with_locks) too:
    ///
    /// - They do not wait for each other, and are not told of each other.
    /// - What is owed to one is not made by another, also where they use the same modules.
    /// - A `group` of one is not a group of another.
    ///
    /// Runs without an owner are as one more owner, who has no name.
    ///
    /// What a run may see of the machine is for its [system](crate::system::LocalSystem::builder) to say.
    pub fn with_owner(mut self, owner: Owner) -> Self {
        self.sharing.owner = Some(owner);
        self
    }

    /// Whose runs these are.
    pub fn owner(&self) -> Option<&Owner> {
        self.sharing.owner.as_ref()
    }

    /// Shares the locks of resource types, and the groups of an owner, with all engines that have the same
    /// [locks](crate::state::Locks). Otherwise each run has its own, which is enough where one apply at a time works on a machine.
    ///
    /// A resource that waits for another run keeps no worker, and its `timeout` stands still.
    pub fn with_locks(mut self, locks: Locks) -> Self {
        self.sharing.locks = Some(locks);
        self
    }

    /// How long an apply waits for another one, and each of its resources for a [lock](Self::with_locks) that another run has; for
    /// ever when nothing is said. A resource that does not get its lock fails, and says for which.
    pub fn with_lock_wait(mut self, wait: LockWait) -> Self {
        self.sharing.wait = wait;
        self
    }

    /// The part of the state that belongs to the owner.
    fn owned_state(&self) -> Option<State> {
        let state = self.state.as_ref()?;
        Some(self.owner().map_or_else(|| state.clone(), |owner| state.of_owner(owner)))
    }

    /// Checks every resource, and changes nothing.
    ///
    /// # Errors
    ///
    /// Resources that wait for each other, and types that [need](crate::Preparer::NEEDS) state which the engine does not have. What
    /// happens to single resources is in the events and the summary.
    pub async fn plan(
        &self,
        graph: &Arc<Graph>,
        interrupt: &Interrupt,
        sink: &mut dyn EventSink,
    ) -> Result<Summary, EngineError> {
        let finished = self.run(RunOptions::new(RunMode::Plan), graph, interrupt, sink).await?;
        Ok(finished.summary)
    }

    /// Checks every resource, changes what differs, and checks again.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan), and when the [state](Self::with_state_folder) cannot be used, or its lock was not had.
    pub async fn apply(
        &self,
        graph: &Arc<Graph>,
        interrupt: &Interrupt,
        sink: &mut dyn EventSink,
    ) -> Result<Summary, EngineError> {
        let finished = self.run(RunOptions::new(RunMode::Apply), graph, interrupt, sink).await?;
        Ok(finished.summary)
    }

    pub(crate) async fn run(
        &self,
        options: RunOptions,
        graph: &Arc<Graph>,
        interrupt: &Interrupt,
        sink: &mut dyn EventSink,
    ) -> Result<FinishedRun, EngineError> {
        let mode = options.mode;
        let cycles = graph.cycles();
        if !cycles.is_empty() {
            return Err(EngineError::cycles(graph, &cycles));
        }
        let missing = missing_state(graph, &self.app_state);
        if !missing.is_empty() {
            return Err(EngineError::MissingState { diagnostics: missing });
        }
        let redactor = graph.sources().redactor();
        let mut redacted = RedactedSink::new(sink, redactor.clone());
        let mut sink = ShownSink::new(&mut redacted, options.key);
        let deadline = self.deadline.and_then(|after| tokio::time::Instant::now().checked_add(after));
        let state = self.owned_state();
        let lock = match (&state, mode) {
            (None, _) => None,
            (Some(state), RunMode::Plan) => {
                if let Some(holder) = state.holder() {
                    sink.emit(Event::ApplyUnderWay { holder });
                }
                None
            }
            (Some(state), RunMode::Apply) => {
                let limits = Limits { wait: self.sharing.wait, deadline, interrupt };
                Some(take(state, &redactor.redact(&module_name(graph)), &limits, &mut sink).await?)
            }
        };
        let run = self.run.clone().unwrap_or_else(|| self.new_run_id());
        let refreshes = Refreshes::new(Arc::clone(graph), self.journal(graph, &run, state.as_ref()));
        if let (Some(refreshes), RunMode::Apply) = (&refreshes, mode) {
            forget(refreshes, &mut sink).await;
        }
        let system: Arc<dyn System> = match &lock {
            Some(lock) => Arc::new(MarkedSystem::new(Arc::clone(&self.system), lock.marker().clone())),
            None => Arc::clone(&self.system),
        };
        let mut context = Context::new(system, run, mode)
            .with_redactor(redactor.clone())
            .with_app_state(self.app_state.clone())
            .with_cancellation(interrupt.token(InterruptKind::Cancel).child_token());
        if let Some(deadline) = deadline {
            context = context.with_deadline(deadline);
        }
        let finish = interrupt.token(InterruptKind::Finish).clone();
        let shared = Shared::new(Arc::clone(graph), context, finish, refreshes, self.limits)
            .holding(lock)
            .keeping_exports(options.keeps_exports)
            .approving(options.approval);
        let shared = Arc::new(shared);
        let sharing = match mode {
            RunMode::Apply => self.sharing.clone(),
            RunMode::Plan => Sharing::default(),
        };
        let coordinator = Coordinator::new(Arc::clone(&shared), self.parallelism, sharing, &mut sink);
        let summary = coordinator.run(interrupt, deadline).await;
        shared.held.give_all_back();
        Ok(FinishedRun { summary, shown: sink.shown, shared })
    }

    /// The records of the root module of a graph.
    fn journal(&self, graph: &Graph, run: &RunId, state: Option<&State>) -> Option<Journal> {
        let (system, directory) = match self.journal.as_ref()? {
            JournalPlace::System(directory) => (&self.system, owned_journal(directory, self.owner())),
            JournalPlace::State(machine) => (machine, state?.journal()),
        };
        let module = root_module(graph)?;
        let redactor = graph.sources().redactor().clone();
        Some(Journal::new(Arc::clone(system), &directory, module, run.clone(), redactor))
    }

    fn new_run_id(&self) -> RunId {
        let since = self.system.clock().now().duration_since(UNIX_EPOCH).unwrap_or_default();
        RunId::new(format!("{:x}", since.as_nanos()))
    }
}

/// Forgets refreshes that nobody can make any more, and says so.
async fn forget(refreshes: &Refreshes, sink: &mut dyn EventSink) {
    match refreshes.forget().await {
        Ok(forgotten) => forgotten.into_iter().for_each(|record| {
            let since = record.since.to_string();
            let (node, module, causes) = (record.node, record.module, record.causes);
            sink.emit(Event::RefreshForgotten { node, module, since, causes });
        }),
        // It is tried again by the next run.
        Err(error) => tracing::warn!(%error, "old refreshes that are owed cannot be looked through"),
    }
}

/// The records of an owner lie beside those of a run without one.
fn owned_journal(directory: &Path, owner: Option<&Owner>) -> PathBuf {
    let Some(owner) = owner else { return directory.to_owned() };
    let mut owners = directory.as_os_str().to_owned();
    owners.push(".owners");
    PathBuf::from(owners).join(owner.as_str())
}

/// What tells the root module of a graph from others; `None` in a graph without nodes.
fn root_module(graph: &Graph) -> Option<String> {
    let mut modules = graph.nodes().map(|(_, node)| &node.scope.module);
    let root = modules.find(|module| module.call.is_none() && module.id.parent().is_none())?;
    Some(crate::load::module_identity(root))
}

/// What others are told that this run applies.
fn module_name(graph: &Graph) -> String {
    root_module(graph).unwrap_or_else(|| "an empty module".to_owned())
}
