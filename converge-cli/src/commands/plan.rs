//! `converge plan`.

use clap::Args;
use converge_core::{Redactor, Registry};

use super::run::{RunArgs, Work};
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    run: RunArgs,

    /// Exit with 2 when there are changes, and with 0 only when there are none.
    #[arg(long)]
    detailed_exitcode: bool,
}

impl PlanArgs {
    pub(crate) fn run(
        self,
        registry: &Registry,
        redactor: &Redactor,
        console: Console,
    ) -> Result<Exit, CliError> {
        let exit = self.run.run(Work::Plan, (registry, redactor), console)?;
        Ok(if exit == Exit::Changes && !self.detailed_exitcode { Exit::Done } else { exit })
    }
}
