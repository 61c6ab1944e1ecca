//! `cargo xtask layers`.

use crate::cargo;
use crate::error::Error;

/// What the checking program is told; it checks that itself.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// `--only FOLDER`: rings in and below it; `--draw`: the layers as a Mermaid flow chart
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub(crate) arguments: Vec<String>,
}

/// Runs the program that reads the imports of every crate. It is a crate of its own, so that the other chores need not
/// wait for a parser of Rust.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let mut layers = cargo::command(&["run", "--quiet", "--package", "converge-layers", "--"]);
    layers.args(&options.arguments);
    cargo::run(layers)
}
