//! The `converge healthcheck` command.

use clap::Args;
use converge_core::Health;
use converge_core::engine::Summary;
use converge_core::graph::Graph;
use converge_core::view::explain::Reports;
use converge_core::view::health::{Assessment, assess};

use super::run::{RunArgs, Work};
use crate::args::Format;
use crate::command_context::Surroundings;
use crate::console::{Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::HealthSummary;

#[derive(Debug, Args)]
pub(crate) struct HealthcheckArgs {
    #[command(flatten)]
    run: RunArgs,

    /// Show only what is not healthy
    #[arg(short, long)]
    quiet: bool,
}

impl HealthcheckArgs {
    /// Plans every file, and shows the health that results.
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let print = |graph: &Graph, reports: &Reports, summary: &Summary| {
            self.show(graph, reports, summary, surroundings.console)
        };
        self.run.run(Work::PlanFor(&print), surroundings)
    }

    fn show(
        &self,
        graph: &Graph,
        reports: &Reports,
        summary: &Summary,
        console: Console,
    ) -> Result<Exit, CliError> {
        let assessments = assess(graph, reports);
        let health = HealthSummary::new(&assessments, summary.elapsed);
        let is_shown = |one: &&Assessment<'_>| !self.quiet || one.health > Health::Healthy;
        let visible: Vec<&Assessment<'_>> = assessments.iter().filter(is_shown).collect();
        print(&match self.run.format {
            Format::Human => health.human(&visible, console, graph.sources()),
            Format::Json => health.json(&visible, graph.sources())?,
        })?;
        Ok(match health.health() {
            Health::Healthy => Exit::Done,
            Health::Warning => Exit::Warning,
            Health::Error => Exit::Unhealthy,
        })
    }
}
