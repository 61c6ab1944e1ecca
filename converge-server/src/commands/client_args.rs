//! The arguments for credentials and trusted authorities of client commands.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::error::CommandError;
use crate::client::{Asking, Authorities, Bearer};
use crate::private_files::{first_line, read_secret};

/// The credentials of a client and the authorities that it trusts.
#[derive(Debug, Args)]
pub(super) struct AskingArgs {
    /// File with a token on its first line, readable by nobody else [default: token in `CONVERGE_TOKEN`]
    #[arg(long, value_name = "FILE", env = "CONVERGE_TOKEN_FILE", hide_env_values = true)]
    token_file: Option<PathBuf>,

    /// Trust servers with a certificate from an authority in this PEM file, instead of the machine's
    #[arg(long, value_name = "FILE", env = "CONVERGE_CA", hide_env_values = true)]
    ca: Option<PathBuf>,
}

impl AskingArgs {
    pub(super) fn read(&self) -> Result<Asking, CommandError> {
        let token = match &self.token_file {
            Some(file) => Some(first_line(&read_secret(file)?)),
            None => std::env::var("CONVERGE_TOKEN").ok().map(|token| token.trim().to_owned()),
        };
        let token = token.filter(|token| !token.is_empty()).map(|token| Bearer::new(&token));
        let authorities = match &self.ca {
            None => Authorities::OfMachine,
            Some(file) => {
                let pem = fs::read(file).map_err(|error| CommandError::Read { file: file.clone(), error })?;
                let unusable = |problem| CommandError::Authority { file: file.clone(), problem };
                Authorities::from_pem(&pem).map_err(unusable)?
            }
        };
        Ok(Asking { token, authorities, certificate: None })
    }
}
