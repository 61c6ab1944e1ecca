//! Plans and applies a graph.
//!
//! One coordinator owns the state of a run: which nodes are ready, which may change the machine, what each
//! finished one left behind. Workers take ready nodes from a queue and send back what came of them, or the node itself
//! when the scheduler has to let it change the machine.

mod approval;
mod attempt;
mod attempt_progress;
mod batch;
mod blocking;
mod condition;
mod coordinator;
mod difference;
mod duplicates;
mod emitter;
mod environment;
mod error;
mod event;
mod event_queue;
mod expand;
mod failed_attempt;
mod instance_selection;
mod interrupt;
mod job;
mod journal;
pub(crate) mod keep_store;
mod lock_wait;
mod managed_so_far;
mod node_flags;
mod node_identity;
mod outbox;
mod outcome;
mod output;
mod partial_reports;
mod pending_changes;
mod planned_exports;
mod progress_events;
mod redaction;
mod refresh_identity;
mod refreshes;
mod rendering;
mod report;
mod root_outputs;
mod run;
mod run_lock;
mod run_mark;
mod run_tables;
mod scope;
pub(crate) mod seconds;
mod secret_exposure;
mod selection;
mod shared_locks;
mod sink;
mod summary;
#[cfg(test)]
mod tests;
mod timeout;
mod work_queue;
mod worker;
mod worker_message;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use crate::sdk::app_state::AppState;
use crate::sdk::context::RunMode;
use crate::state::{Locks, Owner, State};
use crate::system::{LocalSystem, System};
use crate::types::limits::Limits;

use shared_locks::Sharing;

pub use approval::OnDrift;
pub(crate) use approval::{Approval, Digest, Key, Shown};
pub use difference::Difference;
pub use error::{EngineError, RuntimePart};
pub use event::{Event, EventKind, InterruptKind};
pub use interrupt::Interrupt;
pub use lock_wait::{HeldBy, LockKind, Waited};
pub use managed_so_far::managed_paths;
pub use outcome::Outcome;
pub use output::{OutputReport, OutputValue};
pub use report::{Failure, ResourceReport, Skipped, Stage};
pub(crate) use run::{FinishedRun, Start};
pub use run::{Run, RunHandle};
pub use run_lock::LockWait;
pub(crate) use selection::Selection;
pub use sink::EventSink;
pub use summary::Summary;
/// Stops runs that have it: [`Run::cancel_on`], [`Run::finish_on`].
pub use tokio_util::sync::CancellationToken;

/// Plans and applies graphs on one system.
///
/// # Guarantees
///
/// - A resource is begun only after everything that it waits for has been handled without an error; as
///   many run at once as the graph and the [parallelism](Run::parallelism) allow.
/// - The first event is [`EventKind::RunStarted`], the last [`EventKind::RunFinished`], and between them there is
///   exactly one [`EventKind::ResourceFinished`] for each resource, or each that is [needed](Run::target), whatever fails, panics or is
///   interrupted. Parameters, modules, switches and their cases have none, unless one fails.
/// - What tells of the [progress](EventKind::is_progress) of a resource comes before its [`EventKind::ResourceFinished`], and none behind it.
/// - What is in a case that is not taken, or under a `when` that is false, is [`Outcome::NotTaken`], and what waits for
///   it goes on.
/// - The outcomes do not depend on the order in which resources happened to run. With a parallelism of 1
///   the order of events does not either: of the resources that are ready, the one with the smallest id is next.
/// - In an apply, resources of one `group` never run at the same time. Nor do copies of one resource, which a
///   module that is used twice makes. A plan ignores groups.
/// - In an apply, no two resources whose types have the same [lock](crate::guide::locks) are changed at the same time, and
///   those of a type with [batches](crate::guide::locks#batches) that are ready together are changed together. What waits for its turn
///   keeps no other resource from being worked on.
///
/// - No secret of the graph is in what the sink gets: its [`Redactor`](crate::Redactor) takes them out of every event.
///
/// # Caveats
///
/// - A resource that computes or makes blocking calls without ever awaiting keeps its worker busy, and
///   cannot be cancelled before it awaits. Its [`EventKind::ResourceStarted`] comes when it ends, and with it what
///   the same worker did in the millisecond before, and nothing waits for or there was enough else to do: waking others for
///   every file costs more than looking at the file.
#[derive(Clone, Debug)]
pub struct Engine {
    system: Arc<dyn System>,
    parallelism: NonZeroUsize,
    journal: Option<JournalPlace>,
    limits: Limits,
    state: Option<State>,
    sharing: Sharing,
    app_state: AppState,
    /// Of what is ready, the order in which it is taken, as a simulation says; by id when nothing is said.
    order: Option<u64>,
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
    /// Whether all reports and exports are kept until the end, and not only the exports that are looked up.
    pub(crate) keeps_all: bool,
    /// Of a plan: what digests of what it shows are made with.
    pub(crate) key: Option<Key>,
    /// Of an apply: what it may do; all when nothing is said.
    pub(crate) approval: Option<Approval>,
}

