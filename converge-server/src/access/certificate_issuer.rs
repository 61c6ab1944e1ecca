//! Issuing of certificates to nodes that join or renew.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::service::{Client, ServiceError, TypedError};
use converge_controller::storage::Consistency;
use converge_controller::{DataError, Id, Metadata, Name, Partition, StoredResource as _, Tenancy, Typed};

use super::certificate::{Fingerprint, NodeCertificate};
use super::token::Token;
use crate::fleet::types::Node;
use crate::identity::{Authority, CertifyError, PublicKey, Signed};
use crate::private_files::{FileError, read_secret};

/// The default lifetime of a node certificate.
const LIFETIME: Duration = Duration::from_hours(30 * 24);
const DAY: u64 = 24 * 60 * 60;

/// Signs the certificates of nodes that join.
///
/// The key of the authority is read for every request. While the operator removes the key file, no node can
/// join.
#[derive(Clone, Debug)]
pub struct Joining {
    key: PathBuf,
    lifetime: Duration,
}

/// The statements of a joining agent about itself.
#[derive(Debug)]
pub(crate) struct Joiner {
    pub(crate) node: Name,
    /// The labels of the node if joining creates it and the token has no labels.
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) key: PublicKey,
}

/// The answer to an agent that joined or renewed.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) node: Name,
    pub(crate) certificate: String,
    pub(crate) lifetime: Duration,
}

/// A reason why a node does not get a certificate.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JoinError {
    #[error(
        "nodes cannot join this server: it has no authority to sign their certificates; `converge server init` makes one, with the certificate of the server"
    )]
    NoTls,
    #[error(
        "nodes cannot join this server, as it has no key to sign their certificates: {0}; put the key there, or join another server"
    )]
    NoKey(#[source] FileError),
    #[error("the token is not one to join with: `converge token create NAME --join` makes one")]
    OtherToken,
    #[error(
        "the token was already used and is valid for one node only: make another with `converge token create NAME --join`"
    )]
    Used,
    #[error("the token is for node {0} alone")]
    OtherNode(String),
    #[error(
        "node {0} has a certificate already: only a token that is made for it by name (`--join --node {0}`) replaces that"
    )]
    HasCertificate(Name),
    #[error("a label of the node is wrong: {0}")]
    Label(String),
    #[error("the caller is not a node: renew a certificate with the current one")]
    NoNode,
    #[error(transparent)]
    Certify(#[from] CertifyError),
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error("the stored data cannot be read: {0}")]
    Stored(String),
}

impl From<TypedError> for JoinError {
    fn from(error: TypedError) -> Self {
        match error {
            TypedError::Service(error) => Self::Service(error),
            error @ TypedError::Data(_) => Self::Stored(error.to_string()),
        }
    }
}

impl Joining {
    /// Creates an issuer with the key of an authority, in a PEM file that no other user may read.
    pub fn new(key: impl Into<PathBuf>) -> Self {
        Self { key: key.into(), lifetime: LIFETIME }
    }

    /// Sets the lifetime of certificates, which is 30 days by default.
    ///
    /// Agents renew after half of it.
    pub fn with_lifetime(self, lifetime: Duration) -> Self {
        Self { lifetime, ..self }
    }

    /// Issues a certificate to a node with this token.
    ///
    /// Before a certificate exists, a conditional write binds the token to the key of the node. Only one of
    /// several concurrent requests succeeds. If the server stops after this write, the same agent can retry
    /// with the same key. For every other key the token is used up.
    pub(crate) async fn join(
        &self,
        client: &Client,
        token: Typed<Token>,
        joiner: &Joiner,
    ) -> Result<Issued, JoinError> {
        let Joiner { node: name, labels, key } = joiner;
        let join = token.join.clone().ok_or(JoinError::OtherToken)?;
        let sha256 = key.sha256();
        if !join.used_for.is_empty() && (join.used_for != sha256 || join.used_by != name.as_str()) {
            return Err(JoinError::Used);
        }
        if !join.node.is_empty() && join.node != name.as_str() {
            return Err(JoinError::OtherNode(join.node));
        }
        // An error of the authority must not use up the token.
        let authority = self.authority()?;
        let id =
            Id::new(Node::resource_type().clone(), Tenancy::Partition(Partition::default()), name.clone());
        let mut node = client.find_as::<Node>(&id, Consistency::Strong).await?;
        if let Some(node) = node.as_ref().filter(|_| join.node.is_empty()) {
            let is_own = |of: &Typed<NodeCertificate>| {
                of.token == token.id().name.as_str() && of.key == sha256 && !of.used
            };
            if !certificates(client, node.id()).await?.iter().all(is_own) {
                return Err(JoinError::HasCertificate(name.clone()));
            }
        }
        let pairs = if join.labels.is_empty() { labels } else { &join.labels };
        let labels = notes(pairs)?;
        let token_name = token.id().name.clone();
        if join.used_for.is_empty() {
            let mut used = token;
            used.data.join =
                Some(super::join_token::Join { used_for: sha256.clone(), used_by: name.to_string(), ..join });
            // The write is conditional on the version that was read.
            client.write_as(used).await?;
        }
        if node.is_none() {
            let mut new = Typed::named(id.tenancy.clone(), name.clone(), Node::default());
            *new.metadata_mut() = labels;
            node = Some(client.write_as(new).await?);
        }
        let node = node.ok_or_else(|| JoinError::Stored(format!("node {name} was removed")))?;
        self.issue(client, &authority, &node, token_name.as_str(), key).await
    }

