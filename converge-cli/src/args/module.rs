//! The arguments of every command that loads modules.

use clap::Args;
use converge_core::Limits;
use converge_core::load::AutomaticEdges;

use super::limit::LimitArg;
use super::params::ParamArgs;
use super::plugins::PluginArgs;
use super::sources::SourceArgs;

/// Where modules come from, and values for their parameters.
#[derive(Debug, Args)]
pub(crate) struct ModuleArgs {
    #[command(flatten)]
    pub(crate) params: ParamArgs,

    #[command(flatten)]
    pub(crate) sources: SourceArgs,

    #[command(flatten)]
    pub(crate) plugins: PluginArgs,

    /// Resources wait for each other only where the module says so, and not because one works with what another one makes
    #[arg(long)]
    pub(crate) no_auto_edges: bool,

    /// Set a limit of what loading and running may cost: `resources`, `bytes` that are read, `output` of programs, size of a `file`,
    /// `work.steps` and `work.memory` of expressions. A message that names a limit says what it is.
    #[arg(long, value_name = "NAME=N")]
    limit: Vec<LimitArg>,
}

impl ModuleArgs {
    /// The usual limits, but for those that are set.
    pub(crate) fn limits(&self) -> Limits {
        self.limit.iter().fold(Limits::default(), |limits, set| limits.with(set.limit, set.most))
    }

    /// Whether resources wait for each other without a name that says so.
    pub(crate) fn automatic_edges(&self) -> AutomaticEdges {
        if self.no_auto_edges { AutomaticEdges::Omit } else { AutomaticEdges::Add }
    }
}
