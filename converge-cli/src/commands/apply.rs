//! `converge apply`.

use clap::Args;
use converge_core::Mode;

use super::run::{RunArgs, run};
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
        run(Mode::Apply, &self.run, console)
    }
}
