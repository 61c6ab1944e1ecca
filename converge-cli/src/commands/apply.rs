//! `converge apply`.

use clap::Args;
use converge_core::{Registry, RunMode};

use super::run::RunArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    run: RunArgs,
}

impl ApplyArgs {
    pub(crate) fn run(self, registry: &Registry, console: Console) -> Result<Exit, CliError> {
        self.run.run(RunMode::Apply, None, registry, console)
    }
}
