//! What a request brings.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use converge_controller::{Generation, Id, Metadata, Resource, Status, StatusKey, Version};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::asked::Asked;
use crate::doors::{Doors, Kind, Refusal};
use crate::json::{Codec, place_of, refuse_in_text};

/// JSON; what cannot be read is refused as everything else is.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Doors> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, doors: &Doors) -> Result<Self, Refusal> {
        if !is_json(request.headers()) {
            let message = "expected request with `Content-Type: application/json`";
            return Err(Refusal::new(Kind::UnsupportedMediaType, message));
        }
        let bytes = Bytes::from_request(request, doors).await.map_err(|wrong| match wrong.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Refusal::too_large(doors.limits.body),
            _ => Refusal::invalid(wrong.body_text()),
        })?;
        refuse_in_text(&bytes).map_err(refused)?;
        let mut json = serde_json::Deserializer::from_slice(&bytes);
        let body = serde_path_to_error::deserialize(&mut json).map_err(refused)?;
        // Only one.
        json.end().map_err(Refusal::wrong)?;
        Ok(Self(body))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it takes the place of a closure in `map_err`")]
fn refused(wrong: serde_path_to_error::Error<serde_json::Error>) -> Refusal {
    let path = place_of(None, wrong.path());
    Refusal::wrong(&wrong).at(path, wrong.inner().to_string())
}

/// Whether a body says that it is JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let subtype = media_type.strip_prefix("application/");
    subtype.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

/// A resource that is to be written: what is read may be given back, changed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Draft {
    /// The one of the path, where it is said again.
    id: Option<Id>,
    owner: Option<Id>,
    version: Option<Version>,
    /// Made by the service; what is given means nothing.
    #[serde(default, rename = "generation")]
    _generation: Option<Generation>,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    status: BTreeMap<StatusKey, Status>,
    data: Option<Value>,
}

impl Draft {
    pub(super) fn resource(self, codec: &Codec, asked: Asked) -> Result<Resource, Refusal> {
        let Asked { mut id, version, .. } = asked;
        if let Some(said) = self.id {
            let same = said.resource_type == id.resource_type && said.name == id.name;
            // What the path leaves out, the body may say.
            let tenancy = if id.tenancy.scope() < said.tenancy.scope() { &said.tenancy } else { &id.tenancy };
            if !same || *tenancy != said.tenancy {
                return Err(Refusal::invalid(format!("the body is of {said}, and the path is that of {id}")));
            }
            id.uid = id.uid.or(said.uid);
            id.tenancy = said.tenancy;
        }
        let data = self.data.map(|data| codec.data(&id.resource_type, data)).transpose()?;
        Ok(Resource {
            owner: self.owner,
            version: version.or(self.version),
            metadata: self.metadata,
            status: self.status,
            data,
            ..Resource::new(id)
        })
    }
}
