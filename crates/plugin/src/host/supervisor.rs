//! The supervision of a plugin process: start, handshake and restart.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use super::super::protocol::{FromHost, Method, PROTOCOL, WireType};
use super::call::Link;
use super::error::Problem;
use super::file::PluginFile;
use super::handles::Handles;
use super::image::{Image, is_no_program};
use super::limits::PluginLimits;
use super::process::{Event, Process};
use crate::sdk::error::{Error, Result as TaskResult};

/// The number of ends in a run after which a plugin is not started again.
const MAX_ENDS: usize = 2;

/// The state that all clones of a plugin share.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) file: PluginFile,
    /// The name of the plugin in messages: "the plugin `acme`".
    pub(super) shown: Arc<str>,
    pub(super) limits: PluginLimits,
    pub(super) image: Image,
    pub(super) version: String,
    pub(super) types: Vec<WireType>,
    pub(super) next_task: AtomicU64,
    pub(super) state: Mutex<State>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) process: Arc<Process>,
    pub(super) ends: usize,
    pub(super) is_over: bool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.process.end(Duration::ZERO);
    }
}

/// The plugin's description of itself: its version and types.
pub(super) struct Handshake {
    pub(super) process: Arc<Process>,
    pub(super) version: String,
    pub(super) types: Vec<WireType>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Types {
    types: Vec<WireType>,
}

impl Inner {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a task for the resource with this id, and restarts the process if it has ended.
    pub(super) async fn link(supervisor: &Arc<Self>, id: String) -> TaskResult<Link> {
        // A restart blocks. Others that need the process meanwhile wait on a blocking thread.
        let running = match supervisor.state.try_lock() {
            Ok(state) => state.process.ended().is_none().then(|| Arc::clone(&state.process)),
            Err(_) => None,
        };
        let process = if let Some(process) = running {
            process
        } else {
            let supervisor = Arc::clone(supervisor);
            tokio::task::spawn_blocking(move || supervisor.restart()).await??
        };
        let task = supervisor.next_task.fetch_add(1, Ordering::Relaxed);
        let handles = Arc::new(Handles::default());
        process.add_task(task, &handles);
        Ok(Link {
            process,
            task,
            handles,
            id,
            plugin: Arc::clone(&supervisor.shown),
            limits: supervisor.limits,
        })
    }

    /// Starts the process again if it has ended, and returns the running process.
    fn restart(&self) -> TaskResult<Arc<Process>> {
        let mut state = self.state();
        let Some(reason) = state.process.ended().map(str::to_owned) else {
            return Ok(Arc::clone(&state.process));
        };
        let fail = |what: String| Err(Error::msg(format!("{} {what}", self.shown)));
        if state.is_over {
            return fail("was ended".to_owned());
        }
        state.ends += 1;
        if state.ends >= MAX_ENDS {
            // The count stays at the limit, however often a restart is asked for.
            state.ends = MAX_ENDS;
            return fail(format!("is not started again, as it has ended twice: it {reason}"));
        }
        tracing::warn!(plugin = %self.file.name, %reason, "is started again");
        let reply = match start_process(&self.image, &self.file.path, self.limits) {
            Ok(reply) => reply,
            Err(problem) => return fail(format!("had to be started again, and {problem}")),
        };
        if reply.version != self.version || reply.types != self.types {
            reply.process.end(Duration::ZERO);
            return fail("describes other types than before, now that it was started again".to_owned());
        }
        state.process = Arc::clone(&reply.process);
        Ok(reply.process)
    }
}

/// Starts a process, says hello and reads the description of its types.
pub(super) fn start_process(image: &Image, path: &Path, limits: PluginLimits) -> Result<Handshake, Problem> {
    let not_started = |error: std::io::Error| {
        Problem::NotStarted(match error.kind() {
            std::io::ErrorKind::NotFound => {
                "the interpreter that its first line names is not there".to_owned()
            }
            _ if is_no_program(&error) => {
                "it is neither a program for this machine nor a script that begins with `#!`".to_owned()
            }
            _ => error.to_string(),
        })
    };
    let (sender, hello) = mpsc::channel();
    let child = image.spawn(path).map_err(not_started)?;
    let process = Process::new(child, sender).map_err(not_started)?;
    let silent = |what: &'static str, error: RecvTimeoutError, process: &Process| match error {
        RecvTimeoutError::Timeout => {
            process.fail(format!("did not {what} in time"));
            Problem::Silent { what, after: limits.start }
        }
        RecvTimeoutError::Disconnected => Problem::Ended(process.ended().unwrap_or("ended").to_owned()),
    };
    let host = concat!("converge-core ", env!("CARGO_PKG_VERSION")).to_owned();
    process.say(&FromHost::Hello { protocols: vec![PROTOCOL], host });
    let greeting = hello.recv_timeout(limits.start);
    let (protocol, version) = greeting.map_err(|error| silent("say hello", error, &process))?;
    if protocol != PROTOCOL {
        process.end(Duration::ZERO);
        return Err(Problem::Protocol(protocol));
    }
    let (id, answers) = process.open_start();
    process.say(&FromHost::Call {
        id,
        method: Method::Schema,
        task: None,
        resource: None,
        fields: None,
        context: None,
    });
    let answer = answers.recv_timeout(limits.start);
    let answer = answer.map_err(|error| silent("describe its types", error, &process))?;
    let types_error = |problem: String| {
        process.end(Duration::ZERO);
        Problem::Types(problem)
    };
    let Event::Result { ok: Some(ok), error: None } = answer else {
        return Err(types_error("it gave no result".to_owned()));
    };
    let Types { types } = serde_json::from_value(ok).map_err(|error| types_error(error.to_string()))?;
    if types.is_empty() {
        return Err(types_error("it has none".to_owned()));
    }
    Ok(Handshake { process, version, types })
}
