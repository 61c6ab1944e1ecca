//! The `converge token revoke` command.

use clap::Args;

use super::name::named;
use crate::args::ServerArgs;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(super) struct RevokeArgs {
    /// The names of the tokens
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    #[command(flatten)]
    server: ServerArgs,
}

impl RevokeArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let mut missing = Vec::new();
        for name in &self.names {
            let id = named(&types, name)?;
            // A missing name is an error: it may be misspelt, and the intended token would stay valid.
            match server.read(&id, true) {
                Err(error) if error.is("not_found") => missing.push(name.as_str()),
                Err(error) => return Err(error.into()),
                Ok(_) => server.delete(&id, &id.query())?,
            }
        }
        if missing.is_empty() {
            return Ok(Exit::Done);
        }
        Err(CliError::Message(format!("there is no token {}", missing.join(", "))))
    }
}
