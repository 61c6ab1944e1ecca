//! Runs: their settings, their start, and their events.

mod handle;
mod lifecycle;
mod options;
mod runtime;

use std::fmt;
use std::future::{Future, IntoFuture, poll_fn};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use self::lifecycle::Begun;
use self::options::Settings;
use super::{Engine, RunOptions};
use crate::events::error::EngineError;
use crate::events::event::{Event, InterruptKind};
use crate::events::event_queue::{EventReceiver, EventSender, queue};
use crate::events::interrupt::Interrupt;
use crate::events::sink::EventSink;
use crate::events::summary::Summary;
use crate::graph::{Graph, NodeId, Tag};
use crate::inputs::blocking::{is_large, offload};
use crate::persistence::run_lock::LockWait;
use crate::sdk::context::{RunId, RunMode};
use crate::tables::selection::Selection;

pub use self::handle::RunHandle;
pub(crate) use self::lifecycle::FinishedRun;

/// A run that has not begun, from [`Engine::plan`], [`Engine::apply`] and similar methods.
///
/// A run begins when it is awaited, with or without a [sink](Self::sink) for its events, or when it is
/// [spawned](Self::spawn), which returns a [handle](RunHandle). Both need a tokio runtime built with
/// `enable_all`; without one, the run [fails](EngineError::NoRuntime).
///
/// ```
/// use std::sync::Arc;
/// use std::time::{Duration, UNIX_EPOCH};
/// use converge_core::prelude::embed::*;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let registry = Registry::new();
/// # let graph = Loader::new(&registry).load_text("empty.hcl", "").into_graph()?;
/// let engine = Engine::new(Arc::new(LocalSystem::new()));
/// let mut events = Vec::new();
/// let summary = engine
///     .apply(&graph)
///     .deadline(Duration::from_mins(30))
///     .grace(Duration::from_secs(10))
///     .sink(&mut |event| events.push(event))
///     .await?;
/// assert_eq!((summary.changed, events.len()), (0, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Events
///
/// A run is a task of its own and does not wait for its subscriber. Results are queued until they are
/// received. Events that only report [progress](super::EventKind::is_progress) have room for 1,024; the rest
/// is dropped and [counted](super::EventKind::ProgressLeftOut). A slow sink receives its events later. On a
/// runtime with one thread, a slow sink stalls the run, as anything that blocks there does. A sink that
/// panics receives no more events; the run proceeds to its end, and then the panic is resumed in the caller.
///
/// # Stopping
///
/// A run can be stopped in two ways. When it is asked to *finish*, it starts nothing new, and running work
/// ends normally. When it is *cancelled*, running work has the [grace](Self::grace) period to end by itself.
/// Then its future is dropped, which kills the programs that it runs. In both cases the events and the result
/// tell what was begun, and pending refreshes are in the journal. The lock is released when no work is left.
///
/// An [interrupt](Self::interrupt) asks this run for either, a [token](Self::cancel_on) asks all runs that
/// have it, and a [deadline](Self::deadline) cancels. Dropping the handle of a run, or the future of one that
/// is awaited, cancels it. The run then ends in the background while its runtime exists.
#[must_use = "a run does nothing before it is awaited or spawned"]
pub struct Run<T = Summary, E = EngineError, S = ()> {
    engine: Engine,
    graph: Arc<Graph>,
    settings: Settings,
    start: Result<Start<T, E>, E>,
    sink: S,
}

/// The work of a run, and the conversion of its result.
///
/// For a large graph both run on the blocking pool ([aside]).
pub(crate) struct Start<T, E> {
    pub(crate) options: RunOptions,
    begin: Option<Begin<E>>,
    finish: Box<dyn FnOnce(FinishedRun) -> T + Send>,
}

/// A function that checks whether a run of the graph may begin, and returns a further selection.
type Begin<E> = Box<dyn FnOnce(&Graph) -> Result<Selection, E> + Send>;

impl<T, E> Start<T, E> {
    pub(crate) fn new(options: RunOptions, finish: impl FnOnce(FinishedRun) -> T + Send + 'static) -> Self {
        Self { options, begin: None, finish: Box::new(finish) }
    }

    /// Adds a check to perform before the run begins.
    pub(crate) fn after(self, begin: impl FnOnce(&Graph) -> Result<Selection, E> + Send + 'static) -> Self {
        Self { begin: Some(Box::new(begin)), ..self }
    }
}

impl<T, E, S> fmt::Debug for Run<T, E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Engine {
    /// Checks every resource, and changes nothing.
    ///
    /// # Errors
    ///
    /// The run fails if resources depend on each other in a cycle, or if a [target](Run::target) does not
    /// exist. It also fails if a type [needs](converge_sdk::Preparer::NEEDS) state which the engine does not have.
    /// Failures of single resources are in the events and the summary.
    pub fn plan(&self, graph: &Arc<Graph>) -> Run {
        self.run_for_summary(graph, RunMode::Plan)
    }

