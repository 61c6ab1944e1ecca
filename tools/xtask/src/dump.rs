//! `cargo xtask dump`.

use crate::cargo;
use crate::error::Error;

/// The arguments of the dump program, which checks them itself.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// `tree FILE`, `graph FILE` or `plan FILE`; `-p NAME=VALUE` sets a parameter
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub(crate) arguments: Vec<String>,
}

/// Runs the dump program, which prints the result of each step of loading a module.
///
/// It is a separate crate, so that other tasks need not wait for all of Converge.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let mut dump = cargo::command(&["run", "--quiet", "--package", "converge-dump", "--"]);
    dump.args(&options.arguments);
    // Relative paths refer to the folder of the caller.
    if let Ok(folder) = std::env::current_dir() {
        dump.current_dir(folder);
    }
    cargo::run(dump)
}
