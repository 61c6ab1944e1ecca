//! `converge plan`.

use clap::Args;

use super::run::{RunArgs, Work};
use crate::error::CliError;
use crate::exit::Exit;
use crate::surroundings::Surroundings;

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    run: RunArgs,

    /// Exit with 2 when there are changes, and with 0 only when there are none.
    #[arg(long)]
    detailed_exitcode: bool,
}

impl PlanArgs {
    pub(crate) fn run(self, around: Surroundings<'_>) -> Result<Exit, CliError> {
        let exit = self.run.run(Work::Plan, around)?;
        Ok(if exit == Exit::Changes && !self.detailed_exitcode { Exit::Done } else { exit })
    }
}
