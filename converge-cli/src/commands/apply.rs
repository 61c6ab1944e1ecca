//! The `converge apply` command.

use clap::{Args, ValueEnum};
use converge_core::engine::OnDrift;

use super::run::{PlanToApply, RunArgs, Work};
use crate::args::LockArgs;
use crate::command_context::Surroundings;
use crate::error::CliError;
use crate::exit::Exit;
use crate::plan_file;
use crate::runtime;

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    lock: LockArgs,

    /// Treatment of a resource that would change in a way that the saved plan in FILE does not show
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    on_drift: OnDriftArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnDriftArg {
    /// Fail it, and change nothing of it
    Refuse,
    /// Leave it as it is, with a warning
    Skip,
    /// Plan it again, and apply it
    Replan,
}

impl From<OnDriftArg> for OnDrift {
    fn from(drifted: OnDriftArg) -> Self {
        match drifted {
            OnDriftArg::Refuse => Self::Refuse,
            OnDriftArg::Skip => Self::Skip,
            OnDriftArg::Replan => Self::Replan,
        }
    }
}

impl ApplyArgs {
    /// Applies modules or a plan; the content of a file decides which it is.
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let (files, wait) = (self.run.files(), self.lock.wait());
        let runtime = runtime::start()?;
        let mut plan_and_file = None;
        for file in files {
            if let Some(plan) = runtime.block_on(plan_file::find(file))? {
                plan_and_file = Some((plan, file.clone()));
            }
        }
        drop(runtime);
        let work = match plan_and_file {
            None => Work::Apply(wait),
            Some((_, file)) if files.len() > 1 => return Err(CliError::PlanAndOthers(file)),
            Some((plan, file)) => {
                Work::ApplyPlan(Box::new(PlanToApply { plan, file, on_drift: self.on_drift.into(), wait }))
            }
        };
        self.run.run(work, surroundings)
    }
}
