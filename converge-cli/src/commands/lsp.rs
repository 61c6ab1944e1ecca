//! `converge lsp`.

use std::io;

use clap::Args;

use crate::args::CacheArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::lsp;
use crate::surroundings::Surroundings;

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// Speak on standard input and output. There is no other way; editors say so all the same.
    #[arg(long)]
    stdio: bool,

    #[command(flatten)]
    cache: CacheArgs,
}

impl LspArgs {
    pub(crate) fn run(self, around: Surroundings<'_>) -> Result<Exit, CliError> {
        let Self { stdio: _, cache } = self;
        lsp::serve(around.registry, cache.offline(around.console), io::stdin(), io::stdout())
    }
}
