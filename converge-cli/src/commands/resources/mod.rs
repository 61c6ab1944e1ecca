//! `converge resources`.

mod describe;
#[cfg(test)]
mod tests;

use clap::Args;
use converge_core::Registry;
use converge_core::report::{did_you_mean, json};

use self::describe::{describe, list};
use crate::args::Format;
use crate::console::{Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Paint, json_line};

/// The arguments of `converge resources`.
#[derive(Debug, Args)]
pub(crate) struct ResourcesArgs {
    /// The type to describe: its fields, their rules, and what it exports.
    name: Option<String>,

    /// How to write the types.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

impl ResourcesArgs {
    /// Prints the types.
    pub(super) fn run(self, console: Console) -> Result<Exit, CliError> {
        let paint = Paint { color: console.stdout_color };
        print(&self.text(&super::registry()?, paint)?)?;
        Ok(Exit::Done)
    }

    fn text(&self, registry: &Registry, paint: Paint) -> Result<String, CliError> {
        let Some(name) = &self.name else {
            return match self.format {
                Format::Human => Ok(list(registry, paint)),
                Format::Json => {
                    registry.iter().map(|known| Ok(json_line(&json::schema(known.schema()))?)).collect()
                }
            };
        };
        let Some(known) = registry.get(name) else {
            let names = registry.iter().map(|known| known.name());
            return Err(CliError::UnknownResource { name: name.clone(), help: did_you_mean(name, names) });
        };
        match self.format {
            Format::Human => Ok(describe(known.schema(), paint)),
            Format::Json => Ok(json_line(&json::schema(known.schema()))?),
        }
    }
}
