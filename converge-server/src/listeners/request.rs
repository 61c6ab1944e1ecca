//! The authenticated caller of a request.

use std::ops::Deref;

use axum::extract::{FromRequestParts, Request};
use axum::http::Extensions;
use axum::http::request::Parts;
use converge_controller::Typed;
use converge_controller::service::Client;

use super::ListenerState;
use super::error_response::{Kind, Refusal};
use super::host::check_host;
use crate::access::{Denied, Fingerprint, NodeCertificate, Pass};
use crate::metrics::Denial;

/// The listener state together with the authenticated caller of one request.
#[derive(Clone)]
pub(crate) struct RequestContext {
    doors: ListenerState,
    pub(super) pass: Pass,
    /// The client that acts for the caller.
    pub(crate) client: Client,
}

/// Refuses a request for another host if authentication is disabled.
pub(crate) fn check_request_host(doors: &ListenerState, request: &Request) -> Result<(), Refusal> {
    if doors.gate.is_open() {
        // A malicious web page has no token, so the host only matters without authentication.
        check_host(request.headers(), request.uri().authority())?;
    }
    Ok(())
}

/// Refuses nodes, because the answer concerns the whole server.
pub(crate) fn refuse_nodes(extensions: &Extensions) -> Result<(), Refusal> {
    if extensions.get::<Pass>().is_some_and(|pass| pass.node().is_none()) {
        return Ok(());
    }
    Err(Refusal::new(Kind::PermissionDenied, "the caller is a node, which may not send this request"))
}

/// Authenticates the caller and adds the result to the request.
pub(crate) async fn authenticate(doors: &ListenerState, mut request: Request) -> Result<Request, Refusal> {
    check_request_host(doors, &request)?;
    let admitted = doors.gate.admit(request.headers(), request.extensions().get::<Fingerprint>()).await;
    let pass = admitted.map_err(|denied| self::denied(doors, denied))?;
    request.extensions_mut().insert(pass);
    Ok(request)
}

/// Counts a refused caller and returns the error response.
pub(crate) fn denied(doors: &ListenerState, denied: Denied) -> Refusal {
    let denial = match &denied {
        Denied::NoToken => Denial::NoToken,
        Denied::Unknown => Denial::UnknownToken,
        Denied::Expired => Denial::ExpiredToken,
        Denied::OnlyJoins => Denial::JoinToken,
        Denied::UnknownCertificate => Denial::UnknownCertificate,
        Denied::ExpiredCertificate => Denial::ExpiredCertificate,
        Denied::Service(_) | Denied::Stored(_) | Denied::Settle(_) => Denial::Unavailable,
    };
    doors.counts.denied(denial).count();
    denied.into()
}

impl RequestContext {
    /// Creates the context of a request that passed [`authenticate`].
    pub(crate) fn new(doors: ListenerState, extensions: &Extensions) -> Result<Self, Refusal> {
        let nobody = || Refusal::new(Kind::Internal, "the caller was not authenticated");
        let pass = extensions.get::<Pass>().ok_or_else(nobody)?.clone();
        let client = doors.own.service().client(pass.caller.clone());
        Ok(Self { doors, pass, client })
    }

    /// Returns the certificate of the caller if it is a node.
    pub(crate) fn certificate(&self) -> Option<&Typed<NodeCertificate>> {
        self.pass.node()
    }
}

impl Deref for RequestContext {
    type Target = ListenerState;

    fn deref(&self) -> &ListenerState {
        &self.doors
    }
}

impl FromRequestParts<ListenerState> for RequestContext {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, doors: &ListenerState) -> Result<Self, Refusal> {
        Self::new(doors.clone(), &parts.extensions)
    }
}
