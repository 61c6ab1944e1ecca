//! Programs.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;

use super::SystemError;
#[cfg(feature = "local")]
use super::marker::Marker;

/// A program to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The program; a name without a slash is searched in `PATH`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables added to the environment of this process, of which the variables of the tool itself (`CONVERGE_..`) are left
    /// out: there may be secrets in them.
    pub env: IndexMap<String, String>,
    /// Whether it begins with no variable but those of [`env`](Self::env): nothing of the environment of this process reaches it. Without
    /// `PATH` among them it is searched in `/bin` and `/usr/bin`.
    pub clear_env: bool,
    /// Who runs it; the user of this process when `None`.
    pub run_as: Option<RunAs>,
    /// Working directory; that of this process when `None`.
    pub dir: Option<PathBuf>,
    /// What it reads from its standard input; nothing when empty.
    pub stdin: Vec<u8>,
    /// When it is killed, with its whole process group.
    pub timeout: Option<Duration>,
    /// How much of what it prints is kept.
    pub keep: KeepOutput,
    /// Who sees what it prints while it runs. A task that only wants the lines to be told has
    /// [`Progress::run`](crate::Progress::run) for that.
    pub watch: Option<OutputWatch>,
    /// When it is asked to end.
    #[doc(hidden)]
    pub stop: Option<Stop>,
    /// What it inherits from its run.
    #[cfg(feature = "local")]
    pub(crate) marker: Option<Marker>,
}

/// The user that a program runs as. It has this primary group and these other groups, and none of those of this process.
///
/// To become another user takes root, or `CAP_SETUID` and `CAP_SETGID`, and Linux. The user gets no terminal of this process: where it
/// has one, the program begins a session of its own, with `setsid` of the machine, so that nothing can be typed into it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RunAs {
    /// The name, which messages have.
    pub name: String,
    /// User id.
    pub uid: u32,
    /// Id of the primary group.
    pub gid: u32,
    /// Ids of all groups, the primary one among them or not.
    pub groups: Vec<u32>,
}

/// How much of what a program prints is kept, of its standard output and of its standard error each. It may print without
/// end: memory is bounded in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum KeepOutput {
    /// All of it, for a caller that reads it as data: more than 16 MiB are an error.
    #[default]
    All,
    /// The first and the last MiB, for people: what is left out in between is counted, and the text says so in its place.
    Ends,
}

/// What asks a program to end.
#[derive(Clone, Debug)]
#[doc(hidden)]
#[cfg_attr(not(feature = "local"), expect(dead_code, reason = "only the local system asks it"))]
pub struct Stop(CancellationToken);

impl Stop {
    #[cfg(feature = "local")]
    pub(crate) async fn asked(&self) {
        self.0.cancelled().await;
    }
}

/// When a program is asked to end makes no other program of it.
impl PartialEq for Stop {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Stop {}

/// The streams that a program prints to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Sees what a program prints while it runs, in the pieces in which it is read: a piece may end within a line, or within a
/// character. Of one stream the pieces come in order. The two streams are two pipes, so which of two pieces was printed first is
/// known only when there is time between them.
///
/// It must not block: the program is not read from while it is called.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use converge_core::system::{Command, LocalSystem, OutputWatch, System};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let seen = Arc::new(Mutex::new(Vec::new()));
/// let sees = Arc::clone(&seen);
/// let mut command = Command::new("echo").arg("hello");
/// command.watch = Some(OutputWatch::new(move |_stream, piece| sees.lock().unwrap().extend_from_slice(piece)));
/// LocalSystem::new().processes().run(command).await?;
/// assert_eq!(*seen.lock().unwrap(), b"hello\n");
/// # Ok::<(), converge_core::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct OutputWatch(Arc<Watch>);

type Watch = dyn Fn(OutputStream, &[u8]) + Send + Sync;

impl OutputWatch {
    /// Calls this with each piece.
    pub fn new(watch: impl Fn(OutputStream, &[u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(watch))
    }

    /// A piece was printed. For whoever runs programs in a way of their own.
    pub fn printed(&self, stream: OutputStream, piece: &[u8]) {
        (self.0)(stream, piece);
    }
}

impl fmt::Debug for OutputWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputWatch").finish_non_exhaustive()
    }
}

/// Clones of one are equal.
impl PartialEq for OutputWatch {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for OutputWatch {}

impl Command {
    /// A program with no arguments.
    pub fn new(program: impl Into<String>) -> Self {
        Self { program: program.into(), ..Self::default() }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Asks it to end when this is cancelled, as `Context::cancellation` is: its process group gets
    /// SIGTERM, and then it has the time until its future is dropped, the grace of the run. Without it a
    /// program is not told, and is killed at the end of that time.
    pub fn stop_on(self, cancellation: &CancellationToken) -> Self {
        Self { stop: Some(Stop(cancellation.clone())), ..self }
    }

    /// Lets it inherit the mark of a run.
    #[doc(hidden)]
    #[cfg(feature = "local")]
    pub fn with_marker(self, marker: Marker) -> Self {
        Self { marker: Some(marker), ..self }
    }

    /// Adds arguments.
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// Killed because it ran longer than its timeout.
    TimedOut,
}

impl Exit {
    /// Whether it ended by itself with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}

/// How a program ended and what it printed until then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::bytes"))]
    pub stdout: Vec<u8>,
    /// Its standard error.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::bytes"))]
    pub stderr: Vec<u8>,
    /// How many bytes are missing in them.
    pub left_out: LeftOut,
}

/// How many bytes are missing in what a program printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeftOut {
    /// In its standard output.
    pub stdout: u64,
    /// In its standard error.
    pub stderr: u64,
}

impl Output {
    /// Ended well and printed this.
    pub fn success(stdout: impl Into<Vec<u8>>) -> Self {
        Self { exit: Exit::Code(0), stdout: stdout.into(), stderr: Vec::new(), left_out: LeftOut::default() }
    }

    /// Ended with a code and complained.
    pub fn failure(code: i32, stderr: impl Into<Vec<u8>>) -> Self {
        Self {
            exit: Exit::Code(code),
            stdout: Vec::new(),
            stderr: stderr.into(),
            left_out: LeftOut::default(),
        }
    }
}

/// Runs programs.
#[async_trait]
pub trait Processes: Send + Sync {
    /// Runs a program to its end. It gets a process group of its own, which is killed as a whole on
    /// timeout and when the returned future is dropped. Who [watches](Command::watch) sees what it prints while it runs; a system
    /// that cannot tell it earlier tells it at the end.
    ///
    /// # Errors
    ///
    /// When it cannot be started (no such program, no such directory), or prints more than may be
    /// [kept](Command::keep). How it ends is no error here.
    async fn run(&self, command: Command) -> Result<Output, SystemError>; // with `#[async_trait]` on the `impl`

    /// Takes notice of a program that somebody else starts for a resource, such as that of a container, and starts nothing.
    /// [`program`](Command::program) is what people call it. A run warns when there is a secret among its arguments, as it does
    /// for the programs that it starts itself.
    async fn started_elsewhere(&self, _command: &Command) {}
}
