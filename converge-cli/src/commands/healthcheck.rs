//! `converge healthcheck`.

use clap::Args;
use converge_core::Health;
use converge_core::engine::Summary;
use converge_core::graph::Graph;
use converge_core::report::explain::Reports;
use converge_core::report::health::{Assessment, assess};

use super::run::{Aim, RunArgs, run};
use crate::args::Format;
use crate::console::{Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Checkup, Paint};

/// The arguments of `converge healthcheck`.
#[derive(Debug, Args)]
pub(crate) struct HealthcheckArgs {
    #[command(flatten)]
    run: RunArgs,

    /// Show only what is not healthy.
    #[arg(short, long)]
    quiet: bool,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    All,
    Unhealthy,
}

impl HealthcheckArgs {
    /// Plans every file, and tells how healthy that is.
    pub(super) fn run(self, console: Console) -> Result<Exit, CliError> {
        let shown = if self.quiet { Shown::Unhealthy } else { Shown::All };
        run(Aim::Health(shown), &self.run, console)
    }
}

/// Tells how healthy the resources of a graph are.
pub(super) fn tell(
    graph: &Graph,
    reports: &Reports,
    summary: &Summary,
    shown: Shown,
    format: Format,
    console: Console,
) -> Result<Exit, CliError> {
    let assessments = assess(graph, reports);
    let checkup = Checkup::new(&assessments, summary.elapsed);
    let is_shown = |one: &&Assessment<'_>| shown == Shown::All || one.health > Health::Healthy;
    let listed: Vec<&Assessment<'_>> = assessments.iter().filter(is_shown).collect();
    print(&match format {
        Format::Human => checkup.human(&listed, Paint { color: console.stdout_color }, graph.sources()),
        Format::Json => checkup.json(&listed, graph.sources())?,
    })?;
    Ok(match checkup.health() {
        Health::Healthy => Exit::Done,
        Health::Warning => Exit::Warning,
        Health::Error => Exit::Unhealthy,
    })
}
