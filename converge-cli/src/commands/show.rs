//! The `converge show` command.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use converge_core::diagnostic::SourceMap;
use converge_core::engine::EventKind;
use converge_core::view::render::sanitize_line;

use crate::args::Format;
use crate::command_context::Surroundings;
use crate::console::{BOLD, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{HumanView, json_line};
use crate::plan_file::{self, PlanOrigin};
use crate::runtime;

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// A file that `converge plan --out` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The output format. JSON is the plan document on one line, without the parts that only an apply needs
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

impl ShowArgs {
    pub(crate) fn run(&self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let plan = runtime::start()?.block_on(plan_file::read(&self.file))?;
        if self.format == Format::Json {
            print(&json_line(&plan.report)?)?;
            return Ok(Exit::Done);
        }
        let console = surroundings.console;
        let origin = PlanOrigin::from_plan(&plan, &self.file)?;
        let owner = plan.owner().map(|owner| format!(" for the owner {owner}")).unwrap_or_default();
        let title = format!("plan of {}, made in {}{owner}", origin.module.display(), origin.directory());
        let mut text = format!("{}\n", console.stdout.paint(BOLD, sanitize_line(&title)));
        let view = HumanView::new(console.stdout, Arc::new(SourceMap::new()));
        let mut view = view.verbose(console.verbose);
        let results = plan.report.resources.iter();
        let finished = results.map(|result| EventKind::ResourceFinished(Box::new(result.to_report())));
        let end = EventKind::RunFinished { summary: plan.report.summary };
        let outputs = plan.report.outputs.iter().cloned().map(EventKind::Output);
        for event in finished.chain(outputs).chain([end]) {
            text.push_str(&view.event(&event));
        }
        print(&text)?;
        Ok(Exit::Done)
    }
}
