//! `cargo xtask bench`.

mod light;

use crate::cargo;
use crate::error::Error;

/// What the measuring program is told; it checks that itself.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// `--sizes N,N,..`: numbers of resources [default: 100,1000,10000,100000]; `load`, `embed`, `shells`, `editor`, `controllers` or `fleet` before it measures those alone; `light` alone builds small crates, which is part of a whole run
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub(crate) arguments: Vec<String>,
}

/// Builds the measuring program and the command as they are released, and measures.
///
/// The program is the crate `converge-bench`; here it is only built and started, so that the other chores need
/// not wait for what it depends on.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let first = options.arguments.first().map(String::as_str);
    if first == Some("light") {
        return light::run();
    }
    // What is measured beside: the server with its agents, or the command.
    let is_fleet = first == Some("fleet");
    let program = if is_fleet { "converge-server" } else { "converge-cli" };
    cargo::run(cargo::command(&["build", "--release", "--package", program, "--package", "converge-bench"]))?;
    let mut bench = cargo::command(&["run", "--quiet", "--release", "--package", "converge-bench", "--"]);
    bench.args(&options.arguments);
    cargo::run(bench)?;
    if options.arguments.is_empty() { light::run() } else { Ok(()) }
}
