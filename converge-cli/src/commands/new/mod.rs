//! The `converge new` command.

mod controller;
mod folder;
mod module;
mod name;
mod origin;
mod resource;

use clap::{Args, Subcommand};

use converge_core::Registry;

use self::controller::ControllerArgs;
use self::module::ModuleArgs;
use self::resource::ResourceArgs;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    #[command(subcommand)]
    what: Template,
}

#[derive(Debug, Subcommand)]
enum Template {
    /// Create a crate with a resource: its type, its tests, samples, and a program that includes it
    Resource(ResourceArgs),
    /// Create a module with parameters, and samples that use it
    Module(ModuleArgs),
    /// Create a crate with a controller: its types, and tests of all kinds, which pass
    Controller(ControllerArgs),
}

impl NewArgs {
    /// Creates the crate or module; its resource must not have the name of a registered type.
    pub(crate) fn run(self, registry: &Registry) -> Result<Exit, CliError> {
        match self.what {
            Template::Resource(args) => args.run(registry),
            Template::Module(args) => args.run(),
            Template::Controller(args) => args.run(),
        }
    }
}
