//! The `converge resource` command: resources on a server.

mod apply;
mod args;
mod command_context;
mod delete;
mod diff;
mod edit;
mod files;
mod list;
mod read;
mod show;
mod status;
mod wait;
mod watch;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use command_context::Work;

#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Create resources from files, or replace their data and metadata
    Apply(apply::ApplyArgs),
    /// Show a resource
    Read(read::ReadArgs),
    /// Show all resources of a type
    List(list::ListArgs),
    /// Delete a resource and, later, the resources it owns. A missing resource is not an error
    Delete(delete::DeleteArgs),
    /// Watch resources of a type: prints those that exist, then each change, until a signal
    Watch(watch::WatchArgs),
    /// Show the statuses that controllers report for a resource
    Status(status::StatusArgs),
    /// Show what an apply of files would change; writes nothing
    Diff(diff::DiffArgs),
    /// Change a resource in an editor
    Edit(edit::EditArgs),
}

impl ResourceArgs {
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        let verb = self.verb;
        interrupt::guarded(console, move |interrupts| {
            let work = Work { console, interrupts };
            match verb {
                Verb::Apply(args) => args.run(&work),
                Verb::Read(args) => args.run(),
                Verb::List(args) => args.run(),
                Verb::Delete(args) => args.run(),
                Verb::Watch(args) => args.run(&work),
                Verb::Status(args) => args.run(),
                Verb::Diff(args) => args.run(&work),
                Verb::Edit(args) => args.run(&work),
            }
        })
    }
}
