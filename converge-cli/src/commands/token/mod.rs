//! The `converge token` command: the tokens by which a server authenticates callers.

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
    /// Create a token, and print it. It is shown only once: the server keeps a hash of it
    Create(create::CreateArgs),
    /// List the stored tokens of a server, with the permissions of their holders
    List(list::ListArgs),
    /// Revoke tokens: from now on the server refuses them
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
