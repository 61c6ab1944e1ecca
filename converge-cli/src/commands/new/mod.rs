//! `converge new`.

mod controller;
mod folder;
mod name;

use clap::{Args, Subcommand};

use self::controller::ControllerArgs;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A crate with a controller: its types, and tests of all kinds, which pass.
    Controller(ControllerArgs),
}

impl NewArgs {
    pub(crate) fn run(self) -> Result<Exit, CliError> {
        match self.what {
            What::Controller(args) => args.run(),
        }
    }
}
