//! Authentication of callers.

use std::sync::{Arc, PoisonError, RwLock};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use converge_controller::authorize::{Caller, Policy, TokenHash};
use converge_controller::protobuf::Timestamp;
use converge_controller::service::{Client, ServiceError, TypedError};
use converge_controller::storage::Consistency;
use converge_controller::{Id, StoredResource, Tenancy, Typed};

use super::certificate::{Fingerprint, NodeCertificate};
use super::certificate_issuer::{JoinError, settle};
use super::node::NodeRights;
use super::secret;
use super::token::Token;
use super::token_usage::TokenUsage;

/// Authenticates the callers of requests.
#[derive(Clone)]
pub(crate) struct Authenticator {
    /// The client of the server itself, which reads tokens.
    client: Client,
    /// The tokens from the policy file, or `None` if authentication is disabled.
    policy: Option<Arc<RwLock<Policy>>>,
    uses: TokenUsage,
}

/// A reason for a refused caller.
///
/// The message does not reveal which tokens exist.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Denied {
    #[error("the request has no token: send `Authorization: Bearer TOKEN`")]
    NoToken,
    #[error("unknown token: it was revoked, or is for another server")]
    Unknown,
    /// The token or certificate has expired.
    ///
    /// Only its holder learns this.
    #[error("the token has expired")]
    Expired,
    #[error("the token can only be used to join: `converge agent --join-token-file FILE`")]
    OnlyJoins,
    #[error("unknown certificate: it was revoked or replaced")]
    UnknownCertificate,
    #[error("the certificate has expired")]
    ExpiredCertificate,
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error("the stored data of the caller cannot be read: {0}")]
    Stored(#[source] TypedError),
    #[error(transparent)]
    Settle(#[from] JoinError),
}

/// A successful authentication and its proof.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    pub(crate) caller: Caller,
    proof: Proof,
}

#[derive(Clone)]
enum Proof {
    /// Authentication is disabled.
    None,
    /// The caller presented this token.
    Token(String),
    /// The caller is a node whose connection has this certificate.
    Node(Fingerprint, Arc<Typed<NodeCertificate>>),
}

impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Token(_) => "Token(..)",
            Self::Node(..) => "Node(..)",
        })
    }
}

impl Pass {
    /// Returns the certificate of the caller if it is a node.
    pub(crate) fn node(&self) -> Option<&Typed<NodeCertificate>> {
        match &self.proof {
            Proof::Node(_, certificate) => Some(certificate),
            Proof::None | Proof::Token(_) => None,
        }
    }
}

impl Authenticator {
    /// Creates an authenticator that allows every caller everything.
    pub(crate) fn open(client: Client) -> Self {
        Self { uses: TokenUsage::new(client.clone()), client, policy: None }
    }

    /// Creates an authenticator that requires a token of this policy or a stored token.
    pub(crate) fn with_policy(client: Client, policy: Policy) -> Self {
        let policy = Some(Arc::new(RwLock::new(policy)));
        Self { uses: TokenUsage::new(client.clone()), client, policy }
    }

    /// Whether every caller may do everything.
    pub(crate) fn is_open(&self) -> bool {
        self.policy.is_none()
    }

    /// Replaces the policy.
    ///
    /// An open authenticator stays open.
    pub(crate) fn replace_policy(&self, policy: Policy) {
        if let Some(lock) = &self.policy {
            *lock.write().unwrap_or_else(PoisonError::into_inner) = policy;
        }
    }

    /// Authenticates a caller by its headers or by the node certificate of its connection.
    ///
    /// A token in the headers takes precedence over the certificate.
    pub(crate) async fn admit(
        &self,
        headers: &HeaderMap,
        certificate: Option<&Fingerprint>,
    ) -> Result<Pass, Denied> {
        let Some(policy) = &self.policy else {
            return Ok(Pass { caller: Caller::system(), proof: Proof::None });
        };
        match (bearer(headers), certificate) {
            (Some(token), _) => {
                let caller = self.holder(policy, token).await?;
                Ok(Pass { caller, proof: Proof::Token(token.to_owned()) })
            }
            (None, Some(certificate)) if !headers.contains_key(AUTHORIZATION) => {
                let (caller, resource) = self.node(certificate).await?;
                Ok(Pass { caller, proof: Proof::Node(certificate.clone(), Arc::new(resource)) })
            }
            (None, _) => Err(Denied::NoToken),
        }
    }

