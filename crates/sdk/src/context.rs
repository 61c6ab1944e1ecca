//! The context that the engine passes to each resource.

use std::any::Any;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use crate::app_state::AppState;
use crate::declared_things::Declared;
use crate::error::{Error, Result};
use crate::keep::{Keep, KeepPlace};
use crate::progress::{Progress, ProgressTarget};
use crate::redact::Redactor;
use crate::system::System;
use crate::types::id::NodeId;

/// The id of one run of the engine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct RunId(Arc<str>);

impl RunId {
    /// Creates a run id from any text.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a run may change the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum RunMode {
    /// The run checks only.
    Plan,
    /// The run checks, applies changes and checks again.
    Apply,
}

/// Whether a resource is to be refreshed, as a result of its `on_change_of`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Refreshing {
    /// The module does not set `on_change_of`.
    #[default]
    Never,
    /// The module sets `on_change_of`, but no refresh is due or it is not yet known, as in a check.
    NotNow,
    /// A refresh is due, and this apply must perform it.
    Now,
}

/// The list behind [`Context::pending`], computed on first use.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Pending(Option<Arc<LazyList>>);

type LazyList = LazyLock<Arc<[NodeId]>, Box<dyn FnOnce() -> Arc<[NodeId]> + Send>>;

impl Pending {
    #[doc(hidden)]
    pub fn lazy(list: impl FnOnce() -> Arc<[NodeId]> + Send + 'static) -> Self {
        Self(Some(Arc::new(LazyLock::new(Box::new(list)))))
    }

    fn get(&self) -> &[NodeId] {
        self.0.as_ref().map_or(&[], |list| list)
    }
}

/// The context of a resource: the system, the run and the deadline.
#[derive(Clone, Debug)]
pub struct Context {
    system: Arc<dyn System>,
    run: Arc<RunContext>,
    deadline: Option<tokio::time::Instant>,
    pending: Pending,
    refreshing: Refreshing,
    progress: Option<Arc<ProgressTarget>>,
    keep: KeepPlace,
}

/// The part of a context that is the same for all resources of a run.
///
/// The value is behind one pointer, because a context is cloned for each resource and a clone of the
/// cancellation token takes a lock.
#[derive(Clone, Debug)]
struct RunContext {
    id: RunId,
    started: SystemTime,
    mode: RunMode,
    cancellation: CancellationToken,
    redactor: Redactor,
    app_state: AppState,
    declared: Declared,
}

impl Context {
    /// Creates a context without a deadline, for a run that starts now.
    pub fn new(system: Arc<dyn System>, run: RunId, mode: RunMode) -> Self {
        let started = system.clock().now();
        Self::new_at(system, run, mode, started)
    }

    /// Like [`new`](Self::new), for a run that started at `started`.
    #[doc(hidden)]
    pub fn new_at(system: Arc<dyn System>, run: RunId, mode: RunMode, started: SystemTime) -> Self {
        let run = RunContext {
            id: run,
            started,
            mode,
            cancellation: CancellationToken::new(),
            redactor: Redactor::new(),
            app_state: AppState::new(),
            declared: Declared::default(),
        };
        Self {
            system,
            run: Arc::new(run),
            deadline: None,
            pending: Pending(None),
            refreshing: Refreshing::Never,
            progress: None,
            keep: KeepPlace::Undeclared,
        }
    }

    /// Sets the place of the resource's kept text.
    #[doc(hidden)]
    pub fn with_keep(mut self, place: KeepPlace) -> Self {
        self.keep = place;
        self
    }

    #[doc(hidden)]
    pub fn with_progress(mut self, progress: Arc<ProgressTarget>) -> Self {
        self.progress = Some(progress);
        self
    }

    #[doc(hidden)]
    pub fn with_system(mut self, system: Arc<dyn System>) -> Self {
        self.system = system;
        self
    }

    #[doc(hidden)]
    pub fn shared_system(&self) -> &Arc<dyn System> {
        &self.system
    }

