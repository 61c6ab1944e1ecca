//! Who may ask a server, and how it is known itself, as its arguments say.

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

    /// Seal secrets with the first key of this file, and open them with all: lines of 64 hexadecimal digits, which nobody else may read. All servers of
    /// a store need the same. It is read again on SIGHUP [default: `secrets.key` in the folder of --identity, if it is there; with `--dev` one in memory].
    #[arg(long, value_name = "FILE")]
    secrets_key: Option<PathBuf>,

    /// How long the certificate of a node is good for that has joined. Agents renew theirs when half of it is over.
    #[arg(long, value_name = "DURATION", default_value = "720h", value_parser = lifetime)]
    node_lifetime: Duration,
}

/// From a second to the end of the authority.
fn lifetime(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text).ok_or("write it like 720h, 90m or 30s")?;
    let least_and_most = Duration::from_secs(1)..=Duration::from_hours(24 * 3650);
    if least_and_most.contains(&time) { Ok(time) } else { Err("it is from 1s to 87600h".to_owned()) }
}

/// The files that say who may ask a server, and by what it is known.
#[derive(Clone, Debug)]
pub(super) struct AccessFiles {
    tokens: Option<PathBuf>,
    /// The folder with the certificate of the server, and the authority of nodes.
    identity: Option<PathBuf>,
    secrets_key: Option<PathBuf>,
    node_lifetime: Duration,
}

impl AccessArgs {
    /// The files of a server with its store in this folder, if it is in one.
    pub(super) fn files(self, data: Option<&Path>, is_dev: bool) -> Result<AccessFiles, CommandError> {
        let Self { secrets_key, node_lifetime, .. } = self;
        let beside =
            || data.map(|data| data.join(FOLDER)).filter(|folder| fs::symlink_metadata(folder).is_ok());
        if self.open_on_loopback {
            let secrets_key = secrets_key.or_else(|| beside().as_deref().and_then(secrets_key_in));
            return Ok(AccessFiles { tokens: None, identity: None, secrets_key, node_lifetime });
        }
        let identity = self.identity.or_else(beside);
        let tokens = self.tokens.or_else(|| identity.as_deref().map(tokens_file));
        if tokens.is_none() && !is_dev {
            return Err(CommandError::NobodySaysWho);
        }
        let secrets_key = secrets_key.or_else(|| identity.as_deref().and_then(secrets_key_in));
        Ok(AccessFiles { tokens, identity, secrets_key, node_lifetime })
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
        let Some(identity) = &self.identity else { return Ok(None) };
        let file = server_file(identity);
        let pem = read_secret(&file)?;
        let tls = match self.authority() {
            None => Tls::from_pem(&pem),
            Some(file) => {
                let unread = |error| CommandError::Read { file: file.clone(), error };
                let authority = fs::read(&file).map_err(unread)?;
                // Whether it is of the server, or of the authority, is seen by trying the one without the other.
                match Tls::from_pem(&pem) {
                    Ok(_) => {
                        let tls = Tls::from_pem_with_nodes(&pem, &authority);
                        return tls.map(Some).map_err(|error| CommandError::Tls { file, error });
                    }
                    wrong => wrong,
                }
            }
        };
        tls.map(Some).map_err(|error| CommandError::Tls { file, error })
    }

    /// The keys for secrets; none where there is no file of them.
    pub(super) fn secrets(&self) -> Result<Option<SecretKeys>, CommandError> {
        let Some(file) = &self.secrets_key else { return Ok(None) };
        let keys = SecretKeys::parse(&String::from_utf8_lossy(&read_secret(file)?));
        keys.map(Some).map_err(|error| CommandError::Keys { file: file.clone(), error })
    }

    /// Lets nodes join; none where there is no authority that nodes could be known by.
    pub(super) fn joining(&self) -> Option<Joining> {
        let key = authority_key_file(self.identity.as_deref()?);
        self.authority().map(|_| Joining::new(key).with_lifetime(self.node_lifetime))
    }

    fn authority(&self) -> Option<PathBuf> {
        let file = authority_file(self.identity.as_deref()?);
        fs::symlink_metadata(&file).is_ok().then_some(file)
    }
}

/// The file with the keys for secrets, if there is one: folders that were made before there were secrets have none.
fn secrets_key_in(identity: &Path) -> Option<PathBuf> {
    Some(secrets_key_file(identity)).filter(|file| fs::symlink_metadata(file).is_ok())
}
