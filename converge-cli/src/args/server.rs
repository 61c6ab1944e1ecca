//! Which server is asked, for what, and how it is shown.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::lock::duration;
use super::token::TokenArgs;
use crate::error::CliError;
use crate::remote::{Server, ServerUrl};

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
}

impl ServerArgs {
    pub(crate) fn open(&self) -> Result<Server, CliError> {
        Ok(Server::new(self.server.clone(), self.token.read()?)?)
    }
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
