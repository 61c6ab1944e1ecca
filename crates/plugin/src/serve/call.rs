//! The calls of the host, each run as a task of the async runtime.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::super::protocol::{
    CallContext, CallResult, FromPlugin, Method, ProgressOf, RunPending, RunRender, WireRefreshing,
    WireStatus, WireValue,
};
use super::host_link::{Current, Link};
use super::system::HostSystem;
use crate::redact::Redactor;
use crate::sdk::context::{Context, Pending, Refreshing, RunId};
use crate::sdk::error::{Error, Result};
use crate::sdk::keep::KeepPlace;
use crate::sdk::progress::{ProgressSink, ProgressTarget, ProgressUpdate, UpdateKind};
use crate::sdk::registry::{AnyTask, Registry};
use crate::sdk::resource::Renderer;
use crate::types::id::NodeId;
use crate::types::json_forms::{Bytes, from_nanos};
use crate::types::panic_guard::panic_message;
use crate::types::value::Value;

pub(super) struct Call {
    pub(super) id: u64,
    pub(super) method: Method,
    pub(super) task: u64,
    pub(super) resource: Option<String>,
    pub(super) fields: Option<IndexMap<String, WireValue>>,
    pub(super) context: Box<CallContext>,
}

/// A task and the call that is current for it.
#[derive(Clone)]
struct Kept {
    current: Arc<Current>,
    task: Arc<tokio::sync::Mutex<Option<Box<dyn AnyTask>>>>,
}

struct Running {
    cancellation: CancellationToken,
    abort: Option<AbortHandle>,
}

type AllRunning = Arc<Mutex<HashMap<u64, Running>>>;

/// The running calls and the prepared tasks.
pub(super) struct Calls {
    registry: Registry,
    link: Arc<Link>,
    runtime: Handle,
    tasks: HashMap<u64, Kept>,
    running: AllRunning,
}

impl Calls {
    pub(super) fn new(registry: Registry, link: Arc<Link>, runtime: Handle) -> Self {
        let (tasks, running) = (HashMap::new(), AllRunning::default());
        Self { registry, link, runtime, tasks, running }
    }

    /// Begins a call.
    ///
    /// Its result is sent when it ends, also after a panic or an abort.
    pub(super) fn begin(&mut self, call: Call) {
        let task = self
            .tasks
            .entry(call.task)
            .or_insert_with(|| Kept { current: Arc::new(Current::new(call.task)), task: Arc::default() });
        let task = task.clone();
        let (id, cancellation) = (call.id, CancellationToken::new());
        let running = Running { cancellation: cancellation.clone(), abort: None };
        lock(&self.running).insert(id, running);
        let work = Work {
            registry: self.registry.clone(),
            link: Arc::clone(&self.link),
            cancellation,
            kept: task,
            call,
        };
        let (link, running_calls) = (Arc::clone(&self.link), Arc::clone(&self.running));
        let handle = self.runtime.spawn(work.run());
        if let Some(running) = lock(&running_calls).get_mut(&id) {
            running.abort = Some(handle.abort_handle());
        }
        self.runtime.spawn(async move {
            let result = match handle.await {
                Ok(result) => result,
                Err(error) if error.is_cancelled() => Err(Error::Cancelled),
                Err(error) => Err(Error::msg(match error.try_into_panic() {
                    Ok(panic) => format!("the resource panicked: {}", panic_message(&*panic)),
                    Err(error) => error.to_string(),
                })),
            };
            lock(&running_calls).remove(&id);
            let (ok, error) = match result.and_then(|reply| serde_json::to_value(reply).map_err(Error::other))
            {
                Ok(reply) => (Some(reply), None),
                Err(error) => (None, Some((&error).into())),
            };
            link.send(&FromPlugin::Result { id, ok, error });
        });
    }

    /// Cancels a call cooperatively.
    pub(super) fn cancel(&self, id: u64) {
        if let Some(running) = lock(&self.running).get(&id) {
            running.cancellation.cancel();
        }
    }

    /// Aborts a call at once.
    pub(super) fn abandon(&self, id: u64) {
        if let Some(running) = lock(&self.running).get(&id) {
            running.cancellation.cancel();
            if let Some(abort) = &running.abort {
                abort.abort();
            }
        }
    }

    /// Drops a task that is no longer needed.
    pub(super) fn forget(&mut self, task: u64) {
        self.tasks.remove(&task);
    }
}

fn lock(running: &AllRunning) -> std::sync::MutexGuard<'_, HashMap<u64, Running>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Work {
    registry: Registry,
    link: Arc<Link>,
    cancellation: CancellationToken,
    kept: Kept,
    call: Call,
}

