//! `top`.

use std::io::{self, IsTerminal as _};

use anstream::{AutoStream, ColorChoice};
use clap::Args;

use super::client_args::{CredentialArgs, block_on};
use super::error::CommandError;
use super::exit::Exit;
use super::signals::Signals;
use crate::output::print;
use crate::top::{self, View};

/// The arguments of `top`.
#[derive(Debug, Args)]
#[command(after_help = "\
1 to 4 and Tab choose what is shown, arrows or j and k a line; Enter looks at it alone, Escape goes back; / filters, ? helps, q ends.
Where standard input or output is not a terminal, the table is printed once.

Exit codes:
  0  it was told to end, or the table is printed
  1  no server answers, or it refuses; or the command line is wrong")]
pub(super) struct TopArgs {
    /// URL of the server. Several servers that share one store are separated by commas; if one is away, the
    /// next is used.
    #[arg(long, value_name = "URL", env = "CONVERGE_SERVER", default_value = "http://127.0.0.1:8500")]
    server: String,

    #[command(flatten)]
    credentials: CredentialArgs,

    /// The view to show first, or to print
    #[arg(long, value_name = "VIEW", default_value = "nodes")]
    view: View,
}

impl TopArgs {
    /// Whether standard input and standard output are terminals.
    pub(super) fn is_live() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    pub(super) fn run(self) -> Result<Exit, CommandError> {
        let client = self.credentials.client(&self.server)?;
        if !Self::is_live() {
            let table = block_on(top::once(&client, self.view))??;
            return print(&table).map(|()| Exit::Done).map_err(CommandError::Output);
        }
        let colours = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        let runtime = tokio::runtime::Runtime::new().map_err(CommandError::Runtime)?;
        let ended = runtime.block_on(async {
            let mut signals = Signals::new().map_err(CommandError::Runtime)?;
            Ok(top::live(self.server, client, self.view, colours, signals.next())
                .await
                .map(|()| Exit::Done)?)
        });
        // A name lookup of a server cannot be cancelled.
        runtime.shutdown_background();
        ended
    }
}
