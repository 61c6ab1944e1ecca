//! Changes of a key range, across lost connections.

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tonic::Streaming;

use super::super::error::Unavailable;
use super::super::watch::WatchClosed;
use super::client::{Client, Waits};
use super::failure::{Failure, Kind};
use super::keys::KeyRange;
use super::wire::{
    Event, EventType, KeyValue, Method, RangeRequest, RangeResponse, WatchCreateRequest, WatchResponse,
};

/// The identity of a value: its revision and a hash.
#[derive(PartialEq, Eq)]
struct Mark(i64, [u8; 32]);

impl Mark {
    fn from_value(kv: &KeyValue) -> Self {
        Self(kv.mod_revision, Sha256::digest(&kv.value).into())
    }
}

/// Returns a key and the mark of its value, or of its absence.
///
/// The key is copied, because it would otherwise keep the whole response in memory.
fn mark(kv: &KeyValue, exists: bool) -> (Bytes, Option<Mark>) {
    (Bytes::copy_from_slice(&kv.key), exists.then(|| Mark::from_value(kv)))
}

/// The changes of a key range from a revision on, each reported once and in order.
///
/// After a lost connection, it continues with the next revision, at another member.
pub(super) struct Changes<'a> {
    client: &'a Client,
    keys: KeyRange,
    /// The first revision that was not reported.
    next: i64,
    /// The newest reported change: a key and its value.
    ///
    /// If the store does not have it, the store was restored to another history.
    newest: Option<(Bytes, Option<Mark>)>,
    stream: Option<(usize, Streaming<WatchResponse>)>,
    waits: Waits<'a>,
    interrupted: bool,
}

impl<'a> Changes<'a> {
    pub(super) fn new(client: &'a Client, keys: KeyRange, next: i64) -> Self {
        Self { client, keys, next, newest: None, stream: None, waits: client.waits(), interrupted: false }
    }

    /// Sets what was read before; `newest` is the newest change in it.
    pub(super) fn after(mut self, newest: Option<KeyValue>) -> Self {
        self.newest = newest.map(|newest| mark(&newest, true));
        self
    }

    /// Returns all changes of one or more revisions.
    ///
    /// # Errors
    ///
    /// Fails if changes that were not reported are compacted.
    pub(super) async fn next(&mut self) -> Result<Vec<Event>, WatchClosed> {
        loop {
            match self.try_next().await {
                Ok(Some(events)) if !events.is_empty() => return Ok(events),
                Ok(Some(_)) => {}
                Ok(None) => return Err(WatchClosed::Restored),
                Err(unavailable) => {
                    tracing::warn!(error = %unavailable, next = self.next, "a watch of etcd was interrupted");
                    self.stream = None;
                    self.interrupted = true;
                    self.waits.wait().await;
                }
            }
        }
    }

    /// Returns the events of one response, or `None` if the stream has ended.
    async fn try_next(&mut self) -> Result<Option<Vec<Event>>, Unavailable> {
        let Some((member, stream)) = &mut self.stream else { return self.open().await };
        let member = *member;
        let answer = match stream.message().await {
            Ok(Some(answer)) => answer,
            Ok(None) => {
                self.client.leave(member);
                return Err(Unavailable::new("etcd ended a watch"));
            }
            Err(status) => return Err(self.client.stream_failure(member, status).into()),
        };
        if answer.compact_revision > 0 {
            return Ok(None);
        }
        if answer.canceled {
            let reason = answer.cancel_reason;
            // A rejected login is reported in this way too, and is renewed then.
            let failure = self.client.stream_failure(member, tonic::Status::unknown(reason));
            return Err(failure.into());
        }
        // A response contains all of each of its revisions. A response without events says that there were
        // none.
        let revision = match answer.events.last().and_then(|event| event.kv.as_ref()) {
            Some(last) => last.mod_revision,
            None if answer.created => 0,
            None => answer.header.map_or(0, |header| header.revision),
        };
        self.next = self.next.max(revision + 1);
        if let Some((event, kv)) = answer.events.last().and_then(|last| Some((last, last.kv.as_ref()?))) {
            let exists = event.r#type == i32::from(EventType::Put);
            self.newest = Some(mark(kv, exists));
        }
        self.waits.reset();
        Ok(Some(answer.events))
    }

    /// Connects, and watches from the next revision.
    async fn open(&mut self) -> Result<Option<Vec<Event>>, Unavailable> {
        if self.interrupted && self.went_back().await? {
            return Ok(None);
        }
        let create = WatchCreateRequest {
            key: self.keys.start.clone(),
            range_end: self.keys.end.clone(),
            start_revision: self.next,
            progress_notify: true,
            prev_kv: true,
        };
        self.stream = Some(self.client.watch(create).await?);
        Ok(Some(Vec::new()))
    }

    /// Returns whether the store lacks what was reported: then it was restored, and has another history.
    async fn went_back(&self) -> Result<bool, Failure> {
        let request = RangeRequest { key: self.keys.start.clone(), limit: 1, ..RangeRequest::default() };
        let answer: RangeResponse = self.client.call(Method::RANGE, request).await?;
        let last = self.next - 1;
        if answer.header.is_none_or(|header| header.revision < last) {
            return Ok(true);
        }
        let Some((key, mark)) = &self.newest else { return Ok(false) };
        let request = RangeRequest { key: key.clone(), revision: last, ..RangeRequest::default() };
        let answer: Result<RangeResponse, _> = self.client.call(Method::RANGE, request).await;
        match answer {
            Ok(answer) => Ok(answer.kvs.first().map(Mark::from_value) != *mark),
            // That revision is compacted. If the next one is compacted too, the watch reports it.
            Err(failure) if failure.kind == Kind::OtherRevision => Ok(false),
            Err(failure) => Err(failure),
        }
    }
}