impl RunOptions {
    pub(crate) fn new(mode: RunMode) -> Self {
        Self { mode, keeps_all: false, key: None, approval: None }
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
            journal: None,
            state: None,
            sharing: Sharing::default(),
            limits: Limits::default(),
            app_state: AppState::new(),
            order: None,
        }
    }

    /// The same engine for another system, or for the machine as it is by now: a system knows from its beginning what the machine is,
    /// so that a plan and its apply see the same.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use converge_core::prelude::embed::*;
    ///
    /// let machine = LocalSystem::new();
    /// let engine = Engine::new(Arc::new(machine.clone()));
    /// // An hour later it may have another name, and more memory.
    /// let engine = engine.with_system(Arc::new(machine.look_again()));
    /// ```
    pub fn with_system(self, system: Arc<dyn System>) -> Self {
        Self { system, ..self }
    }

    /// Works on at most this many resources at once, where a run does not say [otherwise](Run::parallelism).
    ///
    /// None is not a number of resources, so there is no zero to be given. serde reads a `NonZeroUsize` out of a configuration, and
    /// text is parsed as one; a constant is made with `const`:
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    /// use std::sync::Arc;
    /// use converge_core::prelude::embed::*;
    ///
    /// const AT_ONCE: NonZeroUsize = NonZeroUsize::new(4).unwrap();
    /// let engine = Engine::new(Arc::new(LocalSystem::new())).with_parallelism(AT_ONCE);
    ///
    /// let engine = engine.with_parallelism("8".parse()?);
    /// # Ok::<(), std::num::ParseIntError>(())
    /// ```
    pub fn with_parallelism(mut self, parallelism: NonZeroUsize) -> Self {
        self.parallelism = parallelism;
        self
    }

    /// Limits what a run may cost: the text that it reads, and the work of its expressions and templates.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Writes the refreshes that are owed into this directory, so that they are made by a later run when this one does
    /// not come to them. See the [guide](crate::guide::refresh) for what that promises.
    ///
    /// The directory is one of the system's. It is made, with those around it, when first something is owed; there is
    /// nothing in it while nothing is. Beside it is a file with its name and `.salt`: a random value, without which the hashes in
    /// the records say nothing. What is owed belongs to a resource of a root module, by its file and the id
    /// of the resource, or, where the module has moved, by what the resource is declared to be; so one directory is enough for
    /// all modules of a machine. Graphs that were built in Rust all count as one module: give each application a directory
    /// of its own.
    ///
    /// What resources [keep](crate::Context::keep) from run to run is beside it too, in a directory with its name and `.kept`.
    ///
    /// Without this, what is owed at the end of a run is forgotten, and resources that keep something cannot be applied.
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

    /// Takes what is ready in an order that comes of this number. What comes of a run does not depend on it, which a
    /// [simulation](crate::testing::simulation) tries.
    #[cfg(feature = "testing")]
    pub(crate) fn in_order(self, order: u64) -> Self {
        Self { order: Some(order), ..self }
    }

    /// The state of the application.
    pub fn app_state(&self) -> &AppState {
        &self.app_state
    }

    /// Lets one apply at a time work on the machine: of all that have the same state, whatever process they are in. It waits
    /// for the one before, as [`with_lock_wait`](Self::with_lock_wait) says. The refreshes that are owed are in the
    /// [state](State::journal), too, and so is what resources [keep](State::kept).
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

    /// How long an apply waits for another one, and each of its resources for a [lock](Self::with_locks) that another run has, where
    /// a run does not say [otherwise](Run::lock_wait); for ever when nothing is said. A resource that does not get its lock fails, and says for which.
    pub fn with_lock_wait(mut self, wait: LockWait) -> Self {
        self.sharing.wait = wait;
        self
    }
}
