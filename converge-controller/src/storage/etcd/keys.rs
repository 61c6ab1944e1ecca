//! The layout of keys in etcd.

use bytes::Bytes;

use crate::identity::Uid;

use super::super::key::Key;
use super::super::lease::LeaseName;
use super::super::query::Query;

/// The keys in etcd.
///
/// | Key | Value |
/// | --- | --- |
/// | `PREFIX/r/KEY` | a resource |
/// | `PREFIX/o/OWNER/KEY` | empty: the resource of `KEY` has this owner |
/// | `PREFIX/l/NAME` | empty: a lease is held; the key is deleted at the end of the holding |
#[derive(Clone, Debug)]
pub(super) struct Keys {
    prefix: String,
}

/// A range of keys with a common prefix, or one key.
#[derive(Clone, Debug)]
pub(super) struct KeyRange {
    pub(super) start: Bytes,
    /// The first key after the range; empty for one key.
    pub(super) end: Bytes,
}

impl KeyRange {
    pub(super) fn one(key: Bytes) -> Self {
        Self { start: key, end: Bytes::new() }
    }

    fn beginning_with(prefix: String) -> Self {
        let mut end = prefix.clone().into_bytes();
        // No byte of UTF-8 is the highest, so the increment cannot overflow.
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        Self { start: prefix.into(), end: end.into() }
    }
}

impl Keys {
    /// Returns the range of a prefix, with or without a final `/`.
    pub(super) fn below(prefix: &str) -> Self {
        Self { prefix: prefix.trim_end_matches('/').to_owned() }
    }

    pub(super) fn resource(&self, key: &Key) -> Bytes {
        format!("{}/r/{key}", self.prefix).into()
    }

    /// Returns a range that contains all resources a query matches, and perhaps more.
    pub(super) fn resources(&self, query: &Query) -> KeyRange {
        KeyRange::beginning_with(format!("{}/r/{}", self.prefix, query.key_prefix()))
    }

    /// Returns the range of all resources from a key on, given as text.
    pub(super) fn resources_from(&self, key: &str) -> KeyRange {
        let range = KeyRange::beginning_with(format!("{}/r/", self.prefix));
        KeyRange { start: format!("{}/r/{key}", self.prefix).into(), ..range }
    }

    /// Returns the key of a resource as text.
    pub(super) fn key_of<'k>(&self, entry: &'k [u8]) -> Option<&'k str> {
        std::str::from_utf8(entry).ok()?.strip_prefix(self.prefix.as_str())?.strip_prefix("/r/")
    }

    pub(super) fn owned(&self, owner: Uid, key: &Key) -> Bytes {
        format!("{}/o/{owner}/{key}", self.prefix).into()
    }

    pub(super) fn all_owned(&self, owner: Uid) -> KeyRange {
        KeyRange::beginning_with(format!("{}/o/{owner}/", self.prefix))
    }

    /// Returns the resource key of an entry of [`all_owned`](Self::all_owned).
    pub(super) fn resource_of(&self, owner: Uid, entry: &[u8]) -> Option<Bytes> {
        let text = std::str::from_utf8(entry).ok()?;
        let key = text.strip_prefix(self.prefix.as_str())?.strip_prefix(&format!("/o/{owner}/"))?;
        Some(format!("{}/r/{key}", self.prefix).into())
    }

    pub(super) fn leader(&self, name: &LeaseName) -> Bytes {
        format!("{}/l/{name}", self.prefix).into()
    }
}
