//! What is said instead of an answer.

use axum::Json;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A request is not answered. As JSON it is `{"error": {"code": .., "message": ..}}`.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// For programs.
    pub(crate) code: &'static str,
    /// For people.
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_argument", message)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = json!({ "error": { "code": self.code, "message": self.message } });
        (self.status, Json(body)).into_response()
    }
}

pub(super) async fn no_such_path(uri: Uri) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "not_found", format!("there is nothing at {}", uri.path()))
}

pub(super) async fn no_such_method(method: Method, uri: Uri) -> Refusal {
    let message = format!("{} cannot be asked for with {method}", uri.path());
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}
