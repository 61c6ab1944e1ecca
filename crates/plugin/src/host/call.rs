//! A call of a plugin from its start to its result, including the requests that the plugin makes in it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::Value as Json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::super::protocol::{
    Ask, CallContext, CallResult, ChangeTarget, Effect, FromHost, Method, ProgressOf, WireError,
    WireRefreshing, WireValue,
};
use super::handles::Handles;
use super::limits::PluginLimits;
use super::process::{Event, Process};
use super::requests::{Machine, answer};
use crate::sdk::context::{Context, Refreshing};
use crate::sdk::error::{Error, Result};
use crate::sdk::resource::Renderer;
use crate::system::{SystemError, SystemErrorKind};
use crate::types::json_forms::{Bytes, to_nanos};

/// The maximum number of open requests of one call.
///
/// A plugin with more does not read the answers, and is stopped.
const MAX_OPEN_REQUESTS: usize = 1024;

/// The connection of one task to its plugin process.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) process: Arc<Process>,
    pub(super) task: u64,
    pub(super) handles: Arc<Handles>,
    pub(super) id: String,
    /// The name of the plugin in messages: "the plugin `acme`".
    pub(super) plugin: Arc<str>,
    pub(super) limits: PluginLimits,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.process.drop_task(self.task);
    }
}

pub(super) struct PrepareArgs {
    pub(super) resource: &'static str,
    pub(super) fields: IndexMap<String, WireValue>,
}

impl Link {
    /// Makes a call, answers the requests of the plugin in it and returns its result.
    ///
    /// The call ends when the future is dropped.
    pub(super) async fn call(
        &self,
        method: Method,
        cx: &Context,
        renderer: Option<&dyn Renderer>,
        given: Option<PrepareArgs>,
    ) -> Result<CallResult> {
        let (id, mut events) = self.process.open_call();
        let open = OpenCall { link: self, id, method };
        let (resource, fields) = given.map(|target| (target.resource.to_owned(), target.fields)).unzip();
        let context = Some(Box::new(self.context(cx)));
        self.process.say(&FromHost::Call { id, method, task: Some(self.task), resource, fields, context });
        let machine = Machine {
            cx,
            renderer,
            handles: &self.handles,
            process: &self.process,
            call: id,
            ask: 0,
            temporary: false,
        };
        let mut requests = OpenRequests::default();
        let mut refused = None;
        let mut cancelled = pin!(cx.cancellation().cancelled());
        let mut is_told = false;
        let mut silence = pin!(tokio::time::sleep(self.limits.silence));
        let mut timer = None;
        loop {
            // While the system answers a request, a test clock may advance: that time is the system's own.
            timer = if requests.is_empty() { timer.or_else(super::test_clock::stop_clock) } else { None };
            let next = poll_fn(|task| {
                if let Poll::Ready(done) = requests.poll(task) {
                    return Poll::Ready(Next::Done(done));
                }
                if let Poll::Ready(event) = events.poll_recv(task) {
                    return Poll::Ready(Next::Event(event));
                }
                if !is_told && cancelled.as_mut().poll(task).is_ready() {
                    return Poll::Ready(Next::Cancelled);
                }
                if requests.is_empty() && silence.as_mut().poll(task).is_ready() {
                    return Poll::Ready(Next::Silent);
                }
                Poll::Pending
            });
            match next.await {
                Next::Done(Done { ask, answer, room }) => self.process.answer(id, ask, answer, room),
                Next::Event(None) => return Err(self.has_ended()),
                Next::Event(Some(Event::Result { ok, error })) => {
                    std::mem::forget(open);
                    return self.result(method, (ok, error), refused);
                }
                Next::Event(Some(Event::Ask { ask, question })) => {
                    match self.question(method, question, &mut refused) {
                        Ok(question) => {
                            let temporary = self.is_temporary_change(&question);
                            requests.add(ask, perform(Machine { ask, temporary, ..machine }, question));
                        }
                        Err(error) => requests.add(ask, refuse(&self.process, ask, error)),
                    }
                    if requests.len() > MAX_OPEN_REQUESTS {
                        self.process.fail(format!(
                            "sent more than {MAX_OPEN_REQUESTS} requests without reading the answers"
                        ));
                    }
                }
                Next::Event(Some(Event::Forget { ask })) => requests.forget(ask),
                Next::Event(Some(Event::Progress(progress))) => tell(cx, &progress),
                Next::Event(Some(Event::Hide(secret))) => {
                    cx.redactor().hide(&secret);
                }
                Next::Cancelled => {
                    is_told = true;
                    self.process.say(&FromHost::Cancel { id });
                }
                Next::Silent => {
                    let after = self.limits.silence;
                    self.process.fail(format!(
                        "sent nothing for {after:?} in {} of {}",
                        method.as_str(),
                        self.id
                    ));
                }
            }
            silence.as_mut().reset(deadline(self.limits.silence));
        }
    }

    /// Parses a request, and refuses one that changes the machine in a call that must change nothing.
    fn question(
        &self,
        method: Method,
        question: Json,
        refused: &mut Option<String>,
    ) -> std::result::Result<Ask, SystemError> {
        let name = question.get("do").and_then(Json::as_str).unwrap_or("nothing").to_owned();
        let question: Ask = serde_json::from_value(question).map_err(|error| {
            SystemError::other("ask", format!("for `{name}`"), SystemErrorKind::Other(error.to_string()))
        })?;
        if question.effect() == Effect::Changes
            && !method.may_change()
            && !self.is_temporary_change(&question)
        {
            let reason = format!(
                "{} requested `{name}` in {}, which must not change anything",
                self.plugin,
                method.as_str()
            );
            refused.get_or_insert_with(|| format!("{reason}: that was refused"));
            return Err(SystemError::other("ask", format!("for `{name}`"), SystemErrorKind::Other(reason)));
        }
        Ok(question)
    }

