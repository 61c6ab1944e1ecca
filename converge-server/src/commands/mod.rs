//! The command line.

mod access;
mod agent;
mod client_args;
mod controllers;
mod core_dumps;
mod error;
mod exit;
mod global;
mod init;
mod notify;
mod server;
mod signals;
mod store;
mod top;

use clap::{Parser, Subcommand};

use crate::content::Content;

use agent::AgentArgs;
use controllers::ControllersArgs;
use error::CommandError;
use global::Global;
use server::ServerArgs;
use top::TopArgs;

pub(crate) use exit::Exit;

/// Runs a server of stored resources and controllers, and shows its contents
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a server: a store of resources, the controllers that reconcile them, HTTP and gRPC
    Server(Box<ServerArgs>),
    /// Apply the modules that a server assigns to this machine, and correct drift
    Agent(AgentArgs),
    /// Show nodes, modules, rollouts and events of a server, live
    Top(TopArgs),
    /// Show controllers and types: the state in a running server, and the built-in definitions
    Controllers(ControllersArgs),
}

impl Cli {
    /// Runs the command with these types and controllers.
    pub(crate) fn run(self, content: &Content) -> Result<Exit, CommandError> {
        // Log lines would disturb the full-screen view.
        let draws = matches!(self.command, Command::Top(_)) && TopArgs::is_live();
        self.global.start(!draws);
        match self.command {
            Command::Server(args) => args.run(content),
            Command::Agent(args) => args.run(),
            Command::Top(args) => args.run(),
            Command::Controllers(args) => args.run(content),
        }
    }
}
