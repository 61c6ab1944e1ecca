//! What is said instead of an answer.

use std::fmt::Display;

use axum::Json;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use converge_controller::service::{ErrorKind, ServiceError};
use serde_json::{Value, json};

use crate::json::JsonError;

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

    /// A part of a request that is not what it has to be.
    pub(crate) fn wrong(error: impl Display) -> Self {
        Self::invalid(error.to_string())
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message } })
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.to_json())).into_response()
    }
}

/// What the service says, in the words of HTTP.
impl From<ServiceError> for Refusal {
    fn from(error: ServiceError) -> Self {
        let (status, code) = match error.kind() {
            ErrorKind::InvalidArgument => (StatusCode::BAD_REQUEST, "invalid_argument"),
            ErrorKind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            ErrorKind::Aborted => (StatusCode::CONFLICT, "aborted"),
            ErrorKind::FailedPrecondition => (StatusCode::PRECONDITION_FAILED, "failed_precondition"),
            ErrorKind::PermissionDenied => (StatusCode::FORBIDDEN, "permission_denied"),
            ErrorKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            ErrorKind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        };
        Self::new(status, code, error.to_string())
    }
}

impl From<JsonError> for Refusal {
    fn from(error: JsonError) -> Self {
        match error {
            JsonError::Stored { .. } => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
            }
            error => Self::wrong(error),
        }
    }
}

pub(super) async fn no_such_path(uri: Uri) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "not_found", format!("there is nothing at {}", uri.path()))
}

pub(super) async fn no_such_method(method: Method, uri: Uri) -> Refusal {
    let message = format!("{} cannot be asked for with {method}", uri.path());
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}
