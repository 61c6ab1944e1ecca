//! How a resource is stored: as the protobuf message `converge.resource.Resource`.
//!
//! The bytes of its data are kept as they are, whatever message they are of. A reader drops fields of the message itself
//! that it does not know; so whoever adds a field also gives the format of its store the next number, and programs of
//! before do not open it. Numbers of fields are never used again.

#[cfg(test)]
mod tests;

use prost::{DecodeError, Message as _};

use crate::protobuf::Wire as _;
use crate::resource::{Resource, WireResource};

/// The bytes of a resource.
pub(crate) fn encode(resource: &Resource) -> Vec<u8> {
    WireResource::from_native(resource).encode_to_vec()
}

/// The resource of these bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<Resource, DecodeError> {
    WireResource::decode(bytes)?.into_native()
}
