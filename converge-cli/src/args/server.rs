//! Which server is asked, for what, and how it is shown.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::lock::duration;
use super::token::TokenArgs;
use crate::error::CliError;
use crate::remote::{Authorities, Server, ServerUrl};

/// Which server is asked.
#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// The server that is asked.
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

    /// Trust a server when one of the authorities in this file (PEM) has signed its certificate, instead of those that the machine trusts.
    #[arg(long, value_name = "FILE", env = "CONVERGE_CA", hide_env_values = true)]
    ca: Option<PathBuf>,
}

impl ServerArgs {
    pub(crate) fn open(&self) -> Result<Server, CliError> {
        let authorities = self.ca.as_deref().map(authorities).transpose()?.unwrap_or_default();
        Ok(Server::new(self.server.clone(), self.token.read()?, &authorities)?)
    }
}

/// The authorities of a file.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn authorities(file: &Path) -> Result<Authorities, CliError> {
    let read = std::fs::read(file).map_err(|error| error.to_string());
    let found = read.and_then(|pem| Authorities::from_pem(&pem));
    found.map_err(|problem| CliError::ServerFile { file: file.to_owned(), problem })
}

/// Whose resources are meant.
#[derive(Debug, Args)]
pub(crate) struct TenancyArgs {
    /// The partition [default: that of the caller, `default`].
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) partition: String,

    /// The namespace [default: that of the caller, `default`].
    #[arg(short, long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) namespace: String,
}

/// How something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    // No docs: they would turn the list of values in the help into a paragraph that says nothing new.
    Table,
    Json,
    Yaml,
}

/// How long something is waited for.
#[derive(Debug, Args)]
pub(crate) struct TimeoutArgs {
    /// Wait at most so long, such as `30s` or `5m`.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub(crate) timeout: Duration,
}
