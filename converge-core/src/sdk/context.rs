//! What the engine hands to every resource.

use std::any::Any;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use crate::redact::Redactor;
use crate::sdk::app_state::AppState;
use crate::sdk::error::{Error, Result};
use crate::sdk::keep::{Keep, KeepPlace};
use crate::sdk::progress::{Progress, ProgressTarget};
use crate::system::System;
use crate::types::id::NodeId;

/// Names one run of the engine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct RunId(Arc<str>);

impl RunId {
    /// A run id of the caller's choice.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a run may change the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum RunMode {
    /// Check only.
    Plan,
    /// Check, change, check again.
    Apply,
}

/// Whether a resource is to be refreshed: what `on_change_of` comes to for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Refreshing {
    /// The module does not say `on_change_of`.
    #[default]
    Never,
    /// It does, and no refresh is due; or it is not known yet whether one is, as in a check.
    NotNow,
    /// A refresh is due, and this apply is the one that has to bring it about.
    Now,
}

/// The list behind [`Context::pending`], made when it is first asked for.
#[derive(Clone, Debug)]
pub(crate) struct Pending(Option<Arc<LazyList>>);

type LazyList = LazyLock<Arc<[NodeId]>, Box<dyn FnOnce() -> Arc<[NodeId]> + Send>>;

impl Pending {
    pub(crate) fn lazy(list: impl FnOnce() -> Arc<[NodeId]> + Send + 'static) -> Self {
        Self(Some(Arc::new(LazyLock::new(Box::new(list)))))
    }

    fn get(&self) -> &[NodeId] {
        self.0.as_ref().map_or(&[], |list| list)
    }
}

/// What a resource works with: the system, the run, and how long it may take.
#[derive(Clone, Debug)]
pub struct Context {
    system: Arc<dyn System>,
    run: Arc<OfRun>,
    deadline: Option<tokio::time::Instant>,
    pending: Pending,
    refreshing: Refreshing,
    progress: Option<Arc<ProgressTarget>>,
    keep: KeepPlace,
}

/// What is the same for all resources of a run. It is behind one pointer, as contexts are cloned for each of them, and a clone of the
/// token takes a lock.
#[derive(Clone, Debug)]
struct OfRun {
    id: RunId,
    started: SystemTime,
    mode: RunMode,
    cancellation: CancellationToken,
    redactor: Redactor,
    app_state: AppState,
}

impl Context {
    /// A context with no deadline, for `mode` on `system`, of a run that starts now.
    pub fn new(system: Arc<dyn System>, run: RunId, mode: RunMode) -> Self {
        let started = system.clock().now();
        Self::begun(system, run, mode, started)
    }

    /// As [`new`](Self::new), of a run that began then.
    pub(crate) fn begun(system: Arc<dyn System>, run: RunId, mode: RunMode, started: SystemTime) -> Self {
        let run = OfRun {
            id: run,
            started,
            mode,
            cancellation: CancellationToken::new(),
            redactor: Redactor::new(),
            app_state: AppState::new(),
        };
        Self {
            system,
            run: Arc::new(run),
            deadline: None,
            pending: Pending(None),
            refreshing: Refreshing::Never,
            progress: None,
            keep: KeepPlace::Unsaid,
        }
    }

    /// Keeps what the resource keeps there.
    pub(crate) fn with_keep(mut self, keep: KeepPlace) -> Self {
        self.keep = keep;
        self
    }

    /// Tells this of the progress of the resource.
    pub(crate) fn with_progress(mut self, progress: Arc<ProgressTarget>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Works on this system in the place of the one that it has.
    #[cfg(feature = "engine")]
    pub(crate) fn with_system(mut self, system: Arc<dyn System>) -> Self {
        self.system = system;
        self
    }

    #[cfg(feature = "engine")]
    pub(crate) fn shared_system(&self) -> &Arc<dyn System> {
        &self.system
    }

    /// Hides these secrets in the output of the run.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        Arc::make_mut(&mut self.run).redactor = redactor;
        self
    }

    /// Has the state of the application.
    pub fn with_app_state(mut self, state: AppState) -> Self {
        Arc::make_mut(&mut self.run).app_state = state;
        self
    }

    /// Cancels with `cancellation`.
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> Self {
        Arc::make_mut(&mut self.run).cancellation = cancellation;
        self
    }

    /// Ends at `deadline`; an earlier one stays.
    pub fn with_deadline(mut self, deadline: tokio::time::Instant) -> Self {
        self.deadline = Some(self.deadline.map_or(deadline, |have| have.min(deadline)));
        self
    }

    /// Says which dependencies have changes that this run does not make.
    pub fn with_pending(mut self, pending: impl Into<Arc<[NodeId]>>) -> Self {
        let pending = pending.into();
        self.pending = Pending::lazy(move || pending);
        self
    }

    pub(crate) fn with_lazy_pending(mut self, pending: Pending) -> Self {
        self.pending = pending;
        self
    }

    /// Says whether the resource is refreshed.
    pub fn with_refreshing(mut self, refreshing: Refreshing) -> Self {
        self.refreshing = refreshing;
        self
    }

    /// The machine. Every effect goes through it.
    pub fn system(&self) -> &dyn System {
        &*self.system
    }

