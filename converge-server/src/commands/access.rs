//! Who may ask a server, as its arguments say.

use std::path::{Path, PathBuf};

use clap::Args;
use converge_controller::authorize::Policy;

use super::error::CommandError;
use crate::files::read_trusted;

/// Who may ask.
#[derive(Debug, Args)]
pub(super) struct AccessArgs {
    /// Ask everybody for a token: one of this file, or one that `converge token create` has stored. The file is JSON, holds hashes of tokens, and is
    /// read again on SIGHUP.
    #[arg(long, value_name = "FILE", conflicts_with = "open_on_loopback")]
    tokens: Option<PathBuf>,

    /// Ask nobody for a token: every user of this machine, and every program on it, may do everything. It goes with addresses of this
    /// machine alone, and `--dev` means it where there is no `--tokens`.
    #[arg(long)]
    open_on_loopback: bool,
}

impl AccessArgs {
    /// The tokens that are known by a file; none where nobody is asked for one.
    pub(super) fn policy(&self, is_dev: bool) -> Result<Option<Policy>, CommandError> {
        match &self.tokens {
            Some(file) => read_policy(file).map(Some),
            None if self.open_on_loopback || is_dev => Ok(None),
            None => Err(CommandError::NobodySaysWho),
        }
    }

    /// The file, to read it again.
    pub(super) fn into_file(self) -> Option<PathBuf> {
        self.tokens
    }
}

/// Reads the tokens of a file.
pub(super) fn read_policy(file: &Path) -> Result<Policy, CommandError> {
    let text = read_trusted(file)?;
    let policy = Policy::parse(&String::from_utf8_lossy(&text));
    policy.map_err(|error| CommandError::Policy { file: file.to_owned(), error })
}
