//! The `converge resource list` command.

use clap::Args;

use super::args::SelectArgs;
use super::show;
use crate::args::{Output, ServerArgs};
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    select: SelectArgs,

    /// Read at least as new as anything committed before the request
    #[arg(long)]
    consistent: bool,

    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    server: ServerArgs,
}

impl ListArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let query = self.select.query();
        let query = if self.consistent { query.with("consistent", "true") } else { query };
        let resources = server.list(types.find(&self.select.resource_type)?, &query)?;
        show::print_many(resources, self.output)?;
        Ok(Exit::Done)
    }
}