    /// Checks every resource, changes those that differ, and checks them again.
    ///
    /// # Errors
    ///
    /// The same as for [`plan`](Self::plan). The run also fails if the [state](Self::with_state_folder)
    /// folder cannot be used, or if its lock is not available in time.
    pub fn apply(&self, graph: &Arc<Graph>) -> Run {
        self.run_for_summary(graph, RunMode::Apply)
    }

    fn run_for_summary(&self, graph: &Arc<Graph>, mode: RunMode) -> Run {
        Run::new(self, graph, Ok(Start::new(RunOptions::new(mode), |finished| finished.summary)))
    }

    fn new_run_id(&self) -> RunId {
        let elapsed = self.system.clock().now().duration_since(UNIX_EPOCH).unwrap_or_default();
        RunId::new(format!("{:x}", elapsed.as_nanos()))
    }
}

impl<T, E> Run<T, E> {
    pub(crate) fn new(engine: &Engine, graph: &Arc<Graph>, start: Result<Start<T, E>, E>) -> Self {
        let (engine, graph) = (engine.clone(), Arc::clone(graph));
        Self { engine, graph, settings: Settings::new(), start, sink: () }
    }
}

impl<T, E, S> Run<T, E, S> {
    /// Also returns the graph that was run.
    ///
    /// It is the loaded graph with the instances of each `for_each` that only the run could find. These
    /// instances have reports too, so views of the reports need this graph.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use converge_core::Registry;
    /// # use converge_core::engine::Engine;
    /// # use converge_core::load::Loader;
    /// # use converge_core::system::LocalSystem;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let text = "locals { all = [\"a\"] }\noutput \"all\" { value = local.all }";
    /// let graph = Loader::new(&Registry::new()).load_text("site.hcl", text).into_graph()?;
    /// let engine = Engine::new(Arc::new(LocalSystem::new()));
    /// let (summary, grown) = engine.plan(&graph).with_graph().await?;
    /// assert!(summary.is_success());
    /// // No instance is found here.
    /// assert_eq!(grown.nodes().len(), graph.nodes().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_graph(self) -> Run<(T, Arc<Graph>), E, S>
    where
        T: 'static,
    {
        let Self { engine, graph, settings, start, sink } = self;
        let start = start.map(|Start { options, begin, finish }| {
            let finish = Box::new(|finished: FinishedRun| {
                let grown = Arc::clone(finished.grown_graph());
                (finish(finished), grown)
            });
            Start { options, begin, finish: finish as Box<dyn FnOnce(FinishedRun) -> (T, Arc<Graph>) + Send> }
        });
        Run { engine, graph, settings, start, sink }
    }

    /// Sets the id of the run. The default is derived from the start time.
    pub fn id(mut self, id: RunId) -> Self {
        self.settings.id = Some(id);
        self
    }

