//! The `converge plan` command.

use std::path::PathBuf;

use clap::Args;

use super::run::{RunArgs, Work};
use crate::command_context::Surroundings;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    run: RunArgs,

    /// Write the plan into this file, for `converge show` and `converge apply`. Only you can read it, and
    /// it is written only if every resource could be checked
    #[arg(long, value_name = "PLAN")]
    out: Option<PathBuf>,

    /// Exit with 2 if there are changes, and with 0 only if there are none
    #[arg(long)]
    detailed_exitcode: bool,
}

impl PlanArgs {
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        if self.out.is_some() && self.run.files().len() != 1 {
            return Err(CliError::OutOfSeveral);
        }
        let work = self.out.map_or(Work::Plan, Work::PlanInto);
        let exit = self.run.run(work, surroundings)?;
        Ok(if exit == Exit::Changes && !self.detailed_exitcode { Exit::Done } else { exit })
    }
}
