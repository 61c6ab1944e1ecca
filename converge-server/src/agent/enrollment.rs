//! Enrollment of this machine: its client certificate, issued when it joins and renewed in time.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use converge_client::{Client, ClientCertificate, ClientError, Credentials, Method, ServerUrl, Token};
use converge_controller::Name;
use converge_core::engine::CancellationToken;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::agent_state::{IDENTITY, JOINING, Keep, KeepError};
use super::retry_delay::Pause;
use crate::identity::{NodeKey, hexadecimal};
use crate::private_files::{FileError, first_line, read_secret};

/// The maximum time between checks for renewal, because clocks jump and machines sleep.
const LOOK: Duration = Duration::from_hours(1);

/// A reason why the machine cannot join.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JoinError {
    #[error("cannot join: {0}")]
    Refused(#[source] ClientError),
    #[error("this machine has joined as node {0}: start with `--node {0}`, or join again with another token")]
    OtherNode(Name),
    #[error("stopped before it had joined")]
    Stopped,
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error("the stored certificate cannot be used ({0}): join again with another token")]
    Kept(String),
    #[error("a key cannot be made: {0}")]
    Key(String),
}

/// The stored identity.
///
/// The key is stored before the first request, so that a retry after a lost answer uses the same key.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Identity {
    node: Name,
    /// The SHA-256 of the token with which the machine joins.
    ///
    /// A different token makes it join again.
    token: String,
    key: String,
    certificate: Option<String>,
    /// The time to renew the certificate.
    renew: Timestamp,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("node", &self.node).finish_non_exhaustive()
    }
}

/// The answer of the server to a join request.
#[derive(Debug, Deserialize)]
struct Joined {
    certificate: String,
    seconds: u64,
}

/// The parameters of joining.
#[derive(Debug)]
pub(super) struct Joiner<'a> {
    pub(super) servers: &'a [ServerUrl],
    pub(super) credentials: &'a Credentials,
    pub(super) node: &'a Name,
    pub(super) labels: &'a [(String, String)],
    pub(super) keep: &'a Keep,
}

impl Joiner<'_> {
    /// Returns the stored certificate, or joins with a new token.
    ///
    /// Returns `None` without either.
    pub(super) async fn identity(
        &self,
        token: Option<&Path>,
        stop: &CancellationToken,
    ) -> Result<Option<Identity>, JoinError> {
        let stored = self.kept(IDENTITY)?;
        let token = token.map(read).transpose()?.flatten();
        let sha256 = token.as_ref().map(|token| hexadecimal(&Sha256::digest(token.as_bytes())));
        let (token, sha256) = match (token, sha256) {
            (Some(token), Some(sha256)) if stored.as_ref().is_none_or(|stored| stored.token != sha256) => {
                (token, sha256)
            }
            _ => return self.check_owner(stored),
        };
        let pending = self.kept(JOINING)?.filter(|begun| begun.token == sha256 && begun.node == *self.node);
        let pending = pending.map_or_else(|| self.begin(sha256), Ok)?;
        match (self.join(pending, &token, stop).await, stored) {
            (Err(JoinError::Refused(error)), kept @ Some(_)) => {
                tracing::warn!(%error, "cannot join again; continuing with the current identity");
                self.check_owner(kept)
            }
            (joined, _) => joined.map(Some),
        }
    }

    /// Returns the stored identity if it belongs to this node.
    fn check_owner(&self, identity: Option<Identity>) -> Result<Option<Identity>, JoinError> {
        match identity {
            Some(identity) if identity.node != *self.node => Err(JoinError::OtherNode(identity.node)),
            kept => Ok(kept),
        }
    }

    fn kept(&self, name: &str) -> Result<Option<Identity>, JoinError> {
        let identity = self.keep.read_secret(name)?.map(|bytes| serde_json::from_slice(&bytes)).transpose();
        identity.map_err(|error| JoinError::Kept(error.to_string()))
    }

    /// Creates the key to join with.
    fn begin(&self, token: String) -> Result<Identity, JoinError> {
        let key = NodeKey::new().map_err(|error| JoinError::Key(error.to_string()))?.to_pem();
        Ok(Identity { node: self.node.clone(), token, key, certificate: None, renew: Timestamp::UNIX_EPOCH })
    }

    /// Retries until the server accepts or refuses.
    async fn join(
        &self,
        begun: Identity,
        token: &str,
        stop: &CancellationToken,
    ) -> Result<Identity, JoinError> {
        let credentials =
            Credentials { token: Some(Token::new(token)), certificate: None, ..self.credentials.clone() };
        let client = Client::new(self.servers.to_vec(), &credentials).map_err(JoinError::Refused)?;
        let labels: BTreeMap<_, _> = self.labels.iter().cloned().collect();
        let body = json!({ "node": self.node, "labels": labels, "public_key": public(&begun.key)? });
        begun.keep(self.keep, JOINING)?;
        let mut pause = Pause::new();
        loop {
            let answer = tokio::select! {
                () = stop.cancelled() => return Err(JoinError::Stopped),
                asked = ask(&client, "/v1/join", &body) => asked,
            };
            match answer {
                Ok(joined) => {
                    let joined = begun.with(joined, None);
                    joined.keep(self.keep, IDENTITY)?;
                    self.keep.forget(JOINING);
                    return Ok(joined);
                }
                // The certificate of a server may be renewed meanwhile.
                Err(error) if error.is_transient() || matches!(error, ClientError::Untrusted { .. }) => {
                    tracing::warn!(%error, "joining failed; retrying");
                }
                Err(error) => return Err(JoinError::Refused(error)),
            }
            if !pause.wait(stop).await {
                return Err(JoinError::Stopped);
            }
        }
    }
}

