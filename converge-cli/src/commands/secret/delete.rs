//! The `converge secret delete` command.

use clap::Args;

use super::name::named;
use crate::args::{ServerArgs, TenancyArgs};
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    /// The names of the secrets
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    #[command(flatten)]
    tenancy: TenancyArgs,

    #[command(flatten)]
    server: ServerArgs,
}

impl DeleteArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let mut missing = Vec::new();
        for name in &self.names {
            let id = named(&types, name, &self.tenancy)?;
            // A missing name is an error: it may be misspelt, and the intended secret would stay.
            match server.read(&id, true) {
                Err(error) if error.is("not_found") => missing.push(name.as_str()),
                Err(error) => return Err(error.into()),
                Ok(_) => server.delete(&id, &id.query())?,
            }
        }
        if missing.is_empty() {
            return Ok(Exit::Done);
        }
        Err(CliError::Message(format!("there is no secret {}", missing.join(", "))))
    }
}
