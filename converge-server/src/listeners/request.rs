//! Who came in.

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

/// The doors, as somebody sees them who was let in.
#[derive(Clone)]
pub(crate) struct Visit {
    doors: Doors,
    pub(super) pass: Pass,
    /// Asks in the name of the caller.
    pub(crate) client: Client,
}

/// Refuses a request that was meant for another host, where nobody is asked for a token.
pub(crate) fn meant_here(doors: &Doors, request: &Request) -> Result<(), Refusal> {
    if doors.gate.is_open() {
        // A page of somebody else in a browser has no token, so what asks for one need not care for which name the page asks.
        of_this_machine(request.headers(), request.uri().authority())?;
    }
    Ok(())
}

/// Refuses nodes: what is told is about the server as a whole.
pub(crate) fn of_no_node(extensions: &Extensions) -> Result<(), Refusal> {
    if extensions.get::<Pass>().is_some_and(|pass| pass.node().is_none()) {
        return Ok(());
    }
    Err(Refusal::new(Kind::PermissionDenied, "the caller is a node, which may not ask for this"))
}

/// The same request, with what lets its caller in.
pub(crate) async fn admitted(doors: &Doors, mut request: Request) -> Result<Request, Refusal> {
    meant_here(doors, &request)?;
    let admitted = doors.gate.admit(request.headers(), request.extensions().get::<Fingerprint>()).await;
    let pass = admitted.map_err(|denied| self::denied(doors, denied))?;
    request.extensions_mut().insert(pass);
    Ok(request)
}

/// Counts who is not let in, and says why.
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
    /// Who came in with a request that was [`admitted`].
    pub(crate) fn new(doors: Doors, extensions: &Extensions) -> Result<Self, Refusal> {
        let nobody = || Refusal::new(Kind::Internal, "nobody was asked who they are");
        let pass = extensions.get::<Pass>().ok_or_else(nobody)?.clone();
        let client = doors.own.service().client(pass.caller.clone());
        Ok(Self { doors, pass, client })
    }

    /// The certificate of who came in, if it is a node.
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
