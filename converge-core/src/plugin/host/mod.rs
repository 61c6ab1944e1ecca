//! The side of the program that runs plugins.

mod call;
mod describe;
mod error;
mod group;
mod handles;
mod image;
mod perform;
mod process;
mod resource;
mod search;
mod still;
mod tail;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use self::call::Link;
use self::handles::Handles;
use self::image::{Image, is_no_program};
use self::process::{Event, Process};
use self::resource::PluginType;
use super::protocol::{FromHost, Method, PROTOCOL, WireType};
use crate::sdk::error::{Error, Result as TaskResult};
use crate::sdk::registry::{Registry, RegistryError, ResourceType};
use crate::types::intern;

pub use self::error::{PluginError, Problem};
pub use self::search::PluginSearch;

/// How often a plugin may end in a run before it is not started again.
const MOST_ENDS: usize = 2;

/// A plugin that may be started: where it is, and why it is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginFile {
    /// What people call it.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Where it comes from.
    pub origin: PluginOrigin,
    /// The version that it has to have.
    pub version: Option<String>,
}

/// Where a plugin comes from, by which it is decided whether its file is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginOrigin {
    /// It was found in a folder: nobody but root and the user of this process may be able to change it.
    Found,
    /// A module names it with the SHA-256 of its bytes, in hexadecimal digits: whoever wrote the file, it is this one.
    Pinned {
        /// The SHA-256.
        sha256: String,
    },
}

/// How long is waited for a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginLimits {
    /// Until it has said what it is, and once more until it has described its types.
    pub start: Duration,
    /// In a call, while it says nothing at all: it asks for nothing, and tells of no progress.
    pub silence: Duration,
    /// Between a call that is given up, or the end of the run, and the end of a plugin that does not heed it.
    pub grace: Duration,
}

impl Default for PluginLimits {
    /// Ten seconds to start, ten minutes of silence, five seconds to end.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            silence: Duration::from_mins(10),
            grace: Duration::from_secs(5),
        }
    }
}

/// A plugin that runs.
///
/// There is one process of it, which is started again when it has ended, once. It ends with the last clone of this and of the
/// [types](Self::add_to) that it brings, or with [`end`](Self::end).
///
/// # Guarantees
///
/// What runs are the bytes that were looked at when it was started: it is started from a copy that nobody can change.
#[derive(Clone, Debug)]
pub struct Plugin(Arc<Inner>);

/// What all clones of a plugin share.
#[derive(Debug)]
struct Inner {
    file: PluginFile,
    /// How messages call it: "the plugin `acme`".
    shown: Arc<str>,
    limits: PluginLimits,
    image: Image,
    version: String,
    types: Vec<WireType>,
    next_task: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    process: Arc<Process>,
    ends: usize,
    is_over: bool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.process.end(Duration::ZERO);
    }
}

/// What a plugin says of itself.
struct Said {
    process: Arc<Process>,
    version: String,
    types: Vec<WireType>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Types {
    types: Vec<WireType>,
}

impl Plugin {
    /// Starts a plugin, and asks it for its types. This keeps the thread waiting.
    ///
    /// # Errors
    ///
    /// It is not there, not trusted, another one than is meant, or does not do what a plugin does.
    pub fn start(file: PluginFile, limits: PluginLimits) -> Result<Self, PluginError> {
        Self::try_start(&file, limits)
            .map(|(image, said)| {
                let state = State { process: said.process, ends: 0, is_over: false };
                Self(Arc::new(Inner {
                    shown: format!("the plugin `{}`", file.name).into(),
                    file: file.clone(),
                    limits,
                    image,
                    version: said.version,
                    types: said.types,
                    next_task: AtomicU64::new(1),
                    state: Mutex::new(state),
                }))
            })
            .map_err(|problem| PluginError { name: file.name, file: file.path, problem })
    }

    fn try_start(file: &PluginFile, limits: PluginLimits) -> Result<(Image, Said), Problem> {
        let image = match &file.origin {
            PluginOrigin::Found => Image::trusted(&file.path)?,
            PluginOrigin::Pinned { sha256 } => Image::pinned(&file.path, sha256)?,
        };
        let said = ask(&image, &file.path, limits)?;
        if let Some(expected) = file.version.as_ref().filter(|version| **version != said.version) {
            said.process.end(Duration::ZERO);
            return Err(Problem::Version { expected: expected.clone(), found: said.version });
        }
        Ok((image, said))
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        &self.0.file.name
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.0.file.path
    }

    /// The SHA-256 of what runs.
    pub fn sha256(&self) -> &str {
        self.0.image.sha256()
    }

