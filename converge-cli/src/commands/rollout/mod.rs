//! The `converge rollout` command: rollouts of module versions to machines.

mod change;
mod history;
mod module;
mod status;
mod undo;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;

#[derive(Debug, Args)]
pub(crate) struct RolloutArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show the progress of the last version of a module, and what its machines report
    Status(status::StatusArgs),
    /// Pause: no further machine gets the version
    Pause(change::PauseArgs),
    /// Resume after a pause
    Resume(change::ResumeArgs),
    /// Try a failed version again
    Retry(change::RetryArgs),
    /// Roll back to the last version that succeeded on all machines, or to that of an earlier rollout
    Undo(undo::UndoArgs),
    /// Show the rollouts of a module, the latest first
    History(history::HistoryArgs),
}

impl RolloutArgs {
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        interrupt::guarded(console, move |_| match self.verb {
            Verb::Status(args) => args.run(),
            Verb::Pause(args) => args.run(),
            Verb::Resume(args) => args.run(),
            Verb::Retry(args) => args.run(),
            Verb::Undo(args) => args.run(),
            Verb::History(args) => args.run(),
        })
    }
}
