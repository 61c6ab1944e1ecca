//! The arguments for credentials and trusted authorities of client commands.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use converge_client::{Authorities, Client, Credentials, ServerUrl, Token};

use super::error::CommandError;
use crate::private_files::{first_line, read_secret};

/// The credentials of a client and the authorities that it trusts.
#[derive(Debug, Args)]
pub(super) struct CredentialArgs {
    /// File with a token on its first line, readable by nobody else [default: token in `CONVERGE_TOKEN`]
    #[arg(long, value_name = "FILE", env = "CONVERGE_TOKEN_FILE", hide_env_values = true)]
    token_file: Option<PathBuf>,

    /// Trust servers with a certificate from an authority in this PEM file, instead of the machine's
    #[arg(long, value_name = "FILE", env = "CONVERGE_CA", hide_env_values = true)]
    ca: Option<PathBuf>,
}

impl CredentialArgs {
    /// Creates a client of the servers at comma-separated URLs.
    pub(super) fn client(&self, urls: &str) -> Result<Client, CommandError> {
        Ok(Client::new(ServerUrl::parse_list(urls)?, &self.read()?)?)
    }

    pub(super) fn read(&self) -> Result<Credentials, CommandError> {
        let token = match &self.token_file {
            Some(file) => Some(first_line(&read_secret(file)?)),
            None => std::env::var("CONVERGE_TOKEN").ok().map(|token| token.trim().to_owned()),
        };
        let token = token.filter(|token| !token.is_empty()).map(|token| Token::new(&token));
        let authorities = match &self.ca {
            None => Authorities::OfMachine,
            Some(file) => {
                let pem = fs::read(file).map_err(|error| CommandError::Read { file: file.clone(), error })?;
                let unusable = |problem| CommandError::Authority { file: file.clone(), problem };
                Authorities::from_pem(&pem).map_err(unusable)?
            }
        };
        Ok(Credentials { token, authorities, certificate: None })
    }
}

/// Runs the request of a command, on a single-threaded runtime of its own.
pub(super) fn block_on<T>(request: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(CommandError::Runtime)?;
    let answer = runtime.block_on(request);
    // A name lookup of a server cannot be cancelled.
    runtime.shutdown_background();
    Ok(answer)
}
