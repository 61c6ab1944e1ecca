//! The data of a resource.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::identity::Type;

/// The data of a resource: an encoded protobuf message and its type URL.
///
/// Data are transmitted as a `google.protobuf.Any`.
///
/// ```
/// use converge_controller::{Data, Type};
///
/// let artist: Type = "demo.v2.Artist".parse()?;
/// let data = Data::new(&artist, vec![]);
/// assert_eq!(data.type_url, "type.googleapis.com/converge.demo.v2.Artist");
/// assert_eq!(data.message_name(), "converge.demo.v2.Artist");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The type URL: `type.googleapis.com/` and the full name of the message.
    pub type_url: String,
    /// The encoded message.
    #[serde(with = "serde_bytes")]
    pub value: Bytes,
}

impl Data {
    /// The prefix of type URLs, by convention of protobuf.
    pub const URL_PREFIX: &str = "type.googleapis.com/";

    /// Creates data from an encoded message of a type.
    pub fn new(resource_type: &Type, value: impl Into<Bytes>) -> Self {
        Self { type_url: Self::url_of(resource_type), value: value.into() }
    }

    /// Returns the URL of the message of a type.
    pub fn url_of(resource_type: &Type) -> String {
        format!("{}{}", Self::URL_PREFIX, resource_type.message_name())
    }

    /// Returns the full name of the message: the part of the URL after the last `/`.
    pub fn message_name(&self) -> &str {
        self.type_url.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Debug for Data {
    /// Writes only the number of bytes, because they may be many, or secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data({}, {} bytes)", self.message_name(), self.value.len())
    }
}

/// Serialization of bytes as base64, as in the JSON form of protobuf.
mod serde_bytes {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use bytes::Bytes;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Bytes::from).map_err(D::Error::custom)
    }
}
