//! The `converge` command with the settings of tests.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Said, programs};

/// Creates a `converge` command in an environment that does not affect its output.
pub fn converge(arguments: &[&str]) -> Command {
    let mut command = Command::new(programs().join("converge"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("CONVERGE_LOG").stdin(Stdio::null());
    // Pending work of a test must not affect the machine or other tests, which would wait for its lock.
    command.env("CONVERGE_STATE_DIR", states().join(test_name()));
    command
}

/// Returns a folder for states, which is not writable by others, unlike the folder of temporary files.
pub fn states() -> PathBuf {
    let folder = converge_core::testing::private_folder(programs());
    folder.expect("the tests run where others cannot write").join("converge-test-state")
}

/// Returns the name of the calling test as part of a path.
fn test_name() -> String {
    let thread = std::thread::current();
    thread.name().map_or_else(|| format!("{:?}", thread.id()), |name| name.replace("::", "."))
}

/// Runs `converge` to its end.
pub fn run(arguments: &[&str]) -> Said {
    converge(arguments).output().expect("converge starts").into()
}
