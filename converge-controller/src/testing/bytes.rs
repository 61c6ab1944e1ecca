//! Resources as stores keep them.

use crate::resource::Resource;
use crate::storage::record;

/// The bytes that a store in a file or in etcd keeps of a resource: the protobuf message `converge.resource.Resource`.
pub fn to_stored_bytes(resource: &Resource) -> Vec<u8> {
    record::encode(resource)
}

/// The resource of which a store keeps these bytes.
///
/// # Errors
///
/// Why they are those of none.
pub fn from_stored_bytes(bytes: &[u8]) -> Result<Resource, String> {
    record::decode(bytes).map_err(|error| error.to_string())
}
