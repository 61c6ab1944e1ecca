//! The `converge resource delete` command.

use clap::Args;

use super::args::NameArgs;
use super::wait;
use crate::args::TimeoutArgs;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    name: NameArgs,

    /// Delete only the resource with this uid; another one with the same name stays
    #[arg(long, value_name = "UID", default_value = "", hide_default_value = true)]
    uid: String,

    /// Delete only if the resource has this version; any other is an error
    #[arg(long, value_name = "VERSION", default_value = "", hide_default_value = true)]
    version: String,

    /// Wait until it is gone. A resource with finalizers is only marked for deletion, and gone when they
    /// are
    #[arg(long)]
    wait: bool,

    #[command(flatten)]
    timeout: TimeoutArgs,
}

impl DeleteArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.name.server.open()?;
        let (named, _) = self.name.named(&server)?;
        let query = named.query().with_non_empty("uid", &self.uid).with_non_empty("version", &self.version);
        server.delete(&named, &query)?;
        if self.wait {
            wait::until_gone(&server, &named, self.timeout.timeout)?;
        }
        Ok(Exit::Done)
    }
}