    /// Cancels the run when it takes longer.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings.deadline = Some(deadline);
        self
    }

    /// Sets the time that running work has to end by itself after a cancellation.
    ///
    /// The work sees the cancellation by [`Context::cancellation`](converge_sdk::Context::cancellation). Without a
    /// grace period, it is dropped at once.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Sets the maximum number of resources worked on at once.
    ///
    /// It replaces the setting of the [engine](Engine::with_parallelism).
    pub fn parallelism(mut self, parallelism: NonZeroUsize) -> Self {
        self.settings.parallelism = Some(parallelism);
        self
    }

    /// Sets the maximum wait of an apply for others.
    ///
    /// It replaces the setting of the [engine](Engine::with_lock_wait).
    pub fn lock_wait(mut self, wait: LockWait) -> Self {
        self.settings.lock_wait = Some(wait);
        self
    }

    /// Cancels the run when the token is cancelled. There may be several tokens.
    ///
    /// If the token is already cancelled, nothing is begun.
    pub fn cancel_on(mut self, token: CancellationToken) -> Self {
        self.settings.stops.add(InterruptKind::Cancel, token);
        self
    }

    /// Lets running work finish when the token is cancelled, and starts nothing new.
    ///
    /// There may be several tokens.
    pub fn finish_on(mut self, token: CancellationToken) -> Self {
        self.settings.stops.add(InterruptKind::Finish, token);
        self
    }

    /// Restricts the run to this resource and its direct and indirect dependencies.
    ///
    /// Several targets are combined. A module, a switch or a `for_each` stands for everything inside it.
    /// Other resources have no events; the [summary](Summary::left_out) has their number.
    ///
    /// If a resource outside the selection is refreshed by a change of a selected
    /// one, its refresh becomes pending.
    pub fn target(mut self, target: NodeId) -> Self {
        self.settings.selection.targets.push(target);
        self
    }

    /// Restricts the run to the resources with this [tag](crate::graph::Node::tags) and their dependencies.
    ///
    /// Several tags and [targets](Self::target) are combined.
    pub fn tag(mut self, tag: Tag) -> Self {
        self.settings.selection.tags.push(tag);
        self
    }

    /// Leaves out this resource; a module, a switch or a `for_each` stands for everything inside it.
    ///
    /// Resources that only wait for it continue in the same order, as with a `when` that is false. Resources
    /// that look up one of its values cannot be worked on and are left out too. Leaving out takes precedence
    /// over [`target`](Self::target) and [`tag`](Self::tag).
    ///
    /// Resources that are left out have no events; the [summary](Summary::left_out) has their number.
    pub fn skip(mut self, skip: NodeId) -> Self {
        self.settings.selection.skips.push(skip);
        self
    }

    /// Leaves out the resources with this [tag](crate::graph::Node::tags), as [`skip`](Self::skip) does.
    pub fn skip_tag(mut self, tag: Tag) -> Self {
        self.settings.selection.skip_tags.push(tag);
        self
    }

    /// Records which paths each check reads: [`ResourceReport::reads`](super::ResourceReport::reads).
    ///
    /// While none of these paths changes, the resource is as the check found it.
    pub fn observe_reads(mut self) -> Self {
        if let Some(options) = self.options() {
            options.observes_reads = true;
        }
        self
    }

    /// Returns the interrupt of this run. A clone can be sent to another thread.
    pub fn interrupt(&self) -> &Interrupt {
        &self.settings.interrupt
    }

    /// Returns the options of the run, or `None` if it cannot begin.
    pub(crate) fn options(&mut self) -> Option<&mut RunOptions> {
        self.start.as_mut().ok().map(|start| &mut start.options)
    }

    fn start(self, events: Option<EventSender>, receive: Option<EventReceiver>) -> RunHandle<T, E>
    where
        T: Send + 'static,
        E: From<EngineError> + Send + 'static,
    {
        let Self { engine, graph, mut settings, start, sink: _ } = self;
        let id = settings.id.clone().unwrap_or_else(|| engine.new_run_id());
        let interrupt = settings.interrupt.clone();
        let span = tracing::info_span!("run", id = id.as_str());
        let new_run = Begun { id: id.clone(), span: span.clone(), events };
        let work = async move {
            let Start { options, begin, finish } = start?;
            let is_large = is_large(&graph);
            if let Some(begin) = begin {
                let graph = Arc::clone(&graph);
                settings.selection.add(offload(is_large, move || begin(&graph)).await??);
            }
            let finished = lifecycle::run(&engine, &graph, options, &settings, new_run).await?;
            Ok(offload(is_large, || finish(finished)).await?)
        };
        let run = runtime::current().map(|runtime| runtime.spawn(work.instrument(span)));
        RunHandle::new(id, receive, run, interrupt)
    }
}

impl<T, E> Run<T, E> {
    /// Sends the events to this sink while the run is awaited.
    pub fn sink(self, sink: &mut dyn EventSink) -> Run<T, E, &mut dyn EventSink> {
        let Self { engine, graph, settings, start, sink: () } = self;
        Run { engine, graph, settings, start, sink }
    }

    /// Starts the run in the background. If it could not begin, awaiting the handle returns the error.
    pub fn spawn(self) -> RunHandle<T, E>
    where
        T: Send + 'static,
        E: From<EngineError> + Send + 'static,
    {
        let (send, receive) = queue();
        self.start(Some(send), Some(receive))
    }
}

type Running<'a, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

impl<T, E> IntoFuture for Run<T, E>
where
    T: Send + 'static,
    E: From<EngineError> + Send + 'static,
{
    type Output = Result<T, E>;
    type IntoFuture = Running<'static, T, E>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.start(None, None).await })
    }
}

impl<'a, T, E> IntoFuture for Run<T, E, &'a mut dyn EventSink>
where
    T: Send + 'static,
    E: From<EngineError> + Send + 'static,
{
    type Output = Result<T, E>;
    type IntoFuture = Running<'a, T, E>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Self { engine, graph, settings, start, sink } = self;
            let run = Run { engine, graph, settings, start, sink: () };
            let mut handle = run.spawn();
            let mut listener = Listener { sink, panic: None };
            while let Some(event) = next(&mut handle, &mut listener).await {
                listener.call(|sink| sink.emit(event));
            }
            let ended = handle.await;
            match listener.panic {
                Some(panic) => resume_unwind(panic),
                None => ended,
            }
        })
    }
}

/// Returns the next event; the sink is flushed if there is none for now.
async fn next<T, E>(handle: &mut RunHandle<T, E>, listener: &mut Listener<'_>) -> Option<Event> {
    poll_fn(|cx| {
        let polled = handle.poll_event(cx);
        if polled.is_pending() {
            listener.call(|sink| sink.flush());
        }
        polled
    })
    .await
}

/// A sink, until it panics.
struct Listener<'a> {
    sink: &'a mut dyn EventSink,
    panic: Option<Box<dyn std::any::Any + Send>>,
}

impl Listener<'_> {
    fn call(&mut self, call: impl FnOnce(&mut dyn EventSink)) {
        if self.panic.is_none() {
            // After a panic, the sink is never used again.
            self.panic = catch_unwind(AssertUnwindSafe(|| call(self.sink))).err();
        }
    }
}
