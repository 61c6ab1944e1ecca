//! Windows.

use std::env;
use std::ffi::OsString;
#[cfg(feature = "http")]
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::process::Command;

use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

/// There is no limit that could be reached here.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is a limit")]
pub(crate) fn spare_files(_count: usize) -> io::Result<()> {
    Ok(())
}

/// What asks the process to stop. From the moment of its making it no longer ends the process by itself.
#[derive(Debug)]
pub(crate) struct Signals {
    control_c: CtrlC,
    control_break: CtrlBreak,
    close: CtrlClose,
}

impl Signals {
    /// Takes the signals over. Must be called in the runtime.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { control_c: ctrl_c()?, control_break: ctrl_break()?, close: ctrl_close()? })
    }

    /// The next of them.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.control_c.recv() => {}
            _ = self.control_break.recv() => {}
            _ = self.close.recv() => {}
        }
    }
}

/// There is no signal for it.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is a signal")]
pub(crate) fn survive_large_files() -> io::Result<()> {
    Ok(())
}

/// Runs another program in place of this one, and ends as it does. It comes back only when that fails.
pub(crate) fn become_program(mut command: Command, _name: OsString) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Whether this can be run: the names of programs end in `.exe`.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn is_program(path: &Path) -> bool {
    path.with_extension("exe").is_file()
}

/// There is no state that is that of the machine: each user has one.
pub(crate) fn is_root() -> bool {
    false
}

/// The folders that say where this user keeps a state: that of states, and the one of everything else.
#[expect(clippy::disallowed_methods, reason = "it is about the user who runs the command")]
pub(crate) fn usual_state() -> [Option<OsString>; 2] {
    ["LOCALAPPDATA", "USERPROFILE"].map(env::var_os)
}

/// Nobody says how wide the terminal is.
pub(crate) fn terminal_width() -> usize {
    0
}

/// Rights are lists here, which are not read: it is up to the folder that the user keeps the file in.
#[cfg(feature = "http")]
pub(crate) fn others_use(_metadata: &Metadata) -> bool {
    false
}

/// A new folder in that for temporary files, which is in the profile of this user and goes with this.
#[cfg(feature = "http")]
pub(crate) fn private_folder() -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("converge-").tempdir()
}

/// A new file, with the rights of its folder.
#[cfg(feature = "http")]
#[expect(clippy::disallowed_methods, reason = "a file of this command")]
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    File::create_new(path)
}

/// What opens a file for this user.
#[cfg(feature = "http")]
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn editor(named: Option<OsString>, file: &Path) -> Command {
    let mut command = Command::new(named.unwrap_or_else(|| OsString::from("notepad")));
    command.arg(file);
    command
}
