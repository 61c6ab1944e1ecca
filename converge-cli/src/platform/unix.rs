//! Unix.

use std::env;
use std::ffi::OsString;
#[cfg(feature = "http")]
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Opens so many files at once, and closes them.
pub(crate) fn spare_files(count: usize) -> io::Result<()> {
    let files: io::Result<Vec<OwnedFd>> =
        (0..count).map(|_| io::stderr().as_fd().try_clone_to_owned()).collect();
    files.map(drop)
}

/// The signals that ask the process to stop. From the moment of its making they no longer end the
/// process by themselves.
#[derive(Debug)]
pub(crate) struct Signals {
    int: Signal,
    term: Signal,
    /// `None` when whoever started the process does not want it to end with the terminal, as `nohup` does.
    hangup: Option<Signal>,
}

impl Signals {
    /// Takes the signals over. Must be called in the runtime.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            int: signal(SignalKind::interrupt())?,
            term: signal(SignalKind::terminate())?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// The next of them.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.int.recv() => {}
            _ = self.term.recv() => {}
            () = receive(&mut self.hangup) => {}
        }
    }
}

async fn receive(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether SIGHUP was ignored when the process was started.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The first signal is the lowest bit.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// SIGXFSZ: a file would become larger than this process may make one.
const FILE_TOO_LARGE: i32 = 25;

/// Makes a write that is larger than allowed fail like any other, where it would end the process. What is started gets the
/// usual action back, as with every signal that has a handler. Must be called in the runtime.
pub(crate) fn survive_large_files() -> io::Result<()> {
    // The handler stays; nobody has to listen.
    signal(SignalKind::from_raw(FILE_TOO_LARGE)).map(drop)
}

/// Becomes another program, which is told that it was called `name`. It comes back only when that fails.
pub(crate) fn become_program(mut command: Command, name: OsString) -> io::Error {
    command.arg0(name).exec()
}

/// Whether this can be run.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Whether the state of the machine is that of this user.
pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// The folders that say where this user keeps a state: that of states, and the one of everything else.
#[expect(clippy::disallowed_methods, reason = "it is about the user who runs the command")]
pub(crate) fn usual_state() -> [Option<OsString>; 2] {
    ["XDG_STATE_HOME", "HOME"].map(env::var_os)
}

/// The columns of the terminal that standard error is; 0 when it does not say.
pub(crate) fn terminal_width() -> usize {
    rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col.into())
}

/// Whether others than the owner of a file may read or write it.
#[cfg(feature = "http")]
pub(crate) fn others_use(metadata: &Metadata) -> bool {
    const OTHERS: u32 = 0o066;

    // What is no file, such as the end of a pipe, has no mode that means anything.
    metadata.is_file() && metadata.permissions().mode() & OTHERS != 0
}

/// A new folder that only this user can enter, which goes with this.
#[cfg(feature = "http")]
pub(crate) fn private_folder() -> io::Result<tempfile::TempDir> {
    let private = std::fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("converge-").permissions(private).tempdir()
}

/// A new file that only this user can use.
#[cfg(feature = "http")]
#[expect(clippy::disallowed_methods, reason = "a file of this command")]
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    File::options().mode(0o600).write(true).create_new(true).open(path)
}

/// What opens a file for this user, whose command may have arguments.
#[cfg(feature = "http")]
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn editor(named: Option<OsString>, file: &Path) -> Command {
    let mut command = OsString::from("exec ");
    command.push(named.unwrap_or_else(|| OsString::from("vi")));
    command.push(" \"$1\"");
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).arg("sh").arg(file);
    shell
}
