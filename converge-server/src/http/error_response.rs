//! Error responses in HTTP.

use axum::Json;
use axum::http::header::{HeaderValue, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::listeners::{Kind, Refusal};

/// Returns `{"error": {"code": .., "message": ..}}`, with `problems` if their places are known.
pub(super) fn to_json(refusal: &Refusal) -> Value {
    let (_, code) = words(refusal.kind);
    let mut error = json!({ "code": code, "message": refusal.message });
    if !refusal.problems.is_empty() {
        error["problems"] = json!(refusal.problems);
    }
    json!({ "error": error })
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (words(self.kind).0, Json(to_json(&self))).into_response();
        if self.kind == Kind::Unauthenticated {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Returns the status and the error code for programs.
fn words(kind: Kind) -> (StatusCode, &'static str) {
    match kind {
        Kind::InvalidArgument => (StatusCode::BAD_REQUEST, "invalid_argument"),
        Kind::Unauthenticated => (StatusCode::UNAUTHORIZED, "unauthenticated"),
        Kind::PermissionDenied => (StatusCode::FORBIDDEN, "permission_denied"),
        Kind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
        Kind::NoSuchMethod => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
        Kind::DeadlineExceeded => (StatusCode::REQUEST_TIMEOUT, "deadline_exceeded"),
        Kind::Aborted => (StatusCode::CONFLICT, "aborted"),
        Kind::FailedPrecondition => (StatusCode::PRECONDITION_FAILED, "failed_precondition"),
        Kind::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
        Kind::UnsupportedMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
        Kind::Misdirected => (StatusCode::MISDIRECTED_REQUEST, "misdirected"),
        Kind::TooMany => (StatusCode::TOO_MANY_REQUESTS, "too_many"),
        Kind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        Kind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
    }
}

pub(super) async fn no_such_path(uri: Uri) -> Refusal {
    Refusal::new(Kind::NotFound, format!("there is nothing at {}", uri.path()))
}

pub(super) async fn no_such_method(method: Method, uri: Uri) -> Refusal {
    Refusal::new(Kind::NoSuchMethod, format!("{} does not support {method}", uri.path()))
}
