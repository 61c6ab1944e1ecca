//! A bare loop that starts the shells of tasks.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{BenchError, at};

/// The shells that are started for each task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// The check alone.
    Check,
    /// The check, the change, and the check again.
    Change,
}

/// Returns the scripts of a task that makes a file in a folder: the check, and the change.
pub(crate) fn scripts(folder: &Path, task: usize) -> [String; 2] {
    let file = folder.join(task.to_string());
    ["test -e", "touch"].map(|command| format!("{command} {}", file.display()))
}

/// Starts the shells of tasks one after the other, without looking whether anything is to be done.
pub(crate) fn bare(kind: Kind, tasks: usize, folder: &Path) -> Result<(), BenchError> {
    for task in 0..tasks {
        let [check, change] = scripts(folder, task);
        shell(&check)?;
        if kind == Kind::Change {
            shell(&change)?;
            shell(&check)?;
        }
    }
    Ok(())
}

/// Starts a shell, passes it a script, and reads its output.
fn shell(script: &str) -> Result<(), BenchError> {
    let shell = Path::new("/bin/sh");
    let mut child = Command::new(shell)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(at(shell))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(script.as_bytes()).map_err(at(shell))?;
    }
    child.wait_with_output().map(drop).map_err(at(shell))
}
