//! The JSON body of a request.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

use crate::json::{place_of, refuse_in_text};
use crate::listeners::{Kind, ListenerState, Refusal};

/// A JSON body.
///
/// Unreadable JSON gets the standard error response.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<ListenerState> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, doors: &ListenerState) -> Result<Self, Refusal> {
        if !is_json(request.headers()) {
            let message = "expected request with `Content-Type: application/json`";
            return Err(Refusal::new(Kind::UnsupportedMediaType, message));
        }
        let bytes = Bytes::from_request(request, doors).await.map_err(|error| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Refusal::too_large(doors.limits.body),
            _ => Refusal::invalid(error.body_text()),
        })?;
        refuse_in_text(&bytes).map_err(refused)?;
        let mut json = serde_json::Deserializer::from_slice(&bytes);
        let body = serde_path_to_error::deserialize(&mut json).map_err(refused)?;
        // Text after the JSON value is refused.
        json.end().map_err(Refusal::wrong)?;
        Ok(Self(body))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it takes the place of a closure in `map_err`")]
fn refused(error: serde_path_to_error::Error<serde_json::Error>) -> Refusal {
    let path = place_of(None, error.path());
    Refusal::wrong(&error).at(path, error.inner().to_string())
}

/// Whether the headers declare a JSON body.
fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let subtype = media_type.strip_prefix("application/");
    subtype.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}
