//! The platform functions on Unix.

use std::env;
use std::ffi::OsString;
#[cfg(feature = "http")]
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::process::{Resource, getrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The factor by which the limit of open files must exceed the needed number to count as far away.
const FAR: u64 = 8;

/// Checks that this number of files can be opened at once.
///
/// It opens them only near the limit of the process, because most processes are far below it.
pub(crate) fn spare_files(count: usize) -> io::Result<()> {
    let open = || io::stderr().as_fd().try_clone_to_owned();
    // The first free number is about the number of open files.
    let first = open()?;
    let used = u64::try_from(first.as_raw_fd()).unwrap_or_default();
    let is_far = |limit: u64| limit.saturating_sub(used) >= FAR * count as u64;
    if getrlimit(Resource::Nofile).current.is_none_or(is_far) {
        return Ok(());
    }
    let files: io::Result<Vec<OwnedFd>> = (1..count).map(|_| open()).collect();
    files.map(drop)
}

/// The signals that ask the process to stop.
///
/// Once this value exists, they no longer end the process by themselves.
#[derive(Debug)]
pub(crate) struct Signals {
    int: Signal,
    term: Signal,
    /// SIGHUP; `None` if the process was started to survive the end of the terminal, as by `nohup`.
    hangup: Option<Signal>,
}

impl Signals {
    /// Takes over the signals. It must be called in the async runtime.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            int: signal(SignalKind::interrupt())?,
            term: signal(SignalKind::terminate())?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// Waits for the next signal.
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

/// Returns whether SIGHUP was ignored when the process was started.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // SIGHUP is signal 1, the lowest bit.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// The number of SIGXFSZ: a file would exceed the file size limit of the process.
const FILE_TOO_LARGE: i32 = 25;

/// Makes a write beyond the file size limit fail with an error instead of ending the process.
///
/// Child processes get the default action again, as for every signal that has a handler. It must be called in
/// the async runtime.
pub(crate) fn survive_large_files() -> io::Result<()> {
    // The handler stays installed; nobody has to wait for the signal.
    signal(SignalKind::from_raw(FILE_TOO_LARGE)).map(drop)
}

/// Replaces this process by another program with `name` as first argument; returns only on failure.
pub(crate) fn become_program(mut command: Command, name: OsString) -> io::Error {
    command.arg0(name).exec()
}

/// Returns whether the path can be executed.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Returns whether the user is root, who owns the state of the machine.
pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// Returns the folders for state of this user: `XDG_STATE_HOME` and `HOME`.
#[expect(clippy::disallowed_methods, reason = "it is about the user who runs the command")]
pub(crate) fn state_folders() -> [Option<OsString>; 2] {
    ["XDG_STATE_HOME", "HOME"].map(env::var_os)
}

/// Returns the width in columns of the terminal on standard error, or 0 if unknown.
pub(crate) fn terminal_width() -> usize {
    rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col.into())
}

/// Returns whether users other than the owner may read or write a file.
#[cfg(feature = "http")]
pub(crate) fn others_use(metadata: &Metadata) -> bool {
    const OTHERS: u32 = 0o066;

    // The mode of other kinds, such as pipes, has no meaning here.
    metadata.is_file() && metadata.permissions().mode() & OTHERS != 0
}

/// Creates a folder that only this user can enter, and that is removed on drop.
#[cfg(feature = "http")]
pub(crate) fn private_folder() -> io::Result<tempfile::TempDir> {
    let private = std::fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("converge-").permissions(private).tempdir()
}

/// Creates a file that only this user can use.
#[cfg(feature = "http")]
#[expect(clippy::disallowed_methods, reason = "a file of this command")]
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    File::options().mode(0o600).write(true).create_new(true).open(path)
}

/// Returns the command that opens a file in the editor; the setting may contain arguments.
#[cfg(feature = "http")]
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn editor(program: Option<OsString>, file: &Path) -> Command {
    let mut command = OsString::from("exec ");
    command.push(program.unwrap_or_else(|| OsString::from("vi")));
    command.push(" \"$1\"");
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).arg("sh").arg(file);
    shell
}