    /// Whether the request changes only files in a temporary directory, which is no change of the machine.
    fn is_temporary_change(&self, question: &Ask) -> bool {
        match question.change_target() {
            ChangeTarget::Path(path) => self.handles.is_temporary(path),
            ChangeTarget::Handle(handle) => self.handles.is_staged_in_temporary(handle),
            ChangeTarget::Elsewhere => false,
        }
    }

    fn has_ended(&self) -> Error {
        let reason = self.process.ended().unwrap_or("has ended");
        Error::msg(format!("{} {reason}", self.plugin))
    }

    /// Converts the result message of the plugin into the result of the call.
    fn result(
        &self,
        method: Method,
        said: (Option<Json>, Option<WireError>),
        refused: Option<String>,
    ) -> Result<CallResult> {
        if let Some(refused) = refused {
            return Err(Error::msg(refused));
        }
        let problem = || format!("{} returned an invalid result of {}", self.plugin, method.as_str());
        match said {
            (Some(ok), None) => {
                serde_json::from_value(ok).map_err(|error| Error::msg(format!("{}: {error}", problem())))
            }
            (None, Some(error)) => Err(error.into()),
            _ => Err(Error::msg(format!("{}: it must have either `ok` or `error`", problem()))),
        }
    }

    fn context(&self, cx: &Context) -> CallContext {
        CallContext {
            id: self.id.clone(),
            run: cx.run().as_str().to_owned(),
            mode: cx.mode(),
            started_ns: to_nanos(cx.started()),
            remaining_ns: cx.remaining().map(|left| u64::try_from(left.as_nanos()).unwrap_or(u64::MAX)),
            refreshing: match cx.refreshing() {
                Refreshing::Never => WireRefreshing::Never,
                Refreshing::NotNow => WireRefreshing::NotNow,
                Refreshing::Now => WireRefreshing::Now,
            },
            heard: cx.progress().is_heard(),
            platform: cx.system().platform().clone(),
        }
    }
}

fn deadline(after: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(after).unwrap_or(now)
}

/// Performs a request once there is room for its answer.
async fn perform(
    machine: Machine<'_>,
    question: Ask,
) -> (Result<Json, SystemError>, Option<OwnedSemaphorePermit>) {
    let room = machine.process.room_for_an_answer().await;
    (answer(machine, question).await, room)
}

async fn refuse(
    process: &Process,
    _: u64,
    error: SystemError,
) -> (Result<Json, SystemError>, Option<OwnedSemaphorePermit>) {
    (Err(error), process.room_for_an_answer().await)
}

fn tell(cx: &Context, progress: &ProgressOf) {
    match progress {
        ProgressOf::Step(text) => cx.progress().step(text),
        ProgressOf::Bytes { done, total } => cx.progress().bytes(*done, *total),
        ProgressOf::Line { stream, bytes: Bytes(bytes) } => cx.progress().line(*stream, bytes),
    }
}

enum Next {
    Event(Option<Event>),
    Done(Done),
    Cancelled,
    Silent,
}

struct Done {
    ask: u64,
    answer: Result<Json, SystemError>,
    room: Option<OwnedSemaphorePermit>,
}

type Work<'c> =
    Pin<Box<dyn Future<Output = (Result<Json, SystemError>, Option<OwnedSemaphorePermit>)> + Send + 'c>>;

/// The requests that are being answered.
///
/// A list is enough, as there are few at a time.
#[derive(Default)]
struct OpenRequests<'c>(Vec<(u64, Work<'c>)>);

impl<'c> OpenRequests<'c> {
    fn add(
        &mut self,
        ask: u64,
        work: impl Future<Output = (Result<Json, SystemError>, Option<OwnedSemaphorePermit>)> + Send + 'c,
    ) {
        self.0.push((ask, Box::pin(work)));
    }

    fn forget(&mut self, ask: u64) {
        self.0.retain(|(have, _)| *have != ask);
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<Done> {
        for index in 0..self.0.len() {
            let Some((ask, work)) = self.0.get_mut(index) else { break };
            let ask = *ask;
            if let Poll::Ready((answer, room)) = work.as_mut().poll(task) {
                drop(self.0.remove(index));
                return Poll::Ready(Done { ask, answer, room });
            }
        }
        Poll::Pending
    }
}

/// A call that has no result yet.
///
/// Dropping it tells the plugin to abandon the call. A plugin that does not end the call within the grace
/// period is killed.
struct OpenCall<'a> {
    link: &'a Link,
    id: u64,
    method: Method,
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        let Link { process, limits, id, .. } = self.link;
        if !process.abandon(self.id) {
            return;
        }
        let (process, grace, call) = (Arc::clone(process), limits.grace, self.id);
        let reason =
            format!("did not end {} of {id} within {grace:?} after it was cancelled", self.method.as_str());
        // Without a runtime the run is over, so the plugin process can end at once.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return process.fail(reason) };
        drop(runtime.spawn(async move {
            tokio::time::sleep(grace).await;
            if process.is_open(call) {
                process.fail(reason);
            }
        }));
    }
}
