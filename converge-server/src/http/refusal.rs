//! What is said instead of an answer.

use std::fmt::Display;

use axum::Json;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use converge_controller::service::{ErrorKind, InvalidArgument, ServiceError};
use converge_controller::validation::Invalid;
use serde::Serialize;
use serde_json::{Value, json};

use crate::json::{JsonError, Path, Place, path_of};

/// A request is not answered. As JSON it is `{"error": {"code": .., "message": ..}}`, with `problems` where it is known at which
/// places of the body something is wrong.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// For programs.
    pub(crate) code: &'static str,
    /// For people.
    pub(crate) message: String,
    /// The places of the body at which something is wrong.
    problems: Vec<Problem>,
}

/// What is wrong at a place of a body.
#[derive(Clone, Debug, Serialize)]
struct Problem {
    path: Path,
    message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), problems: Vec::new() }
    }

    /// Says at which place of the body something is wrong.
    pub(crate) fn at(mut self, path: Path, message: impl Into<String>) -> Self {
        self.problems.push(Problem { path, message: message.into() });
        self
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_argument", message)
    }

    /// A part of a request that is not what it has to be.
    pub(crate) fn wrong(error: impl Display) -> Self {
        Self::invalid(error.to_string())
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if !self.problems.is_empty() {
            error["problems"] = json!(self.problems);
        }
        json!({ "error": error })
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
        let refusal = Self::new(status, code, error.to_string());
        match &error {
            ServiceError::InvalidArgument(wrong) => located(refusal, wrong),
            _ => refusal,
        }
    }
}

/// Adds the places that are known.
fn located(refusal: Refusal, wrong: &InvalidArgument) -> Refusal {
    match wrong {
        InvalidArgument::Invalid { source, .. } => {
            let problems = source.downcast_ref::<Invalid>().map(Invalid::problems).unwrap_or_default();
            problems
                .iter()
                .fold(refusal, |refusal, problem| refusal.at(path_of(&problem.path), problem.to_string()))
        }
        InvalidArgument::Owner { .. } => {
            let message = wrong.to_string();
            refusal.at(vec![Place::Name("owner".to_owned())], message)
        }
        _ => refusal,
    }
}

impl From<JsonError> for Refusal {
    fn from(error: JsonError) -> Self {
        match error {
            JsonError::Stored { .. } => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
            }
            JsonError::Data { ref path, ref source, .. } => {
                let (path, message) = (path.clone(), source.to_string());
                Self::wrong(error).at(path, message)
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
