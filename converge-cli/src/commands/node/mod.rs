//! The `converge node` command: nodes, and their certificates.

mod certificates;
mod list;
mod revoke;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;

#[derive(Debug, Args)]
pub(crate) struct NodeArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the nodes of a server, and when their certificates expire
    List(list::ListArgs),
    /// Revoke the certificates of nodes: from now on the server refuses them. The nodes stay
    Revoke(revoke::RevokeArgs),
}

impl NodeArgs {
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        interrupt::guarded(console, move |_| match self.verb {
            Verb::List(args) => args.run(),
            Verb::Revoke(args) => args.run(),
        })
    }
}
