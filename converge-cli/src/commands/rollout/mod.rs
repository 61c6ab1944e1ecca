//! `converge rollout`: how versions of modules come to machines.

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
    /// Show how far the last version of a module has come, and what its machines report.
    Status(status::StatusArgs),
    /// Give the version to no further machine.
    Pause(change::PauseArgs),
    /// Go on after a pause.
    Resume(change::ResumeArgs),
    /// Try a version again that was given up.
    Retry(change::RetryArgs),
    /// Go back to what was well on all machines, or to what an earlier rollout brought.
    Undo(undo::UndoArgs),
    /// Show the rollouts of a module, the last one first.
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
