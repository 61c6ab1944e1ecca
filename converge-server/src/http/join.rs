//! The routes for nodes that join or renew.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use converge_controller::{Name, Typed};
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::Body;
use crate::access::{Issued, JoinError, Joiner, Joining, Token};
use crate::identity::PublicKey;
use crate::listeners::{ListenerState, Refusal, RequestContext, denied};

/// The valid join token of a request, checked before the body is read.
pub(super) struct JoinCaller(Typed<Token>);

impl FromRequestParts<ListenerState> for JoinCaller {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, doors: &ListenerState) -> Result<Self, Refusal> {
        joining(doors)?;
        let token = doors.gate.to_join(&parts.headers).await;
        Ok(Self(token.map_err(|error| denied(doors, error))?))
    }
}

/// The body of a join request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    node: Name,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    public_key: String,
}

/// The public key for the next certificate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Next {
    public_key: String,
}

/// Issues a certificate to a node with a join token.
pub(super) async fn join(
    State(doors): State<ListenerState>,
    JoinCaller(token): JoinCaller,
    Body(Asked { node, labels, public_key }): Body<Asked>,
) -> Result<Json<Value>, Refusal> {
    let joiner = Joiner { node, labels, key: key(&public_key)? };
    Ok(answer(joining(&doors)?.join(&doors.own, token, &joiner).await?))
}

/// Issues the successor of a node's certificate.
pub(super) async fn renew(
    doors: RequestContext,
    Body(Next { public_key }): Body<Next>,
) -> Result<Json<Value>, Refusal> {
    let present = doors.certificate().ok_or(JoinError::NoNode)?;
    Ok(answer(joining(&doors)?.renew(&doors.own, present, &key(&public_key)?).await?))
}

fn joining(doors: &ListenerState) -> Result<&Joining, JoinError> {
    doors.joining.as_ref().ok_or(JoinError::NoTls)
}

fn key(text: &str) -> Result<PublicKey, Refusal> {
    text.parse().map_err(|error| Refusal::invalid(format!("public_key: {error}")))
}

fn answer(Issued { node, certificate, lifetime }: Issued) -> Json<Value> {
    Json(json!({ "node": node, "certificate": certificate, "seconds": lifetime.as_secs() }))
}
