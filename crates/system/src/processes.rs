//! Programs to run, and their results.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;

#[cfg(feature = "local")]
use super::marker::Marker;

/// A program to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The program.
    ///
    /// A name without a slash is searched in `PATH`.
    pub program: String,
    /// The arguments.
    pub args: Vec<String>,
    /// The variables to add to the environment of this process.
    ///
    /// Variables of the tool itself (`CONVERGE_..`) are not inherited, as they may contain secrets.
    pub env: IndexMap<String, String>,
    /// Whether the program gets only the variables in [`env`](Self::env).
    ///
    /// The program then gets nothing of the environment of this process. Without `PATH` among them, the
    /// program is searched in `/bin` and `/usr/bin`.
    pub clear_env: bool,
    /// The user that runs it; `None` is the user of this process.
    pub run_as: Option<RunAs>,
    /// The working directory; `None` is that of this process.
    pub dir: Option<PathBuf>,
    /// The content of its standard input; empty for none.
    pub stdin: Vec<u8>,
    /// The time limit, after which its whole process group is killed.
    pub timeout: Option<Duration>,
    /// The amount of output to keep.
    pub keep: KeepOutput,
    /// The watcher of its output.
    ///
    /// A task that only reports lines as progress uses `Progress::run`.
    pub watch: Option<OutputWatch>,
    /// The signal on which it is asked to end.
    #[doc(hidden)]
    pub stop: Option<Stop>,
    /// The marker of its run, which it inherits.
    #[cfg(feature = "local")]
    pub(crate) marker: Option<Marker>,
}

/// The user that a program runs as.
///
/// It has exactly these groups, and none of those of this process.
///
/// Changing the user requires root, or `CAP_SETUID` and `CAP_SETGID`, and Linux. The program does not get the
/// terminal of this process. If there is one, the program begins its own session through the machine's
/// `setsid`, so that it cannot type into the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RunAs {
    /// The name, for messages.
    pub name: String,
    /// The user id.
    pub uid: u32,
    /// The id of the primary group.
    pub gid: u32,
    /// The ids of all groups, with or without the primary one.
    pub groups: Vec<u32>,
}

/// The amount of output that is kept, for standard output and standard error each.
///
/// A program may print endlessly; memory use is bounded in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum KeepOutput {
    /// All output, for a caller that parses it.
    ///
    /// More than 16 MiB are an error.
    #[default]
    All,
    /// The first and the last MiB, for people.
    ///
    /// A line in between tells how many bytes are left out.
    Ends,
}

/// A signal that asks a program to end.
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

/// Always equal, as the signal does not affect the identity of a command.
impl PartialEq for Stop {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Stop {}

/// A stream that a program prints to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A watcher of the output of a program while it runs.
///
/// Output arrives in pieces as it is read; a piece may end within a line or a character. Pieces of one stream
/// are in order. The two streams are separate pipes, so the order between them is known only if time passes
/// between two pieces.
///
/// The watcher must not block: the program's output is not read meanwhile.
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
    /// Creates a watcher that calls `watch` with each piece.
    pub fn new(watch: impl Fn(OutputStream, &[u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(watch))
    }

    /// Passes a piece to the watcher.
    ///
    /// Implementations of [`Processes`](super::Processes) call this.
    pub fn printed(&self, stream: OutputStream, piece: &[u8]) {
        (self.0)(stream, piece);
    }
}

impl fmt::Debug for OutputWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputWatch").finish_non_exhaustive()
    }
}

/// Clones of one watcher are equal.
impl PartialEq for OutputWatch {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for OutputWatch {}

impl Command {
    /// Creates a command without arguments.
    pub fn new(program: impl Into<String>) -> Self {
        Self { program: program.into(), ..Self::default() }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Asks the program to end on cancellation.
    ///
    /// The token is usually that of `Context::cancellation`. On cancellation
    /// its process group gets SIGTERM. The program then has the grace
    /// period of the run until its future is dropped. Without this, a
    /// program gets no signal, and is killed at the end of that period.
    pub fn stop_on(self, cancellation: &CancellationToken) -> Self {
        Self { stop: Some(Stop(cancellation.clone())), ..self }
    }

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

/// The way a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Exit {
    /// The program exited with this code.
    Code(i32),
    /// The program was ended by this signal.
    Signal(i32),
    /// The program was killed because it exceeded its time limit.
    TimedOut,
}

impl Exit {
    /// Whether the program exited with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}

/// The result of a program: its exit and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Output {
    /// The way it ended.
    pub exit: Exit,
    /// The standard output.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::bytes"))]
    pub stdout: Vec<u8>,
    /// The standard error.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::bytes"))]
    pub stderr: Vec<u8>,
    /// The numbers of bytes that are left out.
    pub left_out: LeftOut,
}

/// The numbers of output bytes that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeftOut {
    /// The number of bytes left out of standard output.
    pub stdout: u64,
    /// The number of bytes left out of standard error.
    pub stderr: u64,
}

impl Output {
    /// Creates the result of a successful program with this output.
    pub fn success(stdout: impl Into<Vec<u8>>) -> Self {
        Self { exit: Exit::Code(0), stdout: stdout.into(), stderr: Vec::new(), left_out: LeftOut::default() }
    }

    /// Creates the result of a failed program with this code and error output.
    pub fn failure(code: i32, stderr: impl Into<Vec<u8>>) -> Self {
        Self {
            exit: Exit::Code(code),
            stdout: Vec::new(),
            stderr: stderr.into(),
            left_out: LeftOut::default(),
        }
    }
}
