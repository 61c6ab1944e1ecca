//! The authenticated caller of a request.

use std::ops::Deref;

use axum::extract::{FromRequestParts, Request};
use axum::http::Extensions;
use axum::http::request::Parts;
use converge_controller::Typed;
use converge_controller::service::Client;

use super::Doors;
use super::error_response::{Kind, Refusal};
use super::host::of_this_machine;
use crate::access::{Denied, Fingerprint, NodeCertificate, Pass};
use crate::metrics::Denial;

/// The listener state together with the authenticated caller of one request.
#[derive(Clone)]
pub(crate) struct Visit {
    doors: Doors,
    pub(super) pass: Pass,
    /// The client that acts for the caller.
    pub(crate) client: Client,
}

/// Refuses a request for another host if authentication is disabled.
pub(crate) fn meant_here(doors: &Doors, request: &Request) -> Result<(), Refusal> {
    if doors.gate.is_open() {
        // A malicious web page has no token, so the host only matters without authentication.
        of_this_machine(request.headers(), request.uri().authority())?;
    }
    Ok(())
}

/// Refuses nodes, because the answer concerns the whole server.
pub(crate) fn of_no_node(extensions: &Extensions) -> Result<(), Refusal> {
    if extensions.get::<Pass>().is_some_and(|pass| pass.node().is_none()) {
        return Ok(());
    }
    Err(Refusal::new(Kind::PermissionDenied, "the caller is a node, which may not send this request"))
}

/// Authenticates the caller and adds the result to the request.
pub(crate) async fn admitted(doors: &Doors, mut request: Request) -> Result<Request, Refusal> {
    meant_here(doors, &request)?;
    let admitted = doors.gate.admit(request.headers(), request.extensions().get::<Fingerprint>()).await;
    let pass = admitted.map_err(|denied| self::denied(doors, denied))?;
    request.extensions_mut().insert(pass);
    Ok(request)
}

/// Counts a refused caller and returns the error response.
pub(crate) fn denied(doors: &Doors, denied: Denied) -> Refusal {
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

impl Visit {
    /// Creates the context of a request that passed [`admitted`].
    pub(crate) fn new(doors: Doors, extensions: &Extensions) -> Result<Self, Refusal> {
        let nobody = || Refusal::new(Kind::Internal, "nobody was asked who they are");
        let pass = extensions.get::<Pass>().ok_or_else(nobody)?.clone();
        let client = doors.own.service().client(pass.caller.clone());
        Ok(Self { doors, pass, client })
    }

    /// Returns the certificate of the caller if it is a node.
    pub(crate) fn certificate(&self) -> Option<&Typed<NodeCertificate>> {
        self.pass.node()
    }
}

impl Deref for Visit {
    type Target = Doors;

    fn deref(&self) -> &Doors {
        &self.doors
    }
}

impl FromRequestParts<Doors> for Visit {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, doors: &Doors) -> Result<Self, Refusal> {
        Self::new(doors.clone(), &parts.extensions)
    }
}
