//! The `converge type` command: resource types from `.proto` files.

mod apply;
mod delete;
mod files;
mod list;
mod name;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;

#[derive(Debug, Args)]
pub(crate) struct TypeArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Load the types of .proto files into a server, or update them
    Apply(apply::ApplyArgs),
    /// List the definitions of types: their types, and whether the server uses them
    List(list::ListArgs),
    /// Delete definitions whose types have no resources
    Delete(delete::DeleteArgs),
}

impl TypeArgs {
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        interrupt::guarded(console, move |_| match self.verb {
            Verb::Apply(args) => args.run(),
            Verb::List(args) => args.run(),
            Verb::Delete(args) => args.run(),
        })
    }
}
