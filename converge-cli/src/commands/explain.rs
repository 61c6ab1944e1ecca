//! `converge explain`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use converge_core::engine::{Engine, Event, Interrupt};
use converge_core::report::explain::{Reports, explain, find};
use converge_core::system::LocalSystem;

use crate::args::{Format, ParamArgs, SourceArgs, StateArgs};
use crate::console::{Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::modules::{Module, Purpose};
use crate::output::{Paint, explanation, json_line};

/// The arguments of `converge explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The resource: its path, such as `module.web/task.build`, or an end of it that no other resource has.
    #[arg(value_name = "ID")]
    id: String,

    /// The module file or URL.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// How to write the explanation.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    #[command(flatten)]
    params: ParamArgs,

    #[command(flatten)]
    sources: SourceArgs,

    #[command(flatten)]
    state: StateArgs,
}

impl ExplainArgs {
    /// Makes a plan, which changes nothing, and tells what is known of one resource.
    pub(super) fn run(self, console: Console) -> Result<Exit, CliError> {
        let Some(params) = self.params.given(self.format, console)? else { return Ok(Exit::Error) };
        let sources = self.sources.sources();
        let module = Module::load(&super::registry()?, &sources, &params, &self.file, Purpose::Run);
        module.report(self.format, console)?;
        if module.has_errors() {
            return Ok(Exit::Error);
        }
        let graph = Arc::new(module.loaded.graph);
        let index = find(&graph, &self.id)?;
        let mut reports = Reports::new();
        let mut sink = |event: Event| {
            if let Event::ResourceFinished(report) = event {
                reports.insert(report.id.clone(), report);
            }
        };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::Start)?;
        let engine = Engine::new(Arc::new(LocalSystem::new()));
        let engine = match self.state.journal() {
            Some(journal) => engine.with_journal(journal),
            None => engine,
        };
        runtime.block_on(engine.plan(&graph, &Interrupt::new(), &mut sink))?;
        let explained = explain(&graph, index, &reports);
        print(&match self.format {
            Format::Human => explanation(&explained, Paint { color: console.stdout_color }),
            Format::Json => json_line(&explained)?,
        })?;
        Ok(Exit::Done)
    }
}
