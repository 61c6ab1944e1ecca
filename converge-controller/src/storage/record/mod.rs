//! How a resource is stored: as the protobuf message `converge.resource.Resource`.
//!
//! The bytes of its data are kept as they are, whatever message they are of. A reader drops fields of the message itself
//! that it does not know; so whoever adds a field also gives the format of its store the next number, and programs of
//! before do not open it. Numbers of fields are never used again.

mod convert;
mod message;
#[cfg(test)]
mod tests;

use prost::Message as _;

use crate::resource::Resource;

/// Bytes are not those of a resource.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordError {
    /// They are no such message.
    #[error(transparent)]
    Message(#[from] prost::DecodeError),
    /// A field has a value that it cannot have.
    #[error("{field}: {reason}")]
    Field {
        /// The field.
        field: &'static str,
        /// Why its value is wrong.
        reason: String,
    },
}

/// The bytes of a resource.
pub(crate) fn encode(resource: &Resource) -> Vec<u8> {
    message::Resource::from(resource).encode_to_vec()
}

/// The resource of these bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<Resource, RecordError> {
    message::Resource::decode(bytes)?.try_into()
}
