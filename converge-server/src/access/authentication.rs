//! Knowing callers.

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
use super::token_usage::Uses;

/// Knows who asks.
#[derive(Clone)]
pub(crate) struct Gate {
    /// The server itself, which reads tokens.
    client: Client,
    /// The tokens that are in no store. None where nobody is asked who they are.
    policy: Option<Arc<RwLock<Policy>>>,
    uses: Uses,
}

/// Why somebody is not let in. It is said in the same words whatever tokens there are.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Denied {
    #[error("this server asks who you are, and the request has no token: `Authorization: Bearer TOKEN`")]
    NoToken,
    #[error("the token is not known here: it was revoked, or is of another server")]
    Unknown,
    /// Only its holder is told.
    #[error("the token has expired")]
    Expired,
    #[error("the token is for joining alone, which `converge agent --join-token-file FILE` does")]
    OnlyJoins,
    #[error("the certificate is not known here: it was taken back, or another has taken its place")]
    UnknownCertificate,
    #[error("the certificate has expired")]
    ExpiredCertificate,
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error("what is stored of who asks cannot be read: {0}")]
    Stored(#[source] TypedError),
    #[error(transparent)]
    Settle(#[from] JoinError),
}

/// That somebody was let in, and by what.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    pub(crate) caller: Caller,
    proof: Proof,
}

#[derive(Clone)]
enum Proof {
    /// Nobody was asked.
    None,
    /// It had a token.
    Token(String),
    /// It is a node, and its connection has this certificate.
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
    /// The certificate of who was let in, if it is a node.
    pub(crate) fn node(&self) -> Option<&Typed<NodeCertificate>> {
        match &self.proof {
            Proof::Node(_, certificate) => Some(certificate),
            Proof::None | Proof::Token(_) => None,
        }
    }
}

impl Gate {
    /// One that lets everybody do everything.
    pub(crate) fn open(client: Client) -> Self {
        Self { uses: Uses::new(client.clone()), client, policy: None }
    }

    /// One that asks for a token: of this policy, or one that is stored.
    pub(crate) fn with_policy(client: Client, policy: Policy) -> Self {
        let policy = Some(Arc::new(RwLock::new(policy)));
        Self { uses: Uses::new(client.clone()), client, policy }
    }

    /// Whether it lets everybody do everything.
    pub(crate) fn is_open(&self) -> bool {
        self.policy.is_none()
    }

    /// Takes another policy in place of the one that there is. An open gate stays open.
    pub(crate) fn replace_policy(&self, policy: Policy) {
        if let Some(known) = &self.policy {
            *known.write().unwrap_or_else(PoisonError::into_inner) = policy;
        }
    }

    /// Lets somebody in who asks with these headers, on a connection with the certificate of this node, if it has one. Who says a token
    /// means that.
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
                let (caller, found) = self.node(certificate).await?;
                Ok(Pass { caller, proof: Proof::Node(certificate.clone(), Arc::new(found)) })
            }
            (None, _) => Err(Denied::NoToken),
        }
    }

    /// Waits for what is being written of those who came in, and writes no more.
    pub(crate) async fn finish(&self) {
        self.uses.finish().await;
    }

    /// Whether somebody who was let in would be again.
    pub(crate) async fn check(&self, pass: &Pass) -> Result<(), Denied> {
        match (&pass.proof, &self.policy) {
            (Proof::None, None) => Ok(()),
            (Proof::Token(token), Some(policy)) => self.holder(policy, token).await.map(drop),
            (Proof::Node(certificate, _), Some(_)) => self.node(certificate).await.map(drop),
            // A gate neither opens nor closes while it stands.
            (Proof::None, Some(_)) | (Proof::Token(_) | Proof::Node(..), None) => Err(Denied::Unknown),
        }
    }

    /// The token that a request brings to join with. Whether it is good for that is not looked at.
    pub(crate) async fn to_join(&self, headers: &HeaderMap) -> Result<Typed<Token>, Denied> {
        self.token(bearer(headers).ok_or(Denied::NoToken)?).await
    }

    /// Whose token it is.
    async fn holder(&self, policy: &RwLock<Policy>, token: &str) -> Result<Caller, Denied> {
        let known = policy.read().unwrap_or_else(PoisonError::into_inner).caller(token);
        if let Some(caller) = known {
            return Ok(caller);
        }
        let token = self.token(token).await?;
        if token.join.is_some() {
            return Err(Denied::OnlyJoins);
        }
        self.uses.note(&token);
        Ok(token.caller())
    }

    /// A token that is stored, and has not ended.
    async fn token(&self, text: &str) -> Result<Typed<Token>, Denied> {
        let name = secret::name_in(text).ok_or(Denied::Unknown)?;
        let id = Id::new(Token::resource_type().clone(), Tenancy::Cluster, name);
        let hash = TokenHash::of(text);
        let token = self.stored(&id, |token: &Token| token.is(hash)).await?.ok_or(Denied::Unknown)?;
        if token.has_expired(self.now()) { Err(Denied::Expired) } else { Ok(token) }
    }

    /// The node that has a certificate.
    async fn node(&self, fingerprint: &Fingerprint) -> Result<(Caller, Typed<NodeCertificate>), Denied> {
        let id = fingerprint.id().map_err(|_| Denied::UnknownCertificate)?;
        let found = self.stored(&id, |stored: &NodeCertificate| stored.is(fingerprint)).await?;
        let certificate = found.ok_or(Denied::UnknownCertificate)?;
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

    /// What is stored under a name, if it is what is meant.
    async fn stored<T: StoredResource>(
        &self,
        id: &Id,
        is_it: impl Fn(&T) -> bool,
    ) -> Result<Option<Typed<T>>, Denied> {
        // One that was made at another server a moment ago may not have come to where is looked first.
        for consistency in [Consistency::Eventual, Consistency::Strong] {
            let found = self.client.find_as::<T>(id, consistency).await.map_err(|error| match error {
                TypedError::Service(error) => Denied::Service(error),
                error @ TypedError::Data(_) => Denied::Stored(error),
            })?;
            if let Some(found) = found.filter(|found| is_it(&found.data)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// The token of a request. Two of them are brought by nobody who means well.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut said = headers.get_all(AUTHORIZATION).iter();
    let (Some(said), None) = (said.next(), said.next()) else { return None };
    let (scheme, token) = said.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
