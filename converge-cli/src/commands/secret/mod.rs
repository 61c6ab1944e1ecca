//! The `converge secret` command: values that a server seals.

mod delete;
mod list;
mod name;
mod set;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;

#[derive(Debug, Args)]
pub(crate) struct SecretArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Set the value of a secret, and create the secret if it does not exist. The server seals the value,
    /// and shows it to nobody
    Set(set::SetArgs),
    /// List secrets, without their values
    List(list::ListArgs),
    /// Delete secrets
    Delete(delete::DeleteArgs),
}

impl SecretArgs {
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        interrupt::guarded(console, move |_| match self.verb {
            Verb::Set(args) => args.run(),
            Verb::List(args) => args.run(),
            Verb::Delete(args) => args.run(),
        })
    }
}
