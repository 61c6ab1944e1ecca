//! Responses of the service: the events of a run, or an error.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use converge_core::engine::EngineError;
use converge_core::prelude::embed::{Graph, LoadError, RunHandle};
use converge_core::view;
use futures_util::stream::unfold;
use serde_json::{Value, json};
use tokio::task::JoinError;
use tokio::time::timeout;

/// The maximum interval between two lines that are sent.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// The events of a run, one line of JSON each, followed by a last line with the result.
///
/// If a client disconnects, the handle is dropped, which cancels the run in an orderly way. A disconnect is
/// only noticed when something is sent, so an empty line is sent from time to time.
pub(crate) struct Events(Body);

impl Events {
    pub(crate) fn new<T, E>(
        run: RunHandle<T, E>,
        graph: Arc<Graph>,
        last: impl FnOnce(Result<T, E>) -> Value + Send + 'static,
    ) -> Self
    where
        T: Send + 'static,
        E: From<EngineError> + Send + 'static,
    {
        let lines = unfold(Some((run, graph, last)), async |state| {
            let (mut run, graph, last) = state?;
            Some::<(Result<_, Infallible>, _)>(match timeout(HEARTBEAT, run.next()).await {
                Err(_) => (Ok("\n".to_owned()), Some((run, graph, last))),
                Ok(Some(event)) => {
                    let event = view::json::event(&event, graph.sources());
                    let event = event.unwrap_or_else(|error| json!({ "error": error.to_string() }));
                    (Ok(line(&event)), Some((run, graph, last)))
                }
                Ok(None) => (Ok(line(&last(run.await))), None),
            })
        });
        Self(Body::from_stream(lines))
    }
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

impl IntoResponse for Events {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/x-ndjson")], self.0).into_response()
    }
}

/// The reason why a request was refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("there is no plan {0}")]
    NoSuchPlan(u64),
    #[error(transparent)]
    Module(#[from] LoadError),
    #[error("the service is about to end")]
    Ending(#[from] JoinError),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, body) = match &self {
            Self::NoSuchPlan(_) => (StatusCode::NOT_FOUND, json!({ "error": self.to_string() })),
            // The response has the diagnostics as data with lines and columns, and as text for people.
            Self::Module(LoadError { diagnostics, sources, .. }) => {
                let records =
                    diagnostics.iter().map(|diagnostic| view::json::diagnostic(diagnostic, sources));
                let records: Vec<_> = records.collect();
                let body = json!({ "error": self.to_string(), "diagnostics": records });
                (StatusCode::UNPROCESSABLE_ENTITY, body)
            }
            Self::Ending(_) => (StatusCode::SERVICE_UNAVAILABLE, json!({ "error": self.to_string() })),
        };
        (status, Json(body)).into_response()
    }
}
