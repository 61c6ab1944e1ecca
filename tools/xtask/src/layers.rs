//! `cargo xtask layers`.

use crate::cargo;
use crate::error::Error;

/// The arguments of the layers program, which checks them itself.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// `--only FOLDER`: violations in and below this folder; `--draw`: the layers as a Mermaid flow chart
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub(crate) arguments: Vec<String>,
}

/// Runs the program that checks the imports of every crate.
///
/// It is a separate crate, so that other tasks need not wait for a Rust parser.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let mut layers = cargo::command(&["run", "--quiet", "--package", "converge-layers", "--"]);
    layers.args(&options.arguments);
    cargo::run(layers)
}
