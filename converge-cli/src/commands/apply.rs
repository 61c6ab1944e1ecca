//! `converge apply`.

use clap::Args;
use converge_core::{Redactor, Registry};

use super::run::{RunArgs, Work};
use crate::args::LockArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    lock: LockArgs,
}

impl ApplyArgs {
    pub(crate) fn run(
        self,
        registry: &Registry,
        redactor: &Redactor,
        console: Console,
    ) -> Result<Exit, CliError> {
        self.run.run(Work::Apply(self.lock.wait()), (registry, redactor), console)
    }
}
