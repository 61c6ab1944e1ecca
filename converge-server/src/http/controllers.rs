//! The routes for the status and the graph of controllers, the `OpenAPI` document and metrics.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde::Deserialize;

use crate::api_types::{Controllers, GraphFormat};
use crate::listeners::{ListenerState, Refusal};

/// The media type of `/metrics`.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) async fn status(State(doors): State<ListenerState>) -> Json<Controllers> {
    Json(doors.controllers.status().into())
}

/// Returns the `OpenAPI` document.
pub(super) async fn openapi(State(doors): State<ListenerState>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], doors.types.now().openapi.clone())
}

pub(super) async fn metrics(State(doors): State<ListenerState>) -> impl IntoResponse {
    let text = doors.metrics.openmetrics(&doors.controllers.openmetrics()).await;
    ([(CONTENT_TYPE, OPENMETRICS)], text)
}

/// The format of the graph.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Drawing {
    #[serde(default)]
    format: GraphFormat,
}

pub(super) async fn graph(
    State(doors): State<ListenerState>,
    drawing: Result<Query<Drawing>, QueryRejection>,
) -> Result<String, Refusal> {
    let Query(Drawing { format }) = drawing.map_err(|error| Refusal::invalid(error.body_text()))?;
    Ok(format.draw(&doors.dependencies))
}
