//! Options of the commands that talk to a server: its address, the tenancy, the output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use converge_client::{Authorities, Credentials, ServerUrl};

use super::lock::duration;
use super::token::TokenArgs;
use crate::error::CliError;
use crate::remote::Server;

/// The server to send requests to.
#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// The URL of the server
    #[arg(
        long,
        value_name = "URL",
        env = "CONVERGE_SERVER",
        hide_env_values = true,
        default_value = "http://127.0.0.1:8500"
    )]
    server: ServerUrl,

    #[command(flatten)]
    token: TokenArgs,

    /// Trust a server whose certificate was signed by an authority in this file (PEM), instead of those
    /// that the machine trusts
    #[arg(long, value_name = "FILE", env = "CONVERGE_CA", hide_env_values = true)]
    ca: Option<PathBuf>,
}

impl ServerArgs {
    pub(crate) fn open(&self) -> Result<Server, CliError> {
        let authorities = self.ca.as_deref().map(authorities).transpose()?.unwrap_or_default();
        let credentials = Credentials { token: self.token.read()?, authorities, certificate: None };
        Ok(Server::new(self.server.clone(), &credentials)?)
    }
}

/// Reads the certificate authorities in a file.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn authorities(file: &Path) -> Result<Authorities, CliError> {
    let read = std::fs::read(file).map_err(|error| error.to_string());
    let result = read.and_then(|pem| Authorities::from_pem(&pem));
    result.map_err(|problem| CliError::ServerFile { file: file.to_owned(), problem })
}

/// The tenancy of the resources.
#[derive(Debug, Args)]
pub(crate) struct TenancyArgs {
    /// The partition [default: that of the caller, `default`]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) partition: String,

    /// The namespace [default: that of the caller, `default`]
    #[arg(short, long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) namespace: String,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    // Doc comments would turn the list of values in the help into a paragraph that adds nothing.
    Table,
    Json,
    Yaml,
}

/// The maximum time to wait.
#[derive(Debug, Args)]
pub(crate) struct TimeoutArgs {
    /// Wait at most this long, such as `30s` or `5m`
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub(crate) timeout: Duration,
}
