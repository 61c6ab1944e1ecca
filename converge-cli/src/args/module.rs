//! The arguments of every command that loads modules.

use clap::Args;

use super::params::ParamArgs;
use super::sources::SourceArgs;

/// Where modules come from, and values for their parameters.
#[derive(Debug, Args)]
pub(crate) struct ModuleArgs {
    #[command(flatten)]
    pub(crate) params: ParamArgs,

    #[command(flatten)]
    pub(crate) sources: SourceArgs,
}
