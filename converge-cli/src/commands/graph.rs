//! The `converge graph` command.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use converge_core::view::json;

use crate::args::{Format, ModuleArgs};
use crate::command_context::Surroundings;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;
use crate::modules::{ModuleLoader, Purpose};
use crate::output::json_line;
use crate::plugins;

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// The module file or URL. A module with mistakes is drawn as far as it can be understood
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "dot")]
    format: GraphFormat,

    #[command(flatten)]
    modules: ModuleArgs,
}

/// The output format of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// Graphviz: `converge graph web.hcl | dot -Tsvg`
    Dot,
    /// Mermaid, for Markdown pages that draw it
    Mermaid,
    /// JSON for programs
    Json,
}

impl GraphArgs {
    /// Prints the graph, and on standard error the mistakes of the module.
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let plugins = plugins::start(surroundings, &self.modules.plugins, std::slice::from_ref(&self.file))?;
        let surroundings = plugins.around(surroundings);
        let loader = ModuleLoader::new(surroundings, &self.modules, Purpose::Inspect, Format::Human)?;
        let Some(loader) = loader else { return Ok(Exit::Error) };
        let module = loader.load(&self.file);
        module.report(Format::Human, surroundings.console)?;
        let graph = module.loaded.partial_graph();
        print(&match self.format {
            GraphFormat::Dot => graph.to_dot().to_string(),
            GraphFormat::Mermaid => graph.to_mermaid().to_string(),
            GraphFormat::Json => json_line(&json::graph(graph, &module.loaded.sources))?,
        })?;
        Ok(if module.has_errors() { Exit::Error } else { Exit::Done })
    }
}