impl Identity {
    /// Returns the client certificate of this machine.
    pub(super) fn certificate(&self) -> Result<ClientCertificate, JoinError> {
        let certificate = self.certificate.as_deref().unwrap_or_default();
        ClientCertificate::from_pem(certificate, &self.key)
            .map_err(|error| JoinError::Kept(error.to_string()))
    }

    /// Requests the next certificate and stores it before it is used.
    async fn renewed(
        &self,
        client: &Client,
        credentials: &Credentials,
        store: &Keep,
    ) -> Result<Self, JoinError> {
        let key = NodeKey::new().map_err(|error| JoinError::Key(error.to_string()))?;
        let body = json!({ "public_key": key.public() });
        let joined = ask(client, "/v1/join/renew", &body).await.map_err(JoinError::Refused)?;
        let next = self.clone().with(joined, Some(key.to_pem()));
        let credentials = Credentials { certificate: Some(next.certificate()?), ..credentials.clone() };
        next.keep(store, IDENTITY)?;
        client.reload_tls(&credentials).map_err(JoinError::Refused)?;
        Ok(next)
    }

    fn with(self, joined: Joined, key: Option<String>) -> Self {
        // The local clock counts, because the clock of the server may differ.
        let half = Duration::from_secs(joined.seconds) / 2;
        let renew = Timestamp::now().checked_add(half).unwrap_or(Timestamp::MAX);
        Self { certificate: Some(joined.certificate), key: key.unwrap_or(self.key), renew, ..self }
    }

    fn keep(&self, store: &Keep, name: &str) -> Result<(), JoinError> {
        let bytes = serde_json::to_vec(self).map_err(|error| JoinError::Kept(error.to_string()))?;
        Ok(store.write_secret(name, &bytes)?)
    }
}

/// Renews the certificate in time, until the agent stops.
pub(super) async fn renew(
    mut known: Identity,
    client: Client,
    credentials: Credentials,
    keep: Arc<Keep>,
    stop: CancellationToken,
) {
    let mut pause = Pause::new();
    loop {
        let left = Duration::try_from(known.renew.duration_since(Timestamp::now())).unwrap_or_default();
        if !left.is_zero() {
            if tokio::time::timeout(left.min(LOOK), stop.cancelled()).await.is_ok() {
                return;
            }
            continue;
        }
        let renewed = tokio::select! {
            () = stop.cancelled() => return,
            renewed = known.renewed(&client, &credentials, &keep) => renewed,
        };
        match renewed {
            Ok(next) => {
                tracing::info!("the certificate of this machine was renewed");
                (known, pause) = (next, Pause::new());
            }
            Err(error) => {
                tracing::warn!(%error, "the certificate of this machine could not be renewed; retrying");
                if !pause.wait(&stop).await {
                    return;
                }
            }
        }
    }
}

/// Reads the token from a file.
///
/// A missing file is no error, because the token is not needed after joining.
fn read(file: &Path) -> Result<Option<String>, JoinError> {
    match read_secret(file) {
        Ok(bytes) => Ok(Some(first_line(&bytes)).filter(|token| !token.is_empty())),
        Err(FileError::Read { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn public(key: &str) -> Result<String, JoinError> {
    let key = NodeKey::from_pem(key).map_err(|error| JoinError::Kept(error.to_string()))?;
    Ok(key.public())
}

async fn ask(client: &Client, path: &str, body: &serde_json::Value) -> Result<Joined, ClientError> {
    let answer = client.find(Method::POST, path, Some(body)).await?;
    let answer = answer.ok_or_else(|| client.strange(&"it does not support joining"))?;
    serde_json::from_value(answer).map_err(|error| client.strange(&error))
}
