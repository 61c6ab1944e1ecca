//! How a resource is stored: as the protobuf message `converge.resource.Resource`.
//!
//! The bytes of its data are kept as they are, whatever message they are of. A reader drops fields of the message itself
//! that it does not know; so whoever adds a field also gives the format of its store the next number, and programs of
//! before do not open it. Numbers of fields are never used again.

#[cfg(test)]
mod tests;

use prost::{DecodeError, Message as _};

use crate::protobuf::Wire as _;
#[cfg(feature = "redb")]
use crate::resource::{Head, Version, WireHead};
use crate::resource::{Resource, WireResource};

/// A resource in bytes, all but its version: a store knows that only when it writes.
#[derive(Debug, Default)]
pub(crate) struct Unversioned {
    bytes: Vec<u8>,
    /// Where the version has its place.
    #[cfg_attr(not(feature = "redb"), expect(dead_code, reason = "etcd has versions of its own"))]
    place: usize,
}

impl Unversioned {
    /// The bytes of a resource, whatever its version is.
    #[cfg(any(test, feature = "etcd"))]
    pub(crate) fn of(resource: &Resource) -> Self {
        Self::of_at_most(resource, usize::MAX).unwrap_or_default()
    }

    /// The same, unless they are more than so many; the error is how many they would be.
    pub(crate) fn of_at_most(resource: &Resource, most: usize) -> Result<Self, usize> {
        let (before, after) = WireResource::from_native(resource).around_version();
        let place = before.encoded_len();
        let length = place + after.encoded_len();
        if length > most {
            return Err(length);
        }
        let mut bytes = Vec::with_capacity(length);
        before.encode_raw(&mut bytes);
        after.encode_raw(&mut bytes);
        Ok(Self { bytes, place })
    }

    /// The bytes of the resource without a version.
    #[cfg(any(test, feature = "etcd"))]
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Puts the bytes of the resource with a version in place of what is in `together`.
    #[cfg(feature = "redb")]
    pub(crate) fn with(&self, version: &VersionBytes, together: &mut Vec<u8>) {
        let (before, after) = self.bytes.split_at(self.place);
        together.clear();
        for piece in [before, &version.0, after] {
            together.extend_from_slice(piece);
        }
    }
}

/// The version of a resource in bytes.
#[cfg(feature = "redb")]
#[derive(Debug)]
pub(crate) struct VersionBytes(Vec<u8>);

#[cfg(feature = "redb")]
impl VersionBytes {
    pub(crate) fn of(version: &Version) -> Self {
        Self(WireResource::of_version(version).encode_to_vec())
    }
}

/// The bytes of a resource.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn encode(resource: &Resource) -> Vec<u8> {
    WireResource::from_native(resource).encode_to_vec()
}

/// The head of the resource of these bytes, in a fraction of the time that all of it takes.
#[cfg(feature = "redb")]
pub(crate) fn decode_head(bytes: &[u8]) -> Result<Head, DecodeError> {
    WireHead::decode(bytes)?.into_head()
}

/// The resource of these bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<Resource, DecodeError> {
    WireResource::decode(bytes)?.into_native()
}
