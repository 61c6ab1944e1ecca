//! A program that is a server with its commands.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

use crate::commands::{Cli, Exit};
use crate::content::Content;
use crate::output::{print, print_error};

/// A whole `converge-server`: its types and controllers, and what it calls itself.
#[derive(Clone, Debug)]
pub struct Program {
    content: Content,
    name: &'static str,
    version: &'static str,
}

impl Default for Program {
    fn default() -> Self {
        Self::new()
    }
}

impl Program {
    /// A program with the types and controllers of every server, which calls itself `converge-server` and has the version of
    /// this crate.
    pub fn new() -> Self {
        Self { content: Content::default(), name: "converge-server", version: env!("CARGO_PKG_VERSION") }
    }

    /// Adds types; usually the `register_types` of a package of types.
    pub fn with_types(
        mut self,
        register: impl Fn(&mut TypeRegistry) -> Result<(), RegistryError> + Send + Sync + 'static,
    ) -> Self {
        self.content.add_types(register);
        self
    }

    /// Adds controllers; usually the `register_controllers` of a package.
    pub fn with_controllers(
        mut self,
        register: impl Fn(&mut Manager) -> Result<(), RegisterError> + Send + Sync + 'static,
    ) -> Self {
        self.content.add_controllers(register);
        self
    }

    /// Names the program, in its help and its version.
    pub fn with_name(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Sets what `--version` prints after the name.
    pub fn with_version(self, version: &'static str) -> Self {
        Self { version, ..self }
    }

    /// Runs the command with the arguments of the process.
    ///
    /// As [`main`](crate::main) is, it is called outside of any async runtime.
    pub fn main(&self) -> ExitCode {
        self.run(std::env::args_os()).into()
    }

    /// Does what the arguments say; the first is the path of the program.
    fn run(&self, arguments: impl IntoIterator<Item = OsString>) -> Exit {
        let command = Cli::command().name(self.name).version(self.version);
        let matches = command.try_get_matches_from(arguments);
        match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
            Ok(cli) => cli.run(&self.content).unwrap_or_else(|error| {
                print_error(&format!("error: {error}\n"));
                Exit::Error
            }),
            Err(usage) if usage.use_stderr() => {
                print_error(&usage.render().ansi().to_string());
                // Not clap's usual 2, which means something else to `converge`.
                Exit::Error
            }
            // Help is no mistake.
            Err(help) => print(&help.render().ansi().to_string()).map_or(Exit::Error, |()| Exit::Done),
        }
    }
}