impl Work {
    async fn run(self) -> Result<CallResult> {
        let Self { registry, link, cancellation, kept, call } = self;
        let Call { id, method, resource, fields, context, .. } = call;
        let mut slot = kept.task.lock().await;
        kept.current.set(id);
        let node: NodeId = context.id.parse()?;
        let renderer = HostRenderer { id: node, link: Arc::clone(&link), current: Arc::clone(&kept.current) };
        let cx = Surroundings { link, current: &kept.current, cancellation, call: id }.context(&context);
        match method {
            Method::Prepare => {
                let name = resource.unwrap_or_default();
                let resource_type = registry.get(&name);
                let resource_type =
                    resource_type.ok_or_else(|| Error::msg(format!("this plugin has no type `{name}`")))?;
                let mut values = vec![None; resource_type.schema().fields.len()];
                for (name, WireValue(value)) in fields.unwrap_or_default() {
                    let index = resource_type.schema().field(&name).map(|(index, _)| index);
                    let place = index.and_then(|index| values.get_mut(index));
                    *place.ok_or_else(|| Error::msg(format!("there is no field `{name}`")))? = Some(value);
                }
                let new_resource =
                    std::panic::catch_unwind(AssertUnwindSafe(|| resource_type.from_values(values)));
                let new_resource = new_resource.map_err(|panic| Error::msg(panic_message(&*panic)))??;
                *slot = Some(new_resource.prepare_any(&cx, &renderer).await?);
                Ok(CallResult::default())
            }
            Method::Check => {
                let task = task(&mut slot)?;
                let status = task.check_any(&cx, &renderer).await?;
                Ok(call_result(&status, &**task))
            }
            Method::Apply => {
                let task = task(&mut slot)?;
                let status = task.apply_any(&cx).await?;
                Ok(call_result(&status, &**task))
            }
            Method::Refresh => {
                let task = task(&mut slot)?;
                let refreshed = task.refresh_any(&cx).await;
                let status = refreshed.ok_or_else(|| Error::msg("this task cannot be refreshed"))??;
                Ok(call_result(&status, &**task))
            }
            Method::Schema => Err(Error::msg("the schema is of no task")),
        }
    }
}

fn task(slot: &mut Option<Box<dyn AnyTask>>) -> Result<&mut Box<dyn AnyTask>> {
    slot.as_mut().ok_or_else(|| Error::msg("this task was not prepared"))
}

fn call_result(status: &crate::sdk::status::Status, task: &dyn AnyTask) -> CallResult {
    let exports = task.exports_any();
    let exports = exports.iter().map(|(name, value)| (name.to_owned(), WireValue(value.clone())));
    CallResult { status: Some(WireStatus::from(status)), exports: Some(exports.collect()) }
}

/// The parts from which the context of a call is built.
struct Surroundings<'a> {
    link: Arc<Link>,
    current: &'a Arc<Current>,
    cancellation: CancellationToken,
    call: u64,
}

impl Surroundings<'_> {
    fn context(self, call_context: &CallContext) -> Context {
        let Self { link, current, cancellation, call } = self;
        let system = HostSystem::new(Arc::clone(&link), Arc::clone(current), call_context.platform.clone());
        let hidden = Arc::clone(&link);
        let redactor = Redactor::with_listener(move |secret| {
            hidden.send(&FromPlugin::Hide { call, secret: secret.to_owned() });
        });
        let started = from_nanos(call_context.started_ns);
        let cx = Context::new_at(
            Arc::new(system),
            RunId::new(call_context.run.as_str()),
            call_context.mode,
            started,
        )
        .with_redactor(redactor)
        .with_cancellation(cancellation)
        .with_keep(KeepPlace::Plugin)
        .with_refreshing(match call_context.refreshing {
            WireRefreshing::Never => Refreshing::Never,
            WireRefreshing::NotNow => Refreshing::NotNow,
            WireRefreshing::Now => Refreshing::Now,
        });
        let end = call_context.remaining_ns.map(Duration::from_nanos);
        let end = end.and_then(|left| tokio::time::Instant::now().checked_add(left));
        let cx = end.into_iter().fold(cx, Context::with_deadline);
        let (asks, current) = (Arc::clone(&link), Arc::clone(current));
        let cx = cx.with_lazy_pending(Pending::lazy(move || {
            // If the host gives no list, nothing is pending.
            let ids = asks.ask_now(&current, RunPending {}).unwrap_or_default();
            ids.iter().filter_map(|id| id.parse::<NodeId>().ok()).collect()
        }));
        if call_context.heard {
            cx.with_progress(Arc::new(ProgressTarget::new(ToHost { link, call })))
        } else {
            cx
        }
    }
}

/// A sink that sends progress events to the host.
#[derive(Debug)]
struct ToHost {
    link: Arc<Link>,
    call: u64,
}

impl ProgressSink for ToHost {
    fn tell(&self, _: UpdateKind, update: &mut dyn FnMut() -> ProgressUpdate) {
        let progress = match update() {
            ProgressUpdate::Bytes { done, total } => ProgressOf::Bytes { done, total },
            ProgressUpdate::Step { text } => ProgressOf::Step(text),
            ProgressUpdate::Output { stream, line, left_out } => {
                let cut =
                    if left_out > 0 { format!(" [{left_out} bytes are left out]") } else { String::new() };
                ProgressOf::Line { stream, bytes: Bytes((line + &cut).into_bytes()) }
            }
        };
        self.link.send(&FromPlugin::Progress { call: self.call, progress });
    }
}

struct HostRenderer {
    id: NodeId,
    link: Arc<Link>,
    current: Arc<Current>,
}

impl Renderer for HostRenderer {
    fn id(&self) -> &NodeId {
        &self.id
    }

    fn render(&self, name: &str, template: &str) -> Result<Value> {
        let question = RunRender { name: name.to_owned(), template: template.to_owned() };
        match self.link.ask_now(&self.current, question) {
            Ok(WireValue(value)) => Ok(value),
            // The error concerns the template, so the details of the system operation are left out.
            Err(error) => Err(Error::msg(error.kind)),
        }
    }
}
