//! Reads of keys.

use std::sync::Arc;

use bytes::Bytes;

use crate::resource::{Resource, Version};

use super::super::backend::Consistency;
use super::super::error::Unavailable;
use super::super::record;
use super::client::Client;
use super::failure::{Failure, Kind};
use super::keys::KeyRange;
use super::pages::Pages;
use super::wire::{
    KeyValue, Method, RangeRequest, RangeResponse, Request, RequestOp, TxnRequest, TxnResponse,
};

/// The maximum number of keys in a page.
const MOST_KEYS: usize = 1_000;
/// The maximum number of single keys per request: etcd allows 128 operations in a transaction.
const MOST_SINGLE_KEYS: usize = 100;
/// The maximum number of times that a list restarts because its revision was compacted.
const ATTEMPTS: usize = 5;

/// Keys at one revision.
pub(super) struct Snapshot {
    pub(super) revision: i64,
    pub(super) found: Vec<KeyValue>,
}

/// Returns the entry with the newest change.
pub(super) fn newest(kvs: Vec<KeyValue>) -> Option<KeyValue> {
    kvs.into_iter().max_by_key(|kv| kv.mod_revision)
}

/// Decodes the resource in the value of a key.
pub(super) fn resource(kv: &KeyValue) -> Result<Arc<Resource>, Unavailable> {
    let version = Version::from(u64::try_from(kv.mod_revision).unwrap_or_default());
    let decoded = record::decode(&kv.value).map(|stored| Resource { version: Some(version), ..stored });
    let decode_error = |error| {
        let key = String::from_utf8_lossy(&kv.key);
        Unavailable::because(
            format!("key {key} of etcd cannot be read; remove it with etcdctl del {key}"),
            error,
        )
    };
    decoded.map(Arc::new).map_err(decode_error)
}

impl Client {
    /// Reads keys, in order, all at one revision.
    pub(super) async fn read(
        &self,
        keys: &KeyRange,
        consistency: Consistency,
    ) -> Result<Snapshot, Unavailable> {
        if consistency == Consistency::Eventual
            && let Ok(Some(snapshot)) = self.read_local(keys).await
        {
            return Ok(snapshot);
        }
        let mut attempts = 0;
        loop {
            match self.read_pages(keys, false).await {
                Ok(snapshot) => return Ok(snapshot),
                Err(failure) if failure.kind == Kind::OtherRevision && attempts < ATTEMPTS => attempts += 1,
                Err(failure) => return Err(failure.into()),
            }
        }
    }

    /// Reads the first key of a range.
    pub(super) async fn first(&self, keys: &KeyRange) -> Result<Option<KeyValue>, Unavailable> {
        let (key, range_end) = (keys.start.clone(), keys.end.clone());
        let request = RangeRequest { key, range_end, limit: 1, ..RangeRequest::default() };
        let answer: RangeResponse = self.call(Method::RANGE, request).await?;
        Ok(answer.kvs.into_iter().next())
    }

    /// Reads the state of one member, unless something newer is already known in this process.
    async fn read_local(&self, keys: &KeyRange) -> Result<Option<Snapshot>, Failure> {
        // The revision is taken first: what this process learns during the read need not be included.
        let revision = self.seen();
        let snapshot = self.read_pages(keys, true).await?;
        Ok((snapshot.revision >= revision).then_some(snapshot))
    }

    async fn read_pages(&self, keys: &KeyRange, serializable: bool) -> Result<Snapshot, Failure> {
        let mut snapshot = Snapshot { revision: 0, found: Vec::new() };
        let mut key = keys.start.clone();
        let mut pages = Pages::with_max_keys(MOST_KEYS);
        loop {
            let request = RangeRequest {
                key: key.clone(),
                range_end: keys.end.clone(),
                limit: i64::try_from(pages.keys()).unwrap_or(i64::MAX),
                revision: snapshot.revision,
                serializable,
            };
            let page: RangeResponse = match self.call(pages.bounded(Method::RANGE), request).await {
                Err(failure) if failure.kind == Kind::TooLarge && pages.shrink() => continue,
                answer => answer?,
            };
            pages.record(&page.kvs);
            if snapshot.revision == 0 {
                snapshot.revision = page.header.map_or(0, |header| header.revision);
            }
            snapshot.found.extend(page.kvs);
            match snapshot.found.last() {
                Some(last) if page.more => key = after(&last.key),
                _ => break,
            }
        }
        self.see(snapshot.revision);
        Ok(snapshot)
    }

    /// Reads single keys at a revision, omitting those that did not exist.
    pub(super) async fn read_each(&self, keys: &[Bytes], revision: i64) -> Result<Vec<KeyValue>, Failure> {
        let mut kvs = Vec::with_capacity(keys.len());
        let (mut left, mut pages) = (keys, Pages::with_max_keys(MOST_SINGLE_KEYS));
        while !left.is_empty() {
            let (batch, after) = left.split_at(pages.keys().min(left.len()));
            let range = |key: &Bytes| RangeRequest { key: key.clone(), revision, ..RangeRequest::default() };
            let success = batch.iter().map(|key| RequestOp::from(Request::Range(range(key)))).collect();
            let request = TxnRequest { success, ..TxnRequest::default() };
            let answer: TxnResponse = match self.call(pages.bounded(Method::LOOK), request).await {
                Err(failure) if failure.kind == Kind::TooLarge && pages.shrink() => continue,
                answer => answer?,
            };
            let before = kvs.len();
            kvs.extend(answer.ranges().flatten());
            pages.record(&kvs[before..]);
            left = after;
        }
        Ok(kvs)
    }
}

/// Returns the smallest key after another one.
fn after(key: &[u8]) -> Bytes {
    [key, &[0]].concat().into()
}
