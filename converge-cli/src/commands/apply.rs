//! `converge apply`.

use clap::Args;

use super::run::{RunArgs, Work};
use crate::args::LockArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::surroundings::Surroundings;

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    lock: LockArgs,
}

impl ApplyArgs {
    pub(crate) fn run(self, around: Surroundings<'_>) -> Result<Exit, CliError> {
        self.run.run(Work::Apply(self.lock.wait()), around)
    }
}
