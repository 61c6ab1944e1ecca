//! Runs: what is asked for, how it begins, and how it is followed.

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
use super::blocking::{aside, is_large};
use super::error::EngineError;
use super::event::{Event, InterruptKind};
use super::event_queue::{EventReceiver, EventSender, queue};
use super::interrupt::Interrupt;
use super::run_lock::LockWait;
use super::selection::Selection;
use super::sink::EventSink;
use super::summary::Summary;
use super::{Engine, RunOptions};
use crate::graph::{Graph, NodeId, Tag};
use crate::sdk::context::{RunId, RunMode};

pub use self::handle::RunHandle;
pub(crate) use self::lifecycle::FinishedRun;

/// A run that has not begun: [`Engine::plan`], [`Engine::apply`] and their like give one.
///
/// It begins when it is awaited, with a [sink](Self::sink) for its events or without one, or when it is
/// [spawned](Self::spawn), which gives a [handle](RunHandle). Either must be done in a tokio runtime that was built with `enable_all`; the
/// error of a run that was begun elsewhere [says so](EngineError::NoRuntime).
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
/// A run is a task of its own, and does not wait for whoever listens to it. Results wait until they are heard; what tells only of
/// [progress](super::EventKind::is_progress) has room for 1,024 events, and what is more is left out and
/// [counted](super::EventKind::ProgressLeftOut). A sink that is slow gets its events later; on a runtime
/// with one thread it keeps that thread from the run, as everything does that blocks there. A sink that panics gets nothing
/// more, the run goes on to its end, and then the panic goes on in whoever awaits the run.
///
/// # Stopping
///
/// There are two ways to stop a run. When it is to *finish*, it starts nothing more, and what is being worked on comes to its end.
/// When it is *cancelled*, what is being worked on has the [grace](Self::grace) to end by itself, and then its future is dropped,
/// which kills the programs that it runs. In both cases what was begun and what was not is in the events and the result, the refreshes
/// that are owed are in the journal, and the lock is released when nothing is being worked on any more.
///
/// An [interrupt](Self::interrupt) asks this run for either, a [token](Self::cancel_on) all runs that have it, and a
/// [deadline](Self::deadline) cancels. To drop the handle of a run, or the future of one that is awaited, is to cancel it: it comes to its
/// end in the background as long as its runtime is there.
#[must_use = "a run does nothing before it is awaited or spawned"]
pub struct Run<T = Summary, E = EngineError, S = ()> {
    engine: Engine,
    graph: Arc<Graph>,
    settings: Settings,
    start: Result<Start<T, E>, E>,
    sink: S,
}

/// What is to be done, and what is made of it. Of a large graph both are found out [aside].
pub(crate) struct Start<T, E> {
    pub(crate) options: RunOptions,
    begin: Option<Begin<E>>,
    finish: Box<dyn FnOnce(FinishedRun) -> T + Send>,
}

/// Sees whether a run of the graph may begin, and gives more that it is about.
type Begin<E> = Box<dyn FnOnce(&Graph) -> Result<Selection, E> + Send>;

impl<T, E> Start<T, E> {
    pub(crate) fn new(options: RunOptions, finish: impl FnOnce(FinishedRun) -> T + Send + 'static) -> Self {
        Self { options, begin: None, finish: Box::new(finish) }
    }

    /// With what has to be seen to before the run begins.
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
    /// Of the run: resources that wait for each other, a [target](Run::target) that is not there, and types that
    /// [need](crate::Preparer::NEEDS) state which the engine does not have. What happens to single resources is in the events and the
    /// summary.
    pub fn plan(&self, graph: &Arc<Graph>) -> Run {
        self.run_for_summary(graph, RunMode::Plan)
    }

    /// Checks every resource, changes what differs, and checks again.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan), and when the [state](Self::with_state_folder) cannot be used, or its lock was not had.
    pub fn apply(&self, graph: &Arc<Graph>) -> Run {
        self.run_for_summary(graph, RunMode::Apply)
    }

    fn run_for_summary(&self, graph: &Arc<Graph>, mode: RunMode) -> Run {
        Run::new(self, graph, Ok(Start::new(RunOptions::new(mode), |finished| finished.summary)))
    }

    fn new_run_id(&self) -> RunId {
        let since = self.system.clock().now().duration_since(UNIX_EPOCH).unwrap_or_default();
        RunId::new(format!("{:x}", since.as_nanos()))
    }
}

impl<T, E> Run<T, E> {
    pub(crate) fn new(engine: &Engine, graph: &Arc<Graph>, start: Result<Start<T, E>, E>) -> Self {
        let (engine, graph) = (engine.clone(), Arc::clone(graph));
        Self { engine, graph, settings: Settings::new(), start, sink: () }
    }
}