    /// The version that it says it has.
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// The names of its types, in its order.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.0.types.iter().map(|known| known.name.as_str())
    }

    /// Adds its types to a registry.
    ///
    /// # Errors
    ///
    /// It describes one wrongly, or there is one of that name.
    pub fn add_to(&self, mut registry: Registry) -> Result<Registry, PluginError> {
        let file = &self.0.file;
        let refuse = |problem| PluginError { name: file.name.clone(), file: file.path.clone(), problem };
        let owner = intern::text(&format!("the plugin `{}` ({})", file.name, file.path.display()));
        let owner = owner.map_err(|error| refuse(Problem::Types(error.to_string())))?;
        for wire in &self.0.types {
            let wrong = |problem| refuse(Problem::Type { name: wire.name.clone(), problem });
            let described = describe::described(wire, owner, |name, exports| {
                let plugin = Arc::clone(&self.0);
                let refreshes = wire.refreshes;
                Arc::new(Arc::new(PluginType { plugin, name, exports: exports.into(), refreshes }))
            });
            let described = described.map_err(wrong)?;
            registry.insert(ResourceType::described(described)).map_err(|error| match error {
                RegistryError::Duplicate { name, first, .. } => {
                    refuse(Problem::Taken { name: name.to_owned(), owner: first.to_owned() })
                }
                RegistryError::Reserved { .. } => {
                    wrong("the module language has that name for itself".to_owned())
                }
                RegistryError::Definition { problem, .. } => wrong(problem),
                error => wrong(error.to_string()),
            })?;
        }
        Ok(registry)
    }

    /// Ends it: its standard input is closed, and where it does not end by itself within the
    /// [grace](PluginLimits::grace), it is killed with all that it has started.
    pub fn end(&self) {
        let process = {
            let mut state = self.0.state();
            state.is_over = true;
            Arc::clone(&state.process)
        };
        process.end(self.0.limits.grace);
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The way to a new task of the resource of this id.
    async fn link(this: &Arc<Self>, id: String) -> TaskResult<Link> {
        // While it is started again, who else needs it waits where nothing else has to.
        let running = match this.state.try_lock() {
            Ok(state) => state.process.ended().is_none().then(|| Arc::clone(&state.process)),
            Err(_) => None,
        };
        let process = if let Some(process) = running {
            process
        } else {
            let this = Arc::clone(this);
            tokio::task::spawn_blocking(move || this.restart()).await??
        };
        let task = this.next_task.fetch_add(1, Ordering::Relaxed);
        let handles = Arc::new(Handles::default());
        process.add_task(task, &handles);
        Ok(Link { process, task, handles, id, plugin: Arc::clone(&this.shown), limits: this.limits })
    }

    /// A process that runs, in the place of one that has ended.
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
        if state.ends >= MOST_ENDS {
            // It stays at that, however often it is asked for.
            state.ends = MOST_ENDS;
            return fail(format!("is not started again, as it has ended twice: it {reason}"));
        }
        tracing::warn!(plugin = %self.file.name, %reason, "is started again");
        let said = match ask(&self.image, &self.file.path, self.limits) {
            Ok(said) => said,
            Err(problem) => return fail(format!("had to be started again, and {problem}")),
        };
        if said.version != self.version || said.types != self.types {
            said.process.end(Duration::ZERO);
            return fail("describes other types than before, now that it was started again".to_owned());
        }
        state.process = Arc::clone(&said.process);
        Ok(said.process)
    }
}

/// Starts a process, and asks what it is.
fn ask(image: &Image, path: &Path, limits: PluginLimits) -> Result<Said, Problem> {
    let not_started = |error: std::io::Error| {
        Problem::NotStarted(match error.kind() {
            std::io::ErrorKind::NotFound => {
                "the interpreter that its first line names is not there".to_owned()
            }
            _ if is_no_program(&error) => {
                "it is no program of this machine, and no script that begins with `#!`".to_owned()
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
    let said = hello.recv_timeout(limits.start);
    let (protocol, version) = said.map_err(|error| silent("say hello", error, &process))?;
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
    let wrong = |problem: String| {
        process.end(Duration::ZERO);
        Problem::Types(problem)
    };
    let Event::Result { ok: Some(ok), error: None } = answer else {
        return Err(wrong("it gave no result".to_owned()));
    };
    let Types { types } = serde_json::from_value(ok).map_err(|error| wrong(error.to_string()))?;
    if types.is_empty() {
        return Err(wrong("it has none".to_owned()));
    }
    Ok(Said { process, version, types })
}
