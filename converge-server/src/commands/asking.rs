//! How a server is asked, as the arguments of its clients say.

use std::path::PathBuf;

use clap::Args;

use super::error::CommandError;
use crate::client::Bearer;
use crate::files::{first_line, read_secret};

/// By what a server knows who asks.
#[derive(Debug, Args)]
pub(super) struct AskingArgs {
    /// A file with a token on its first line, which nobody else may read [default: the token itself, in `CONVERGE_TOKEN`].
    #[arg(long, value_name = "FILE", env = "CONVERGE_TOKEN_FILE", hide_env_values = true)]
    token_file: Option<PathBuf>,
}

impl AskingArgs {
    /// The token, if there is one.
    pub(super) fn token(&self) -> Result<Option<Bearer>, CommandError> {
        let token = match &self.token_file {
            Some(file) => Some(first_line(&read_secret(file)?)),
            None => std::env::var("CONVERGE_TOKEN").ok().map(|token| token.trim().to_owned()),
        };
        Ok(token.filter(|token| !token.is_empty()).map(|token| Bearer::new(&token)))
    }
}