impl<T, E, S> Run<T, E, S> {
    /// Gives the graph that was run as well: the one that was loaded, with the instances of each `for_each` that only the run could find. Of
    /// these there are reports, too, so what is told of a run by its reports takes this graph.
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

    /// Names the run. Otherwise it is named by the time at which it begins.
    pub fn id(mut self, id: RunId) -> Self {
        self.settings.id = Some(id);
        self
    }

    /// Cancels the run when it takes longer.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings.deadline = Some(deadline);
        self
    }

    /// How long after a cancellation running work may take to end by itself: it sees
    /// [`Context::cancellation`](crate::Context::cancellation). Nothing when nothing is said: it is dropped at once.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Works on at most this many resources at once, whatever the [engine](Engine::with_parallelism) says.
    pub fn parallelism(mut self, parallelism: NonZeroUsize) -> Self {
        self.settings.parallelism = Some(parallelism);
        self
    }

    /// How long an apply waits for others, whatever the [engine](Engine::with_lock_wait) says.
    pub fn lock_wait(mut self, wait: LockWait) -> Self {
        self.settings.lock_wait = Some(wait);
        self
    }

    /// Cancels the run when the token is cancelled. With one that is cancelled already nothing is begun. There may be several.
    pub fn cancel_on(mut self, token: CancellationToken) -> Self {
        self.settings.stops.add(InterruptKind::Cancel, token);
        self
    }

    /// Lets what is running finish when the token is cancelled, and starts nothing more. There may be several.
    pub fn finish_on(mut self, token: CancellationToken) -> Self {
        self.settings.stops.add(InterruptKind::Finish, token);
        self
    }

    /// Works only on this resource and what it needs: all that it waits for, and what these wait for. With several, on each of
    /// them; of a module, a switch or a `for_each`, on all that is in it. Of the rest there is no event; how much that is, is in the
    /// [summary](Summary::left_out).
    ///
    /// A resource that is [refreshed](crate::guide::refresh) for a change of one of these, and is none of them, is owed the
    /// refresh.
    pub fn target(mut self, target: NodeId) -> Self {
        self.settings.selection.targets.push(target);
        self
    }

    /// Works only on the resources that have this [tag](crate::graph::Node::tags), and on what they need, as with
    /// [`target`](Self::target). With several, and with targets, on what any of them names.
    pub fn tag(mut self, tag: Tag) -> Self {
        self.settings.selection.tags.push(tag);
        self
    }

    /// Leaves out this resource; of a module, a switch or a `for_each`, all that is in it. What only waits for it goes on, as it
    /// would with a `when` that is false, and in the same order. What reads a value of it, in a lookup, cannot be worked on, and is
    /// left out, too. To leave out wins over [`target`](Self::target) and [`tag`](Self::tag).
    ///
    /// Of what is left out there is no event; how much that is, is in the [summary](Summary::left_out).
    pub fn skip(mut self, skip: NodeId) -> Self {
        self.settings.selection.skips.push(skip);
        self
    }

    /// Leaves out the resources that have this [tag](crate::graph::Node::tags), as [`skip`](Self::skip) does.
    pub fn skip_tag(mut self, tag: Tag) -> Self {
        self.settings.selection.skip_tags.push(tag);
        self
    }

    /// Asks this run to stop. A clone can be sent to wherever that is decided.
    pub fn interrupt(&self) -> &Interrupt {
        &self.settings.interrupt
    }

    /// What is to be done; `None` when it cannot be.
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
        let begun = Begun { id: id.clone(), span: span.clone(), events };
        let work = async move {
            let Start { options, begin, finish } = start?;
            let is_large = is_large(&graph);
            if let Some(begin) = begin {
                let graph = Arc::clone(&graph);
                settings.selection.add(aside(is_large, move || begin(&graph)).await??);
            }
            let finished = lifecycle::run(&engine, &graph, options, &settings, begun).await?;
            Ok(aside(is_large, || finish(finished)).await?)
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

    /// Begins the run, which then goes on by itself. Why it could not begin is told where the handle is awaited.
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

/// The next event, where the sink is told when there is none for now.
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

/// A sink until it panics.
struct Listener<'a> {
    sink: &'a mut dyn EventSink,
    panic: Option<Box<dyn std::any::Any + Send>>,
}

impl Listener<'_> {
    fn call(&mut self, call: impl FnOnce(&mut dyn EventSink)) {
        if self.panic.is_none() {
            // After a panic it is never used again.
            self.panic = catch_unwind(AssertUnwindSafe(|| call(self.sink))).err();
        }
    }
}