    /// Sets the secrets that are redacted in the output of the run.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        Arc::make_mut(&mut self.run).redactor = redactor;
        self
    }

    /// Sets the application state.
    pub fn with_app_state(mut self, state: AppState) -> Self {
        Arc::make_mut(&mut self.run).app_state = state;
        self
    }

    /// Sets what the resources of the run declare.
    pub fn with_declared(mut self, declared: Declared) -> Self {
        Arc::make_mut(&mut self.run).declared = declared;
        self
    }

    /// Returns what all resources of the run declare.
    pub fn declared(&self) -> &Declared {
        &self.run.declared
    }

    /// Sets the token that cancels the run.
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> Self {
        Arc::make_mut(&mut self.run).cancellation = cancellation;
        self
    }

    /// Sets the deadline, unless the context has an earlier one.
    pub fn with_deadline(mut self, deadline: tokio::time::Instant) -> Self {
        self.deadline = Some(self.deadline.map_or(deadline, |have| have.min(deadline)));
        self
    }

    /// Sets the dependencies that have changes which this run does not make.
    pub fn with_pending(mut self, pending: impl Into<Arc<[NodeId]>>) -> Self {
        let pending = pending.into();
        self.pending = Pending::lazy(move || pending);
        self
    }

    #[doc(hidden)]
    pub fn with_lazy_pending(mut self, pending: Pending) -> Self {
        self.pending = pending;
        self
    }

    /// Sets whether the resource is refreshed.
    pub fn with_refreshing(mut self, refreshing: Refreshing) -> Self {
        self.refreshing = refreshing;
        self
    }

    /// Returns the system, through which a resource reads and changes the machine.
    pub fn system(&self) -> &dyn System {
        &*self.system
    }

    /// Returns the text that the resource keeps between runs, such as a generated password.
    ///
    /// The type must declare it with `KEEPS`:
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

    /// Returns the value of type `T` that the program has [provided](AppState) to its resources.
    ///
    /// A type that cannot work without the value declares it: `#[preparer(.., needs = Store)]`. A program
    /// that does not provide it gets an error before anything runs. See the guide.
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
    /// If the program provides no value of type `T`.
    pub fn state<T: Any + Send + Sync>(&self) -> Result<&T> {
        Ok(self.run.app_state.get()?)
    }

    /// Like [`state`](Self::state), but returns an `Arc` for use across calls or in a thread.
    ///
    /// # Errors
    ///
    /// If the program provides no value of type `T`.
    pub fn shared_state<T: Any + Send + Sync>(&self) -> Result<Arc<T>> {
        Ok(self.run.app_state.get_shared()?)
    }

    /// Returns the whole application state.
    pub fn app_state(&self) -> &AppState {
        &self.run.app_state
    }

    /// Returns the secrets of the run, which are redacted in all its output.
    ///
    /// The secrets of the module are included. A task that learns a secret itself, such as a password in a
    /// file, adds it with [`hide`](Redactor::hide).
    pub fn redactor(&self) -> &Redactor {
        &self.run.redactor
    }

    /// Returns the id of the run.
    pub fn run(&self) -> &RunId {
        &self.run.id
    }

    /// Returns whether this run may change the machine.
    pub fn mode(&self) -> RunMode {
        self.run.mode
    }

    /// Returns the direct and indirect dependencies whose changes a plan has not made.
    ///
    /// Something that a check does not find may be created by one of them. The check then returns
    /// [`MayChange`](crate::StatusLevel::MayChange) instead of an error.
    pub fn pending(&self) -> &[NodeId] {
        self.pending.get()
    }

    /// Whether one of [`pending`](Self::pending) is a resource of this type.
    ///
    /// The result of a check may then differ from that of an apply. For example, when an account is about to
    /// change, its name may later refer to another id.
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

    /// Returns whether the resource is to be refreshed.
    ///
    /// A resource whose `apply` does not always amount to a refresh must ask. Otherwise an apply that only
    /// enables a service would count as the refresh that restarts it.
    pub fn refreshing(&self) -> Refreshing {
        self.refreshing
    }

    /// Returns the start of the run, by the clock of the machine.
    ///
    /// An action that is done once per run and leaves a timestamp is due when that timestamp is earlier.
    /// Resources of a run share no memory, so this is how one finds out what another has done.
    pub fn started(&self) -> SystemTime {
        self.run.started
    }

    /// Returns the reporter of progress events.
    pub fn progress(&self) -> Progress<'_> {
        Progress::new(self.system(), self.redactor(), self.progress.as_ref())
    }

    /// Returns the token that is cancelled when the run is cancelled.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.run.cancellation
    }

    /// Returns the time left before the deadline; `None` without a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(tokio::time::Instant::now()))
    }

    /// Returns an error if a long operation should stop early.
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