    /// One text that the resource keeps from run to run: what is drawn once and stays, such as a password. Its type says that it does:
    ///
    /// ```
    /// use converge_core::prelude::*;
    ///
    /// /// A token that is drawn once.
    /// #[derive(Debug, Preparer)]
    /// #[preparer(name = "example.token", task = Token, register = false)]
    /// struct TokenPreparer {}
    ///
    /// impl Resource for TokenPreparer {
    ///     const KEEPS: bool = true;
    ///
    ///     async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Token> {
    ///         Ok(Token { value: None })
    ///     }
    /// }
    ///
    /// /// The token.
    /// #[derive(Debug, Export)]
    /// struct Token {
    ///     /// The token, once it was drawn.
    ///     #[export(computed)]
    ///     value: Option<Secret<String>>,
    /// }
    ///
    /// impl Task for Token {
    ///     async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
    ///         let mut status = Status::new();
    ///         self.value = cx.keep().get().await?;
    ///         if self.value.is_none() {
    ///             status.add_difference("value", DiffValue::Placeholder("(none)".to_owned()), DiffValue::Unknown);
    ///             status.raise_level_for_diffs();
    ///         }
    ///         Ok(status)
    ///     }
    ///
    ///     async fn apply(&mut self, cx: &Context) -> Result<Status> {
    ///         let drawn = cx.system().random().below(std::num::NonZeroU64::MAX).await?;
    ///         // It is kept before anybody sees it.
    ///         cx.keep().put(&Secret::new(format!("{drawn:016x}"))).await?;
    ///         Ok(Status::new())
    ///     }
    /// }
    /// ```
    pub fn keep(&self) -> Keep<'_> {
        Keep::new(&self.keep, self.mode() == RunMode::Apply)
    }

    /// The value of type `T` that the program has [given](AppState) to its resources.
    ///
    /// A type that cannot work without it says so, `#[preparer(.., needs = Store)]`, and a program that does not give it is told
    /// before anything runs. See the [guide](crate::guide::state).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use converge_core::system::ModelSystem;
    /// use converge_core::{AppState, testing};
    ///
    /// struct Tenant(&'static str);
    ///
    /// let cx = testing::context(&Arc::new(ModelSystem::new())).with_app_state(AppState::new().with(Tenant("blue")));
    /// assert_eq!(cx.state::<Tenant>()?.0, "blue");
    /// # Ok::<(), converge_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The program gives none.
    pub fn state<T: Any + Send + Sync>(&self) -> Result<&T> {
        Ok(self.run.app_state.get()?)
    }

    /// As [`state`](Self::state), to be kept: by a task from one call to the next, or by a thread.
    ///
    /// # Errors
    ///
    /// The program gives none.
    pub fn shared_state<T: Any + Send + Sync>(&self) -> Result<Arc<T>> {
        Ok(self.run.app_state.get_shared()?)
    }

    /// All that the program gives.
    pub fn app_state(&self) -> &AppState {
        &self.run.app_state
    }

    /// The secrets of the run, which are taken out of all that it says.
    ///
    /// Those of the module are among them. A task that comes to know one by itself, such as a password that it reads from a file,
    /// adds it with [`hide`](Redactor::hide).
    pub fn redactor(&self) -> &Redactor {
        &self.run.redactor
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.run.id
    }

    /// Whether this run may change the machine.
    pub fn mode(&self) -> RunMode {
        self.run.mode
    }

    /// In a plan, the dependencies (direct and indirect) whose changes have not been made. What a
    /// check does not find may be made by one of them, so it should then say
    /// [`MayChange`](crate::StatusLevel::MayChange) rather than fail.
    pub fn pending(&self) -> &[NodeId] {
        self.pending.get()
    }

    /// Whether one of [`pending`](Self::pending) is a resource of this type. What a check finds may then not be what an apply
    /// finds: where an account is about to change, its name may come to stand for another id.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use converge_core::system::ModelSystem;
    /// use converge_core::graph::NodeId;
    /// use converge_core::{Context, RunMode, RunId};
    ///
    /// let group = NodeId::root().child("module.people").child("user.group.admins");
    /// let cx = Context::new(Arc::new(ModelSystem::new()), RunId::new("run"), RunMode::Plan).with_pending([group]);
    /// assert!(cx.is_pending("user.group"));
    /// assert!(!cx.is_pending("user"));
    /// ```
    pub fn is_pending(&self, resource_type: &str) -> bool {
        self.pending().iter().any(|id| id.is_of(resource_type))
    }

    /// Whether the resource is to be refreshed. A resource whose `apply` does not always amount to a refresh asks here
    /// whether this time it must: an apply that only enables a service would otherwise count as the refresh that
    /// restarts it.
    pub fn refreshing(&self) -> Refreshing {
        self.refreshing
    }

    /// When the run started, by the clock of the machine. What is done once in a run, and leaves a time behind, is done when
    /// that time is earlier. Resources of a run share no memory, so that is how one finds what another has done.
    pub fn started(&self) -> SystemTime {
        self.run.started
    }

    /// Tells whoever watches the run how far the work is.
    pub fn progress(&self) -> Progress<'_> {
        Progress::new(self.system(), self.redactor(), self.progress.as_ref())
    }

    /// Completes when the run is cancelled.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.run.cancellation
    }

    /// Time left before the deadline; `None` without one.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(tokio::time::Instant::now()))
    }

    /// Gives up early in a long piece of work.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] when the run was cancelled, [`Error::DeadlineExceeded`] after the deadline.
    pub fn check_cancelled(&self) -> Result<()> {
        if self.run.cancellation.is_cancelled() {
            return Err(Error::Cancelled);
        }
        match self.deadline {
            Some(deadline) if tokio::time::Instant::now() >= deadline => {
                Err(Error::DeadlineExceeded { after: tokio::time::Instant::now() - deadline })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
