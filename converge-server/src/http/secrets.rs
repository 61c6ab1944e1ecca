//! The route that gives secrets to nodes.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query};
use axum::http::header::{CACHE_CONTROL, HeaderName};
use converge_controller::Tenancy;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::listeners::{Refusal, RequestContext};

/// The tenancy of the secret.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Whose {
    #[serde(default)]
    partition: String,
    #[serde(default)]
    namespace: String,
}

/// Returns the value of a secret.
///
/// The response must not be cached.
pub(super) async fn open(
    doors: RequestContext,
    Path(name): Path<String>,
    whose: Result<Query<Whose>, QueryRejection>,
) -> Result<([(HeaderName, &'static str); 1], Json<Value>), Refusal> {
    let Query(Whose { partition, namespace }) = whose.map_err(|error| Refusal::invalid(error.body_text()))?;
    let defaults = doors.client.caller().defaults();
    let or_default = |text: String, default: &str| if text.is_empty() { default.to_owned() } else { text };
    let partition = or_default(partition, defaults.partition.as_str());
    let namespace = or_default(namespace, defaults.namespace.as_str());
    let tenancy = Tenancy::from_units(&partition, &namespace).map_err(Refusal::wrong)?;
    let (value, generation) = doors.open_secret(tenancy, name.parse().map_err(Refusal::wrong)?).await?;
    Ok(([(CACHE_CONTROL, "no-store")], Json(json!({ "value": value, "generation": generation }))))
}
