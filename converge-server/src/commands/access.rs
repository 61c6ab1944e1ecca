//! Who may ask a server, and how it is known itself, as its arguments say.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use converge_controller::authorize::Policy;

use super::error::CommandError;
use crate::doors::Tls;
use crate::files::{read_secret, read_trusted};
use crate::identity::{FOLDER, server_file, tokens_file};

/// Who may ask.
#[derive(Debug, Args)]
pub(super) struct AccessArgs {
    /// Speak TLS with the certificate of this folder, and know its tokens: one that `converge server init` has made. The certificate is read again
    /// on SIGHUP [default: `identity` in the folder of --data, if it is there].
    #[arg(long, value_name = "DIR", conflicts_with = "open_on_loopback")]
    identity: Option<PathBuf>,

    /// Ask everybody for a token: one of this file, or one that `converge token create` has stored. The file is JSON, holds hashes of tokens, and is
    /// read again on SIGHUP [default: `tokens.json` in the folder of --identity].
    #[arg(long, value_name = "FILE", conflicts_with = "open_on_loopback")]
    tokens: Option<PathBuf>,

    /// Ask nobody for a token: every user of this machine, and every program on it, may do everything. It goes with addresses of this
    /// machine alone, and `--dev` means it where nothing else is said.
    #[arg(long)]
    open_on_loopback: bool,
}

/// The files that say who may ask a server, and by what it is known.
#[derive(Clone, Debug)]
pub(super) struct AccessFiles {
    tokens: Option<PathBuf>,
    server: Option<PathBuf>,
}

impl AccessArgs {
    /// The files of a server with its store in this folder, if it is in one.
    pub(super) fn files(self, data: Option<&Path>, is_dev: bool) -> Result<AccessFiles, CommandError> {
        if self.open_on_loopback {
            return Ok(AccessFiles { tokens: None, server: None });
        }
        let beside =
            || data.map(|data| data.join(FOLDER)).filter(|folder| fs::symlink_metadata(folder).is_ok());
        let identity = self.identity.or_else(beside);
        let tokens = self.tokens.or_else(|| identity.as_deref().map(tokens_file));
        if tokens.is_none() && !is_dev {
            return Err(CommandError::NobodySaysWho);
        }
        Ok(AccessFiles { tokens, server: identity.as_deref().map(server_file) })
    }
}

impl AccessFiles {
    /// The tokens that are known by a file; none where nobody is asked for one.
    pub(super) fn policy(&self) -> Result<Option<Policy>, CommandError> {
        let Some(file) = &self.tokens else { return Ok(None) };
        let text = read_trusted(file)?;
        let policy = Policy::parse(&String::from_utf8_lossy(&text));
        policy.map(Some).map_err(|error| CommandError::Policy { file: file.clone(), error })
    }

    /// The certificate of the server; none where it speaks no TLS.
    pub(super) fn tls(&self) -> Result<Option<Tls>, CommandError> {
        let Some(file) = &self.server else { return Ok(None) };
        let tls = Tls::from_pem(&read_secret(file)?);
        tls.map(Some).map_err(|error| CommandError::Tls { file: file.clone(), error })
    }
}
