//! `converge token`: by what a server knows who asks.

mod create;
mod list;
mod name;
mod revoke;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;

#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make a token, and print it. It is shown this once: the server keeps a hash of it.
    Create(create::CreateArgs),
    /// List the tokens that a server has stored, with what their holders may do.
    List(list::ListArgs),
    /// Take tokens back: from now on nobody is known by them.
    Revoke(revoke::RevokeArgs),
}

impl TokenArgs {
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        interrupt::guarded(console, move |_| match self.verb {
            Verb::Create(args) => args.run(),
            Verb::List(args) => args.run(),
            Verb::Revoke(args) => args.run(),
        })
    }
}
