//! `cargo xtask dump`.

use crate::cargo;
use crate::error::Error;

/// What the printing program is told; it checks that itself.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// `tree FILE`, `graph FILE` or `plan FILE`; `-p NAME=VALUE` gives a parameter
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub(crate) arguments: Vec<String>,
}

/// Runs the program that prints what each step made of a module. It is a crate of its own, so that the other chores need
/// not wait for all of Converge.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let mut dump = cargo::command(&["run", "--quiet", "--package", "converge-dump", "--"]);
    dump.args(&options.arguments);
    // Paths are those of whoever asks.
    if let Ok(folder) = std::env::current_dir() {
        dump.current_dir(folder);
    }
    cargo::run(dump)
}