    /// Waits for pending writes of token usage, and starts no more of them.
    pub(crate) async fn finish(&self) {
        self.uses.finish().await;
    }

    /// Checks that an authenticated caller would still be admitted.
    pub(crate) async fn check(&self, pass: &Pass) -> Result<(), Denied> {
        match (&pass.proof, &self.policy) {
            (Proof::None, None) => Ok(()),
            (Proof::Token(token), Some(policy)) => self.holder(policy, token).await.map(drop),
            (Proof::Node(certificate, _), Some(_)) => self.node(certificate).await.map(drop),
            // Whether authentication is disabled never changes while the server runs.
            (Proof::None, Some(_)) | (Proof::Token(_) | Proof::Node(..), None) => Err(Denied::Unknown),
        }
    }

    /// Returns the token of a request to join.
    ///
    /// The caller must check whether the token allows joining.
    pub(crate) async fn to_join(&self, headers: &HeaderMap) -> Result<Typed<Token>, Denied> {
        self.token(bearer(headers).ok_or(Denied::NoToken)?).await
    }

    async fn holder(&self, policy: &RwLock<Policy>, token: &str) -> Result<Caller, Denied> {
        let caller = policy.read().unwrap_or_else(PoisonError::into_inner).caller(token);
        if let Some(caller) = caller {
            return Ok(caller);
        }
        let token = self.token(token).await?;
        if token.join.is_some() {
            return Err(Denied::OnlyJoins);
        }
        self.uses.note(&token);
        Ok(token.caller())
    }

    /// Returns a stored token that has not expired.
    async fn token(&self, text: &str) -> Result<Typed<Token>, Denied> {
        let name = secret::name_in(text).ok_or(Denied::Unknown)?;
        let id = Id::new(Token::resource_type().clone(), Tenancy::Cluster, name);
        let hash = TokenHash::from_token(text);
        let token = self.stored(&id, |token: &Token| token.matches(hash)).await?.ok_or(Denied::Unknown)?;
        if token.has_expired(self.now()) { Err(Denied::Expired) } else { Ok(token) }
    }

    /// Returns the node that owns a certificate.
    async fn node(&self, fingerprint: &Fingerprint) -> Result<(Caller, Typed<NodeCertificate>), Denied> {
        let id = fingerprint.id().map_err(|_| Denied::UnknownCertificate)?;
        let stored = self.stored(&id, |stored: &NodeCertificate| stored.matches(fingerprint)).await?;
        let certificate = stored.ok_or(Denied::UnknownCertificate)?;
        if certificate.has_expired(self.now()) {
            return Err(Denied::ExpiredCertificate);
        }
        if !certificate.used {
            settle(&self.client, &certificate).await?;
        }
        let node = NodeCertificate::node(&certificate).ok_or(Denied::UnknownCertificate)?;
        let partition = node.tenancy.partition().ok_or(Denied::UnknownCertificate)?.clone();
        Ok((NodeRights::caller(node.name.clone(), partition), certificate))
    }

    fn now(&self) -> Timestamp {
        Timestamp::try_from(self.client.service().clock().now()).unwrap_or(Timestamp::MAX)
    }

    /// Returns the resource with this id if its data satisfy `is_it`.
    async fn stored<T: StoredResource>(
        &self,
        id: &Id,
        is_it: impl Fn(&T) -> bool,
    ) -> Result<Option<Typed<T>>, Denied> {
        // A resource that another server has just created may not have reached the local snapshot yet.
        for consistency in [Consistency::Eventual, Consistency::Strong] {
            let resource = self.client.find_as::<T>(id, consistency).await.map_err(|error| match error {
                TypedError::Service(error) => Denied::Service(error),
                error @ TypedError::Data(_) => Denied::Stored(error),
            })?;
            if let Some(found) = resource.filter(|resource| is_it(&resource.data)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Returns the bearer token of a request.
///
/// A request with two tokens is refused.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
