//! The certificates by which a server authenticates nodes.

use serde_json::Value as Json;

use crate::error::CliError;
use crate::remote::{Found, Query, Server, Types};

/// Lists the certificates of all nodes.
pub(super) fn certificates(server: &Server, types: &Types) -> Result<Vec<Found>, CliError> {
    let query = Query::default().with("consistent", "true");
    Ok(server.list(types.find("access.v1.NodeCertificate")?, &query)?)
}

/// Returns the name of the node that a certificate was issued to.
pub(super) fn node_of(certificate: &Found) -> &str {
    text(&certificate.json["owner"]["name"])
}

pub(super) fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}
