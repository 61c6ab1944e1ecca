//! Knowing callers.

use std::sync::{Arc, PoisonError, RwLock};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use converge_controller::authorize::{Caller, Policy, TokenHash};
use converge_controller::protobuf::Timestamp;
use converge_controller::service::{Client, ServiceError, TypedError};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Name, StoredResource as _, Tenancy};

use super::secret;
use super::token::Token;

/// Knows who asks.
#[derive(Clone)]
pub(crate) struct Gate {
    /// The server itself, which reads tokens.
    client: Client,
    /// The tokens that are in no store. None where nobody is asked who they are.
    policy: Option<Arc<RwLock<Policy>>>,
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
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error("a stored token cannot be read: {0}")]
    Stored(#[source] TypedError),
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
}

impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Token(_) => "Token(..)",
        })
    }
}

impl Gate {
    /// One that lets everybody do everything.
    pub(crate) fn open(client: Client) -> Self {
        Self { client, policy: None }
    }

    /// One that asks for a token: of this policy, or one that is stored.
    pub(crate) fn with_policy(client: Client, policy: Policy) -> Self {
        Self { client, policy: Some(Arc::new(RwLock::new(policy))) }
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

    /// Lets somebody in who asks with these headers.
    pub(crate) async fn admit(&self, headers: &HeaderMap) -> Result<Pass, Denied> {
        let Some(policy) = &self.policy else {
            return Ok(Pass { caller: Caller::system(), proof: Proof::None });
        };
        let token = bearer(headers).ok_or(Denied::NoToken)?;
        let caller = self.holder(policy, token).await?;
        Ok(Pass { caller, proof: Proof::Token(token.to_owned()) })
    }

    /// Whether somebody who was let in would be again.
    pub(crate) async fn check(&self, pass: &Pass) -> Result<(), Denied> {
        match (&pass.proof, &self.policy) {
            (Proof::None, None) => Ok(()),
            (Proof::Token(token), Some(policy)) => self.holder(policy, token).await.map(drop),
            // A gate neither opens nor closes while it stands.
            (Proof::None, Some(_)) | (Proof::Token(_), None) => Err(Denied::Unknown),
        }
    }

    /// Whose token it is.
    async fn holder(&self, policy: &RwLock<Policy>, token: &str) -> Result<Caller, Denied> {
        let known = policy.read().unwrap_or_else(PoisonError::into_inner).caller(token);
        if let Some(caller) = known {
            return Ok(caller);
        }
        let name = secret::name_in(token).ok_or(Denied::Unknown)?;
        let hash = TokenHash::of(token);
        // One that was made at another server a moment ago may not have come to where is looked first.
        let found = match self.stored(&name, hash, Consistency::Eventual).await? {
            Some(token) => Some(token),
            None => self.stored(&name, hash, Consistency::Strong).await?,
        };
        let token = found.ok_or(Denied::Unknown)?;
        let now = Timestamp::try_from(self.client.service().clock().now()).unwrap_or(Timestamp::MAX);
        if token.has_expired(now) { Err(Denied::Expired) } else { Ok(token.caller()) }
    }

    async fn stored(
        &self,
        name: &Name,
        hash: TokenHash,
        consistency: Consistency,
    ) -> Result<Option<Token>, Denied> {
        let id = Id::new(Token::resource_type().clone(), Tenancy::Cluster, name.clone());
        let found = self.client.find_as::<Token>(&id, consistency).await.map_err(|error| match error {
            TypedError::Service(error) => Denied::Service(error),
            error @ TypedError::Data(_) => Denied::Stored(error),
        })?;
        Ok(found.filter(|found| found.is(hash)).map(|found| found.data))
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
