//! `converge lsp`.

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
    /// Speak on standard input and output. There is no other way; editors say so all the same.
    #[arg(long)]
    stdio: bool,

    #[command(flatten)]
    plugins: PluginArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

impl LspArgs {
    pub(crate) fn run(self, around: Surroundings<'_>) -> Result<Exit, CliError> {
        let Self { stdio: _, plugins, cache } = self;
        // Those that are found are what the user says. What modules name is not run: to open a file is not to trust it.
        let (plugins, problems) = plugins::start_all(around.registry, &plugins, &[]);
        for problem in &problems {
            around.console.warning(problem);
        }
        let around = plugins.around(around);
        lsp::serve(around.registry, cache.offline(around.console), io::stdin(), io::stdout())
    }
}
