//! `converge plan`.

use clap::Args;

use super::run::{Aim, RunArgs, run};
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;

/// The arguments of `converge plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    run: RunArgs,

    /// Exit with 2 when there are changes, and with 0 only when there are none.
    #[arg(long)]
    detailed_exitcode: bool,
}

impl PlanArgs {
    /// Plans every file.
    pub(super) fn run(self, console: Console) -> Result<Exit, CliError> {
        let exit = run(Aim::Plan, &self.run, console)?;
        Ok(if exit == Exit::Changes && !self.detailed_exitcode { Exit::Done } else { exit })
    }
}
