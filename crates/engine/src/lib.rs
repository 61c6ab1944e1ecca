//! The engine, which plans and applies a graph.
//!
//! This crate owns runs, their events, stored plans and the state folder. It knows the graph and the sources that a run reads,
//! and neither the loader nor the views. It promises nothing by itself: only `converge-sdk` and `converge-core` are API.
//!
//! One coordinator owns the state of a run: the ready nodes, the nodes that may change the machine, and the
//! results of finished ones. Workers take ready nodes from a queue and send back results. If the scheduler
//! has to allow a change first, the worker sends back the node itself.

#[doc(hidden)]
pub mod events;
mod inputs;
#[doc(hidden)]
pub mod persistence;
pub mod plan;
mod run;
mod schedule;
pub mod state;
mod tables;
#[cfg(test)]
mod tests;
mod work;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use converge_graph::{evaluate, graph};
use converge_language::language;
use converge_sdk as sdk;
use converge_system as system;
use converge_value::{diagnostic, redact, types};

use crate::sdk::app_state::AppState;
use crate::sdk::context::RunMode;
use crate::state::{Locks, Owner, State};
use crate::system::{LocalSystem, System};
use crate::types::limits::Limits;

use persistence::shared_locks::Sharing;

pub use events::approval::OnDrift;
pub(crate) use events::approval::{Approval, Digest, Key, Shown};
pub use events::difference::Difference;
pub use events::error::{EngineError, RuntimePart};
pub use events::event::{Event, EventKind, InterruptKind};
pub use events::interrupt::Interrupt;
pub use events::lock_wait::{HeldBy, LockKind, Waited};
pub use events::outcome::Outcome;
pub use events::output::{OutputReport, OutputValue};
pub use events::report::{Failure, ResourceReport, Skipped, Stage};
pub use events::sink::EventSink;
pub use events::summary::Summary;
pub use persistence::run_lock::LockWait;
pub(crate) use run::{FinishedRun, Start};
pub use run::{Run, RunHandle};
pub use tables::managed_so_far::managed_paths;
pub(crate) use tables::selection::Selection;
/// A token that stops the runs it is given to: [`Run::cancel_on`], [`Run::finish_on`].
pub use tokio_util::sync::CancellationToken;

/// An engine that plans and applies graphs on one system.
///
/// # Guarantees
///
/// - A resource begins only after all its dependencies have been handled without an error. As many resources
///   run at once as the graph and the [parallelism](Run::parallelism) allow.
/// - The first event is [`EventKind::RunStarted`], the last [`EventKind::RunFinished`]. Between them is
///   exactly one [`EventKind::ResourceFinished`] for each resource, or for each that is
///   [needed](Run::target), whatever fails, panics or is interrupted. Parameters, modules, switches and their
///   cases have none, unless one fails.
/// - An apply that succeeds leaves nothing to do for the next run. A resource that another one undid later
///   in the run is an [`EventKind::ResourceUndone`] before the last event, and counts as failed.
/// - Events about the [progress](EventKind::is_progress) of a resource come before its
///   [`EventKind::ResourceFinished`], and none after it.
/// - Resources in a case that is not taken, or under a `when` that is false, are [`Outcome::NotTaken`], and
///   their dependents continue.
/// - The outcomes do not depend on the order in which resources happened to run. With a parallelism of 1 the
///   order of events does not either: the ready resource with the smallest id is next.
/// - In an apply, resources of one `group` never run at the same time. Nor do copies of one resource, which a
///   module that is called twice creates. A plan ignores groups.
/// - In an apply, no two resources whose types have the same lock are changed at the
///   same time. Ready resources of a type with batches are changed together. A
///   waiting resource does not keep any other from being worked on.
/// - No secret of the graph reaches the sink: the [`Redactor`](converge_sdk::Redactor) of the graph removes secrets
///   from every event.
///
/// # Caveats
///
/// - A resource that computes or blocks without ever awaiting keeps its worker busy, and cannot be cancelled
///   before it awaits. Its [`EventKind::ResourceStarted`] may be sent only when the resource ends. The same
///   delay affects results of that worker from the millisecond before, unless something waits for them.
///   Waking others for every file would cost more than checking the file.
#[derive(Clone, Debug)]
pub struct Engine {
    system: Arc<dyn System>,
    parallelism: NonZeroUsize,
    journal: Option<JournalPlace>,
    limits: Limits,
    state: Option<State>,
    sharing: Sharing,
    app_state: AppState,
    /// The seed for the order of ready resources in a simulation; by id if there is none.
    order: Option<u64>,
}

/// The place where pending refreshes are stored.
#[derive(Clone, Debug)]
enum JournalPlace {
    /// A directory of the system.
    System(PathBuf),
    /// The state folder, on the machine of this process. Folders of the system may be writable by others.
    State(Arc<dyn System>),
}

/// The options of a run.
#[derive(Debug)]
pub(crate) struct RunOptions {
    pub(crate) mode: RunMode,
    /// Whether all reports and exports are kept until the end, and not only the exports that are looked up.
    pub(crate) keeps_all: bool,
    /// Whether the reports say which paths the checks read.
    pub(crate) observes_reads: bool,
    /// Plan: the key for digests of the changes shown.
    pub(crate) key: Option<Key>,
    /// Apply: the changes that are allowed, or all if there is no approval.
    pub(crate) approval: Option<Approval>,
}

