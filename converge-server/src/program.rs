//! The entry point of a server program with all its commands.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

use crate::commands::{Cli, Exit};
use crate::content::Content;
use crate::output::{print, print_error};

/// A complete `converge-server` program: its types, controllers, name and version.
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
    /// Creates a program with the built-in types and controllers.
    ///
    /// Its name is `converge-server`, and its version is that of this crate.
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

    /// Sets the name of the program in its help and version.
    pub fn with_name(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Sets what `--version` prints after the name.
    pub fn with_version(self, version: &'static str) -> Self {
        Self { version, ..self }
    }

    /// Runs the command with the arguments of the process.
    ///
    /// Like [`main`](crate::main), it must be called outside of any async runtime.
    pub fn main(&self) -> ExitCode {
        self.run(std::env::args_os()).into()
    }

    /// Runs the command with these arguments; the first is the path of the program.
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
                // The usual exit code 2 of clap has another meaning in `converge`.
                Exit::Error
            }
            // A request for help is no error.
            Err(help) => print(&help.render().ansi().to_string()).map_or(Exit::Error, |()| Exit::Done),
        }
    }
}
