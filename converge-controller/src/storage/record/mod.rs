//! The stored form of a resource: the protobuf message `converge.resource.Resource`.
//!
//! The bytes of the data are stored unchanged, whatever their message is. A reader drops unknown fields of
//! the resource message itself. A new field therefore requires a new format number of the store, so that
//! older programs do not open it. Field numbers are never reused.

#[cfg(test)]
mod tests;

use prost::{DecodeError, Message as _};

use crate::protobuf::Wire as _;
#[cfg(feature = "redb")]
use crate::resource::{Head, Version, WireHead};
use crate::resource::{Resource, WireResource};

/// An encoded resource without its version, which the store knows only when it writes.
#[derive(Debug, Default)]
pub(crate) struct Unversioned {
    bytes: Vec<u8>,
    /// The offset of the version.
    #[cfg_attr(not(feature = "redb"), expect(dead_code, reason = "etcd has versions of its own"))]
    place: usize,
}

impl Unversioned {
    /// Encodes a resource without its version.
    #[cfg(any(test, feature = "etcd"))]
    pub(crate) fn encode(resource: &Resource) -> Self {
        Self::encode_limited(resource, usize::MAX).unwrap_or_default()
    }

    /// Encodes a resource without its version, or returns its size if that exceeds a limit.
    pub(crate) fn encode_limited(resource: &Resource, maximum: usize) -> Result<Self, usize> {
        let (before, after) = WireResource::from_native(resource).split_at_version();
        let place = before.encoded_len();
        let length = place + after.encoded_len();
        if length > maximum {
            return Err(length);
        }
        let mut bytes = Vec::with_capacity(length);
        before.encode_raw(&mut bytes);
        after.encode_raw(&mut bytes);
        Ok(Self { bytes, place })
    }

    /// Returns the bytes of the resource without a version.
    #[cfg(any(test, feature = "etcd"))]
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Replaces the content of `together` by the bytes of the resource with a version.
    #[cfg(feature = "redb")]
    pub(crate) fn with(&self, version: &VersionBytes, together: &mut Vec<u8>) {
        let (before, after) = self.bytes.split_at(self.place);
        together.clear();
        for piece in [before, &version.0, after] {
            together.extend_from_slice(piece);
        }
    }
}

/// An encoded version of a resource.
#[cfg(feature = "redb")]
#[derive(Debug)]
pub(crate) struct VersionBytes(Vec<u8>);

#[cfg(feature = "redb")]
impl VersionBytes {
    pub(crate) fn encode(version: &Version) -> Self {
        Self(WireResource::from_version(version).encode_to_vec())
    }
}

/// Encodes a resource.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn encode(resource: &Resource) -> Vec<u8> {
    WireResource::from_native(resource).encode_to_vec()
}

/// Decodes only the head of a resource, which is much faster than decoding all of it.
#[cfg(feature = "redb")]
pub(crate) fn decode_head(bytes: &[u8]) -> Result<Head, DecodeError> {
    WireHead::decode(bytes)?.into_head()
}

/// Decodes a resource.
pub(crate) fn decode(bytes: &[u8]) -> Result<Resource, DecodeError> {
    WireResource::decode(bytes)?.into_native()
}