impl RunOptions {
    pub(crate) fn new(mode: RunMode) -> Self {
        Self { mode, keeps_all: false, observes_reads: false, key: None, approval: None }
    }
}

impl Engine {
    /// Creates an engine for `system`.
    ///
    /// Its default parallelism is the number of processors available to this process.
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

    /// Returns the same engine for another system, or for the current state of the machine.
    ///
    /// A system reads the facts of the machine once, so that a plan and its apply see the same.
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

    /// Sets the maximum number of resources worked on at once; a run can set its [own](Run::parallelism).
    ///
    /// The type excludes zero. serde reads a `NonZeroUsize` from a configuration, text is parsed as one, and
    /// a constant is created with `const`:
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

    /// Limits the resources of a run: the text that it reads, and the work of expressions and templates.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Stores pending refreshes in this directory, so that a later run makes those that this one does not.
    ///
    /// See the guide for the guarantees.
    ///
    /// The directory is on the engine's system. It is created with its parents when the first refresh becomes
    /// pending, and is empty while none is. Next to it is a file with its name and `.salt`: a random value,
    /// without which the hashes in the records cannot be guessed. A pending refresh belongs to a resource of
    /// a root module, by the file of the module and the id of the resource. If the module has moved, the
    /// declaration of the resource identifies it. One directory is therefore enough for all modules of a
    /// machine. Graphs that were built in Rust all count as one module: give each application a directory of
    /// its own.
    ///
    /// Texts that resources [keep](converge_sdk::Context::keep) from run to run are next to it too, in a directory
    /// with its name and `.kept`.
    ///
    /// Without a journal, pending refreshes are lost at the end of a run, and resources that keep something
    /// cannot be applied.
    pub fn with_journal(mut self, directory: impl Into<PathBuf>) -> Self {
        self.journal = Some(JournalPlace::System(directory.into()));
        self
    }

    /// Sets the application state that resources get with [`Context::state`](converge_sdk::Context::state).
    ///
    /// Any earlier state is replaced. The state of the application is unrelated to the
    /// [folder](Self::with_state_folder) in which runs store pending refreshes.
    ///
    /// A `Loader` with the same state reports types that need more
    /// while a module is loaded.
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

    /// Takes ready resources in a pseudo-random order from this seed.
    ///
    /// The outcome of a run does not depend on the order, which a simulation
    /// verifies.
    #[doc(hidden)]
    pub fn with_order(self, order: u64) -> Self {
        Self { order: Some(order), ..self }
    }

    /// Returns the state of the application.
    pub fn app_state(&self) -> &AppState {
        &self.app_state
    }

    /// Lets one apply at a time work on the machine, among all processes with the same state folder.
    ///
    /// An apply waits for the one before, up to [`with_lock_wait`](Self::with_lock_wait). Pending refreshes
    /// are stored in the [state](State::journal) folder too, and so are the texts that resources
    /// [keep](State::kept).
    ///
    /// The lock ends with the process, however that ends. If a run is killed, the programs it had started
    /// hold the lock until they end. Background processes left by a script do not hold it.
    ///
    /// A plan does not wait, and reports when an apply is running.
    pub fn with_state_folder(self, state: State) -> Self {
        let journal = Some(JournalPlace::State(Arc::new(LocalSystem::new())));
        Self { state: Some(state), journal, ..self }
    }

    /// Sets the owner of the runs.
    ///
    /// Runs of different owners are separate, even with one [state](Self::with_state_folder),
    /// [journal](Self::with_journal) and [locks](Self::with_locks):
    ///
    /// - They neither wait for nor learn about each other.
    /// - A refresh that is pending for one is not made by another, even if they use the same modules.
    /// - A `group` of one is not a group of another.
    ///
    /// Runs without an owner together form one more owner, without a name.
    ///
    /// The [system](crate::system::LocalSystem::builder) determines what a run may see of the machine.
    pub fn with_owner(mut self, owner: Owner) -> Self {
        self.sharing.owner = Some(owner);
        self
    }

    /// Returns the owner of the runs.
    pub fn owner(&self) -> Option<&Owner> {
        self.sharing.owner.as_ref()
    }

    /// Shares type locks and groups among engines with the same [locks](crate::state::Locks).
    ///
    /// Groups are shared only among engines of one owner.
    ///
    /// Otherwise each run has its own locks, which is enough if one apply at a time works on a machine.
    ///
    /// A resource that waits for another run occupies no worker, and its `timeout` is paused.
    pub fn with_locks(mut self, locks: Locks) -> Self {
        self.sharing.locks = Some(locks);
        self
    }

    /// Sets the maximum wait of an apply for another one, unless a run sets its [own](Run::lock_wait).
    ///
    /// The maximum also applies to each resource that waits for a [lock](Self::with_locks) of another run.
    /// Without it, waits are unlimited. A resource that does not get its lock fails and names the lock.
    pub fn with_lock_wait(mut self, wait: LockWait) -> Self {
        self.sharing.wait = wait;
        self
    }
}
