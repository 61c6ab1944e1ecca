//! The platform functions on Windows.

use std::env;
use std::ffi::OsString;
#[cfg(feature = "http")]
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::process::Command;

use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

/// Does nothing: Windows has no limit of open files that could be reached here.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is a limit")]
pub(crate) fn spare_files(_count: usize) -> io::Result<()> {
    Ok(())
}

/// The events that ask the process to stop.
///
/// Once this value exists, they no longer end the process by themselves.
#[derive(Debug)]
pub(crate) struct Signals {
    control_c: CtrlC,
    control_break: CtrlBreak,
    close: CtrlClose,
}

impl Signals {
    /// Takes over the signals. It must be called in the async runtime.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { control_c: ctrl_c()?, control_break: ctrl_break()?, close: ctrl_close()? })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.control_c.recv() => {}
            _ = self.control_break.recv() => {}
            _ = self.close.recv() => {}
        }
    }
}

/// Does nothing: Windows has no such signal.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is a signal")]
pub(crate) fn survive_large_files() -> io::Result<()> {
    Ok(())
}

/// Runs another program, and exits with its exit code; returns only on failure.
pub(crate) fn become_program(mut command: Command, _name: OsString) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Returns whether the path can be executed: names of programs end in `.exe`.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn is_program(path: &Path) -> bool {
    path.with_extension("exe").is_file()
}

/// Returns false: each user has a state of their own, and there is none of the machine.
pub(crate) fn is_root() -> bool {
    false
}

/// Returns the folders for state of this user: that for local data, and the profile.
#[expect(clippy::disallowed_methods, reason = "it is about the user who runs the command")]
pub(crate) fn state_folders() -> [Option<OsString>; 2] {
    ["LOCALAPPDATA", "USERPROFILE"].map(env::var_os)
}

/// Returns 0: the width of the terminal is not queried.
pub(crate) fn terminal_width() -> usize {
    0
}

/// Returns false: access control lists are not read, so the folder of the file has to protect it.
#[cfg(feature = "http")]
pub(crate) fn others_use(_metadata: &Metadata) -> bool {
    false
}

/// Creates a temporary folder in the profile of this user, which is removed on drop.
#[cfg(feature = "http")]
pub(crate) fn private_folder() -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("converge-").tempdir()
}

/// Creates a file with the rights of its folder.
#[cfg(feature = "http")]
#[expect(clippy::disallowed_methods, reason = "a file of this command")]
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    File::create_new(path)
}

/// Returns the command that opens a file in the editor.
#[cfg(feature = "http")]
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn editor(named: Option<OsString>, file: &Path) -> Command {
    let mut command = Command::new(named.unwrap_or_else(|| OsString::from("notepad")));
    command.arg(file);
    command
}
