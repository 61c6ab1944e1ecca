//! The `converge docs` command: descriptions of resource types, from their definitions.

mod format;
mod human;
mod markdown;
mod params;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use converge_core::diagnostic::did_you_mean;
use converge_core::load::TypeTable;
use converge_core::view::{json, json_schema};
use converge_core::{Registry, ResourceType};

use self::format::{Format, document};
use crate::args::{PluginArgs, SourceArgs};
use crate::command_context::Surroundings;
use crate::console::{Paint, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{json_line, schema_text};
use crate::plugins;

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// The type to describe: its fields, their rules, its exports and an example module; or `functions`,
    /// for the functions that modules can call
    #[arg(value_name = "TYPE")]
    name: Option<String>,

    /// Describe the parameters of this module, a file or a URL, instead of types. As JSON Schema they
    /// describe a file of parameters (`--params-file`)
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    module: Option<PathBuf>,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    #[command(flatten)]
    sources: SourceArgs,

    #[command(flatten)]
    plugins: PluginArgs,
}

impl DocsArgs {
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let files = self.module.as_slice();
        let plugins = plugins::start(surroundings, &self.plugins, files)?;
        if let Some(file) = &self.module {
            return params::show(
                file,
                self.format,
                self.sources.sources(surroundings.console),
                plugins.around(surroundings),
            );
        }
        print(&self.text(plugins.around(surroundings).registry, surroundings.console.stdout)?)?;
        Ok(Exit::Done)
    }

    fn text(&self, registry: &Registry, paint: Paint) -> Result<String, CliError> {
        match &self.name {
            // A resource type with the name `functions` takes precedence.
            Some(name) if name == FUNCTIONS && registry.get(name).is_none() => {
                self.functions(registry, paint)
            }
            Some(name) => self.page(&*find(&TypeTable::new(registry), name)?, paint),
            None => self.list(registry, paint),
        }
    }

    fn page(&self, resource_type: &ResourceType, paint: Paint) -> Result<String, CliError> {
        match self.format {
            Format::Human => {
                Ok(human::page(resource_type.schema(), &schema_text::describe_type(resource_type), paint))
            }
            Format::Json => Ok(json_line(&json::resource_type(resource_type))?),
            Format::Markdown => {
                Ok(markdown::page(resource_type.schema(), &schema_text::describe_type(resource_type)))
            }
            Format::JsonSchema => document(&json_schema::resource_type(resource_type)),
        }
    }

    /// Describes the functions that modules can call.
    fn functions(&self, registry: &Registry, paint: Paint) -> Result<String, CliError> {
        match self.format {
            Format::Human => Ok(human::functions(registry.functions(), paint)),
            Format::Json => {
                json::functions(registry).iter().map(|function| Ok(json_line(function)?)).collect()
            }
            Format::Markdown => Ok(markdown::functions(registry.functions())),
            Format::JsonSchema => Err(CliError::FunctionsHaveNoSchema),
        }
    }

    fn list(&self, registry: &Registry, paint: Paint) -> Result<String, CliError> {
        match self.format {
            Format::Human => Ok(human::list(&TypeTable::new(registry), paint)),
            Format::Json => TypeTable::new(registry)
                .iter()
                .map(|resource_type| Ok(json_line(&json::resource_type(resource_type))?))
                .collect(),
            Format::Markdown => Ok(markdown::index(&TypeTable::new(registry))),
            Format::JsonSchema => document(&json_schema::module(registry)),
        }
    }
}

/// The argument that selects the functions instead of a type.
const FUNCTIONS: &str = "functions";

fn find(types: &TypeTable<'_>, name: &str) -> Result<Arc<ResourceType>, CliError> {
    if let Some(resource_type) = types.get(name) {
        return Ok(Arc::clone(resource_type));
    }
    let name = name.to_owned();
    if let Some(needs) = types.absent(&name) {
        return Err(CliError::AbsentResource { name, needs });
    }
    let names = types.iter().map(|resource_type| resource_type.name());
    let help = did_you_mean(&name, names);
    Err(CliError::UnknownResource { name, help })
}
