//! The `converge` command, as tests run it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Said, programs};

/// The `converge` command with these arguments, with nothing in its environment that changes what it says.
pub fn converge(arguments: &[&str]) -> Command {
    let mut command = Command::new(programs().join("converge"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("CONVERGE_LOG").stdin(Stdio::null());
    // What a test owes is no business of the machine that it runs on, nor of other tests, which it would have to wait for.
    command.env("CONVERGE_STATE_DIR", states().join(test_name()));
    command
}

/// A folder for states. Nobody else can write there, as everybody can where temporary files are.
pub fn states() -> PathBuf {
    let folder = converge_core::testing::private_folder(programs());
    folder.expect("the tests run where others cannot write").join("converge-test-state")
}

/// The name of the test that calls this, as part of a path.
fn test_name() -> String {
    let thread = std::thread::current();
    thread.name().map_or_else(|| format!("{:?}", thread.id()), |name| name.replace("::", "."))
}

/// Runs `converge` to its end.
pub fn run(arguments: &[&str]) -> Said {
    converge(arguments).output().expect("converge starts").into()
}
