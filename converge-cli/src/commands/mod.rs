//! The commands, one file each.

mod apply;
mod docs;
mod explain;
mod fmt;
mod graph;
mod healthcheck;
mod plan;
mod run;
mod validate;
mod version;

use converge_core::{Registry, RegistryError};

pub(crate) use self::apply::ApplyArgs;
pub(crate) use self::docs::DocsArgs;
pub(crate) use self::explain::ExplainArgs;
pub(crate) use self::fmt::FmtArgs;
pub(crate) use self::graph::GraphArgs;
pub(crate) use self::healthcheck::HealthcheckArgs;
pub(crate) use self::plan::PlanArgs;
pub(crate) use self::validate::ValidateArgs;
use crate::args::{Cli, Command};
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::logs;

impl Cli {
    /// Does what the arguments say and tells what went wrong.
    pub(crate) fn run(self) -> Exit {
        let mut console = Console::new(self.global.color);
        if logs::start(&self.global, console.stderr_color) {
            // The lines of the log would fall into the line of progress.
            console.progress = false;
        }
        self.command.run(console).unwrap_or_else(|error| {
            console.error(error);
            Exit::Error
        })
    }
}

impl Command {
    fn run(self, console: Console) -> Result<Exit, CliError> {
        match self {
            Self::Plan(args) => args.run(console),
            Self::Apply(args) => args.run(console),
            Self::Healthcheck(args) => args.run(console),
            Self::Validate(args) => args.run(console),
            Self::Fmt(args) => args.run(console),
            Self::Graph(args) => args.run(console),
            Self::Explain(args) => args.run(console),
            Self::Docs(args) => args.run(console),
            Self::Version => version::run(),
        }
    }
}

/// The resource types that modules can use here: the built-in ones, added by name.
///
/// Types that register themselves ([`Registry::automatic`]) are left alone. What is in the command then
/// depends neither on what the linker kept nor on the platform, and a type that is missing is a compile
/// error. A command with further types adds them here.
fn registry() -> Result<Registry, RegistryError> {
    converge_resources::registry()
}
