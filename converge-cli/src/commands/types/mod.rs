//! `converge type`: types of resources from `.proto` files.

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
    /// Give a server the types of .proto files, or what has changed in them.
    Apply(apply::ApplyArgs),
    /// List the definitions of types: what each has, and whether the server uses it.
    List(list::ListArgs),
    /// Delete definitions of types of which there are no resources.
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
