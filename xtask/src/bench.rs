//! `cargo xtask bench`.

use crate::cargo;
use crate::error::Error;

/// Builds the measuring program and the command as they are released, and measures.
///
/// The program is the crate `converge-bench`; here it is only built and started, so that the other chores need
/// not wait for what it depends on.
pub(crate) fn run(arguments: &[String]) -> Result<(), Error> {
    cargo::run(cargo::command(&[
        "build",
        "--release",
        "--package",
        "converge-cli",
        "--package",
        "converge-bench",
    ]))?;
    let mut bench = cargo::command(&["run", "--quiet", "--release", "--package", "converge-bench", "--"]);
    bench.args(arguments);
    cargo::run(bench)
}
