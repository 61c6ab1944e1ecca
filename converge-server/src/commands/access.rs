//! The arguments for authentication, TLS and secret keys of a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use converge_controller::authorize::Policy;
use converge_core::value::parse_duration;

use super::error::CommandError;
use crate::access::Joining;
use crate::identity::{
    FOLDER, authority_file, authority_key_file, secrets_key_file, server_file, tokens_file,
};
use crate::listeners::Tls;
use crate::private_files::{read_secret, read_trusted};
use crate::secret_seal::SecretKeys;

/// The arguments for authentication and TLS.
#[derive(Debug, Args)]
pub(super) struct AccessArgs {
    /// Use TLS with the certificate in this folder, and accept the tokens in it. `converge server init`
    /// creates the folder. The certificate is read again on SIGHUP [default: `identity` in the folder of
    /// --data, if it exists].
    #[arg(long, value_name = "DIR", conflicts_with = "open_on_loopback")]
    identity: Option<PathBuf>,

    /// Require a token: one of this file, or one that `converge token create` has stored. The file is JSON,
    /// contains hashes of tokens, and is read again on SIGHUP [default: `tokens.json` in the folder of
    /// --identity].
    #[arg(long, value_name = "FILE", conflicts_with = "open_on_loopback")]
    tokens: Option<PathBuf>,

    /// Require no token: every user and every program on this machine may do everything. This is only
    /// allowed with loopback addresses, and is the default with `--dev`.
    #[arg(long)]
    open_on_loopback: bool,

    /// Encrypt secrets with the first key of this file, and decrypt them with any of its keys. The file has
    /// lines of 64 hexadecimal digits and must not be readable by others. All servers of a store need the
    /// same keys. It is read again on SIGHUP [default: `secrets.key` in the folder of --identity, if it
    /// exists; with `--dev` a key in memory].
    #[arg(long, value_name = "FILE")]
    secrets_key: Option<PathBuf>,

    /// Lifetime of the certificate of a node that joins. Agents renew theirs after half of it.
    #[arg(long, value_name = "DURATION", default_value = "720h", value_parser = lifetime)]
    node_lifetime: Duration,
}

/// Parses a lifetime from one second up to the lifetime of the authority.
fn lifetime(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text).ok_or("write it like 720h, 90m or 30s")?;
    let least_and_most = Duration::from_secs(1)..=Duration::from_hours(24 * 3650);
    if least_and_most.contains(&time) { Ok(time) } else { Err("it is from 1s to 87600h".to_owned()) }
}

/// The files for authentication and TLS of a server.
#[derive(Clone, Debug)]
pub(super) struct AccessFiles {
    tokens: Option<PathBuf>,
    /// The folder with the certificate of the server and the authority of nodes.
    identity: Option<PathBuf>,
    secrets_key: Option<PathBuf>,
    node_lifetime: Duration,
}

impl AccessArgs {
    /// Returns the files of a server whose store is in this folder, if it is in a folder.
    pub(super) fn files(self, data: Option<&Path>, is_dev: bool) -> Result<AccessFiles, CommandError> {
        let Self { secrets_key, node_lifetime, .. } = self;
        let default_folder =
            || data.map(|data| data.join(FOLDER)).filter(|folder| fs::symlink_metadata(folder).is_ok());
        if self.open_on_loopback {
            let secrets_key = secrets_key.or_else(|| default_folder().as_deref().and_then(secrets_key_in));
            return Ok(AccessFiles { tokens: None, identity: None, secrets_key, node_lifetime });
        }
        let identity = self.identity.or_else(default_folder);
        let tokens = self.tokens.or_else(|| identity.as_deref().map(tokens_file));
        if tokens.is_none() && !is_dev {
            return Err(CommandError::NobodySaysWho);
        }
        let secrets_key = secrets_key.or_else(|| identity.as_deref().and_then(secrets_key_in));
        Ok(AccessFiles { tokens, identity, secrets_key, node_lifetime })
    }
}

impl AccessFiles {
    /// Reads the tokens from the policy file, or returns `None` if no token is required.
    pub(super) fn policy(&self) -> Result<Option<Policy>, CommandError> {
        let Some(file) = &self.tokens else { return Ok(None) };
        let text = read_trusted(file)?;
        let policy = Policy::parse(&String::from_utf8_lossy(&text));
        policy.map(Some).map_err(|error| CommandError::Content { file: file.clone(), error: error.into() })
    }

    /// Reads the certificate of the server, or returns `None` without TLS.
    pub(super) fn tls(&self) -> Result<Option<Tls>, CommandError> {
        let Some(identity) = &self.identity else { return Ok(None) };
        let file = server_file(identity);
        let pem = read_secret(&file)?;
        let tls = match self.authority() {
            None => Tls::from_pem(&pem),
            Some(file) => {
                let unread = |error| CommandError::Read { file: file.clone(), error };
                let authority = fs::read(&file).map_err(unread)?;
                // A first attempt without the authority shows which of the two files is wrong.
                match Tls::from_pem(&pem) {
                    Ok(_) => {
                        let tls = Tls::from_pem_with_nodes(&pem, &authority);
                        return tls
                            .map(Some)
                            .map_err(|error| CommandError::Content { file, error: error.into() });
                    }
                    wrong => wrong,
                }
            }
        };
        tls.map(Some).map_err(|error| CommandError::Content { file, error: error.into() })
    }

    /// Reads the keys for secrets, or returns `None` without a key file.
    pub(super) fn secrets(&self) -> Result<Option<SecretKeys>, CommandError> {
        let Some(file) = &self.secrets_key else { return Ok(None) };
        let keys = SecretKeys::parse(&String::from_utf8_lossy(&read_secret(file)?));
        keys.map(Some).map_err(|error| CommandError::Content { file: file.clone(), error: error.into() })
    }

    /// Returns the issuer of node certificates, or `None` without an authority.
    pub(super) fn joining(&self) -> Option<Joining> {
        let key = authority_key_file(self.identity.as_deref()?);
        self.authority().map(|_| Joining::new(key).with_lifetime(self.node_lifetime))
    }

    fn authority(&self) -> Option<PathBuf> {
        let file = authority_file(self.identity.as_deref()?);
        fs::symlink_metadata(&file).is_ok().then_some(file)
    }
}

/// Returns the key file for secrets, if it exists. Folders from older versions have none.
fn secrets_key_in(identity: &Path) -> Option<PathBuf> {
    Some(secrets_key_file(identity)).filter(|file| fs::symlink_metadata(file).is_ok())
}
