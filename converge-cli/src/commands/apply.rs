//! `converge apply`.

use clap::Args;

use super::run::{Aim, RunArgs, run};
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;

/// The arguments of `converge apply`.
#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    run: RunArgs,
}

impl ApplyArgs {
    /// Applies every file.
    pub(super) fn run(self, console: Console) -> Result<Exit, CliError> {
        run(Aim::Apply, &self.run, console)
    }
}
