//! The stored encoding of resources.

use crate::resource::Resource;
use crate::storage::record;

/// Encodes a resource as stores do: the protobuf message `converge.resource.Resource`.
pub fn to_stored_bytes(resource: &Resource) -> Vec<u8> {
    record::encode(resource)
}

/// Decodes a resource from its stored encoding.
///
/// # Errors
///
/// Returns the reason if the bytes are not a resource.
pub fn from_stored_bytes(bytes: &[u8]) -> Result<Resource, String> {
    record::decode(bytes).map_err(|error| error.to_string())
}
