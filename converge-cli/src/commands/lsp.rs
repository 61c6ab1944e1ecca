//! The `converge lsp` command.

use std::io;

use clap::Args;

use crate::args::{CacheArgs, PluginArgs};
use crate::command_context::Surroundings;
use crate::error::CliError;
use crate::exit::Exit;
use crate::lsp;
use crate::plugins;

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// Use standard input and output. This is the only transport; the option exists because editors pass it
    #[arg(long)]
    stdio: bool,

    #[command(flatten)]
    plugins: PluginArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

impl LspArgs {
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let Self { stdio: _, plugins, cache } = self;
        // Only plugins that the user configured are started, not those that modules name: opening a file does
        // not mean that the user trusts it.
        let (plugins, problems) = plugins::start_all(surroundings.registry, &plugins, &[]);
        for problem in &problems {
            surroundings.console.warning(problem);
        }
        let surroundings = plugins.around(surroundings);
        lsp::serve(surroundings.registry, cache.offline(surroundings.console), io::stdin(), io::stdout())
    }
}
