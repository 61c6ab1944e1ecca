//! The arguments of every command that loads modules.

use clap::Args;
use converge_core::Limits;
use converge_core::load::AutomaticEdges;

use super::limit::LimitArg;
use super::params::ParamArgs;
use super::plugins::PluginArgs;
use super::sources::SourceArgs;

/// The sources of modules, and values for their parameters.
#[derive(Debug, Args)]
pub(crate) struct ModuleArgs {
    #[command(flatten)]
    pub(crate) params: ParamArgs,

    #[command(flatten)]
    pub(crate) sources: SourceArgs,

    #[command(flatten)]
    pub(crate) plugins: PluginArgs,

    /// Order resources only where the module says so, and not because one uses what another one creates
    #[arg(long)]
    pub(crate) no_auto_edges: bool,

    /// Set a limit on the cost of loading and running. The limits include `resources`, `bytes` that are
    /// read,
    /// `output` of programs, the size of a `file`, and `work.steps` and `work.memory` of expressions. An
    /// error message about a limit gives its name
    #[arg(long, value_name = "NAME=N")]
    limit: Vec<LimitArg>,
}

impl ModuleArgs {
    /// Returns the default limits, overridden by those that are set.
    pub(crate) fn limits(&self) -> Limits {
        self.limit.iter().fold(Limits::default(), |limits, set| limits.with(set.limit, set.most))
    }

    /// Returns whether edges between resources are inferred.
    pub(crate) fn automatic_edges(&self) -> AutomaticEdges {
        if self.no_auto_edges { AutomaticEdges::Omit } else { AutomaticEdges::Add }
    }
}
