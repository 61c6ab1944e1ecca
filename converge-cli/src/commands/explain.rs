//! The `converge explain` command.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use converge_core::RunMode;
use converge_core::engine::{Engine, Event, EventKind};
use converge_core::system::LocalSystem;
use converge_core::view::explain::{Reports, explain, find, find_id};

use crate::args::{Format, ModuleArgs, StateArgs};
use crate::command_context::Surroundings;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;
use crate::modules::{ModuleLoader, Purpose};
use crate::output::{explanation, json_line};
use crate::plugins;
use crate::runtime;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The resource: its path, such as `module.web/task.build`, or an end of the path that no other
    /// resource has
    #[arg(value_name = "ID")]
    id: String,

    /// The module file or URL
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    #[command(flatten)]
    modules: ModuleArgs,

    #[command(flatten)]
    state: StateArgs,
}

impl ExplainArgs {
    /// Makes a plan, which changes nothing, and explains one resource.
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let console = surroundings.console;
        let plugins = plugins::start(surroundings, &self.modules.plugins, std::slice::from_ref(&self.file))?;
        let loader =
            ModuleLoader::new(plugins.around(surroundings), &self.modules, Purpose::Run, self.format)?;
        let Some(loader) = loader else { return Ok(Exit::Error) };
        let module = loader.load(&self.file);
        module.report(self.format, console)?;
        let Ok(graph) = module.loaded.into_graph() else { return Ok(Exit::Error) };
        // A plan that finds more instances finds their names as well.
        let finds_more = graph.nodes().any(|(_, node)| node.deferred().is_some());
        let name = match find_id(&graph, &self.id) {
            Ok(id) => id.short().to_owned(),
            Err(_) if finds_more => self.id,
            Err(error) => return Err(error.into()),
        };
        let mut reports = Reports::new();
        let mut sink = |event: Event| {
            if let EventKind::ResourceFinished(report) = event.kind {
                reports.insert(report.id.clone(), *report);
            }
        };
        let runtime = runtime::start()?;
        let limits = self.modules.limits();
        let system = LocalSystem::builder().limits(&limits).build().map_err(CliError::System)?;
        let engine = Engine::new(Arc::new(system)).with_limits(limits);
        let engine = self.state.configure(engine, RunMode::Plan, None, console)?;
        let run = async { engine.plan(&graph).with_graph().sink(&mut sink).await };
        let (_, graph) = runtime.block_on(run)?;
        let explained = explain(&graph, find(&graph, &name)?, &reports);
        print(&match self.format {
            Format::Human => explanation(&explained, console.stdout),
            Format::Json => json_line(&explained)?,
        })?;
        Ok(Exit::Done)
    }
}
