//! What a resource says.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::identity::Type;

/// What a resource says: a protobuf message, with the name of its type. It travels as a `google.protobuf.Any`.
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
    /// `type.googleapis.com/` and the full name of the message.
    pub type_url: String,
    /// The message.
    #[serde(with = "serde_bytes")]
    pub value: Bytes,
}

impl Data {
    /// What the URL of a type begins with, by convention of protobuf.
    pub const URL_PREFIX: &str = "type.googleapis.com/";

    /// An encoded message of a type.
    pub fn new(resource_type: &Type, value: impl Into<Bytes>) -> Self {
        Self { type_url: Self::url_of(resource_type), value: value.into() }
    }

    /// The URL of the message of a type.
    pub fn url_of(resource_type: &Type) -> String {
        format!("{}{}", Self::URL_PREFIX, resource_type.message_name())
    }

    /// The full name of the message: what comes after the last `/` of the URL.
    pub fn message_name(&self) -> &str {
        self.type_url.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Debug for Data {
    /// The bytes are only counted: they may be many, or secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data({}, {} bytes)", self.message_name(), self.value.len())
    }
}

/// Bytes are written in base64, as the JSON of protobuf does.
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