    /// Issues the successor of a node's certificate.
    ///
    /// The current one stays valid until the successor is used.
    pub(crate) async fn renew(
        &self,
        client: &Client,
        present: &Typed<NodeCertificate>,
        key: &PublicKey,
    ) -> Result<Issued, JoinError> {
        let authority = self.authority()?;
        let id = NodeCertificate::node(present).ok_or(JoinError::NoNode)?;
        let node = client.find_as::<Node>(id, Consistency::Strong).await?.ok_or(JoinError::NoNode)?;
        // Successors whose answer was lost are deleted.
        for other in certificates(client, node.id()).await? {
            if !other.used && other.id() != present.id() {
                client.delete(other.id(), None).await?;
            }
        }
        self.issue(client, &authority, &node, "", key).await
    }

    async fn issue(
        &self,
        client: &Client,
        authority: &Authority,
        node: &Typed<Node>,
        token: &str,
        key: &PublicKey,
    ) -> Result<Issued, JoinError> {
        let lifetime = self.lifetime;
        // The stored expiry is exact to the second. The certificate itself expires by whole days, never
        // earlier.
        let days = i64::try_from(lifetime.as_secs().div_ceil(DAY) + 1).unwrap_or(i64::MAX);
        let name = &node.id().name;
        let Signed { pem, der } = authority.node(name.as_str(), key, days)?;
        let fingerprint = Fingerprint::from_der(&der);
        let stored = |error: &dyn std::fmt::Display| JoinError::Stored(error.to_string());
        let id = fingerprint.id().map_err(|error| stored(&error))?;
        let end = client.service().clock().now() + lifetime;
        let data = NodeCertificate {
            sha256: fingerprint.as_str().to_owned(),
            expires: Some(Timestamp::try_from(end).map_err(|error| stored(&error))?),
            key: key.sha256(),
            token: token.to_owned(),
            used: false,
        };
        client.write_as(Typed::named(id.tenancy, id.name, data).with_owner(node.id())).await?;
        Ok(Issued { node: name.clone(), certificate: pem, lifetime })
    }

    fn authority(&self) -> Result<Authority, JoinError> {
        let key = read_secret(&self.key).map_err(JoinError::NoKey)?;
        Ok(Authority::from_key(&String::from_utf8_lossy(&key))?)
    }
}

/// Revokes the predecessors of a certificate at its first use.
///
/// These are the token with which the node joined, and earlier certificates. If two certificates are used at
/// the same moment, the later one remains.
pub(super) async fn settle(client: &Client, certificate: &Typed<NodeCertificate>) -> Result<(), JoinError> {
    match settle_once(client, certificate).await {
        // A concurrent request of the same node was faster, or the next request completes the work.
        Err(JoinError::Service(ServiceError::Aborted(_))) => Ok(()),
        settled => settled,
    }
}

async fn settle_once(client: &Client, certificate: &Typed<NodeCertificate>) -> Result<(), JoinError> {
    if let Some(node) = NodeCertificate::node(certificate) {
        for other in certificates(client, node).await? {
            if other.id().uid < certificate.id().uid {
                client.delete(other.id(), None).await?;
            }
        }
    }
    if let Ok(name) = certificate.token.parse::<Name>() {
        let id = Id::new(Token::resource_type().clone(), Tenancy::Cluster, name);
        let token = client.find_as::<Token>(&id, Consistency::Strong).await?;
        // Another certificate with the same name may have been created since.
        let is_it =
            |token: &Typed<Token>| token.join.as_ref().is_some_and(|join| join.used_for == certificate.key);
        if let Some(token) = token.filter(is_it) {
            client.delete(token.id(), token.resource.version.as_ref()).await?;
        }
    }
    let mut used = certificate.clone();
    used.data.used = true;
    client.write_as(used).await?;
    Ok(())
}

async fn certificates(client: &Client, node: &Id) -> Result<Vec<Typed<NodeCertificate>>, JoinError> {
    let owned = client.list_by_owner(node).await?.into_iter();
    let resources = owned.filter(|resource| resource.id.resource_type == *NodeCertificate::resource_type());
    resources
        .map(|resource| resource.try_into().map_err(|error: DataError| JoinError::Stored(error.to_string())))
        .collect()
}

/// Converts labels to metadata, and refuses invalid labels before anything is written.
fn notes(labels: &BTreeMap<String, String>) -> Result<Metadata, JoinError> {
    let mut metadata = Metadata::default();
    for (key, text) in labels {
        metadata.set(key, text).map_err(|error| JoinError::Label(error.to_string()))?;
    }
    Ok(metadata)
}
