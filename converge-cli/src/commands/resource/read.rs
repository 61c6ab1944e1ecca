//! The `converge resource read` command.

use clap::Args;

use super::args::NameArgs;
use super::show;
use crate::args::Output;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(super) struct ReadArgs {
    #[command(flatten)]
    name: NameArgs,

    /// Read at least as new as anything committed before the request
    #[arg(long)]
    consistent: bool,

    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "yaml")]
    output: Output,
}

impl ReadArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.name.server.open()?;
        let (id, _) = self.name.named(&server)?;
        show::print_one(&server.read(&id, self.consistent)?, self.output)?;
        Ok(Exit::Done)
    }
}
