//! What changes under some keys, whatever happens to the connection.

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

/// By what a value is known again: its revision, and a hash.
#[derive(PartialEq, Eq)]
struct Mark(i64, [u8; 32]);

impl Mark {
    fn of(found: &KeyValue) -> Self {
        Self(found.mod_revision, Sha256::digest(&found.value).into())
    }
}

/// A key, and what it is; nothing where it was deleted. The key is a copy: it would keep all of the answer that it came with.
fn mark(found: &KeyValue, there: bool) -> (Bytes, Option<Mark>) {
    (Bytes::copy_from_slice(&found.key), there.then(|| Mark::of(found)))
}

/// What changes under some keys, from a revision on: each change once, in order. When the connection is lost it goes on
/// with the next revision, at another member.
pub(super) struct Changes<'a> {
    client: &'a Client,
    keys: KeyRange,
    /// The first revision of which nothing was told yet.
    next: i64,
    /// The newest that is known of what was told: a key, and what it was then. Another history does not have it.
    newest: Option<(Bytes, Option<Mark>)>,
    stream: Option<(usize, Streaming<WatchResponse>)>,
    waits: Waits<'a>,
    interrupted: bool,
}

impl<'a> Changes<'a> {
    pub(super) fn new(client: &'a Client, keys: KeyRange, next: i64) -> Self {
        Self { client, keys, next, newest: None, stream: None, waits: client.waits(), interrupted: false }
    }

    /// The changes after what was read, of which this is the newest.
    pub(super) fn after(mut self, newest: Option<KeyValue>) -> Self {
        self.newest = newest.map(|newest| mark(&newest, true));
        self
    }

    /// The changes of one revision or of several, all of each.
    ///
    /// # Errors
    ///
    /// Changes that were not told are forgotten.
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

    /// The events of one answer; `None` when there can be no more.
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
            // Said of a login too, which is then renewed.
            let failure = self.client.stream_failure(member, tonic::Status::unknown(reason));
            return Err(failure.into());
        }
        // An answer has all of each of its revisions. One without events says that there were none.
        let told = match answer.events.last().and_then(|event| event.kv.as_ref()) {
            Some(last) => last.mod_revision,
            None if answer.created => 0,
            None => answer.header.map_or(0, |header| header.revision),
        };
        self.next = self.next.max(told + 1);
        if let Some((event, kv)) = answer.events.last().and_then(|last| Some((last, last.kv.as_ref()?))) {
            let there = event.r#type == i32::from(EventType::Put);
            self.newest = Some(mark(kv, there));
        }
        self.waits.reset();
        Ok(Some(answer.events))
    }

    /// Connects, and begins with the next revision.
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

    /// Whether the store does not have what was told: then it was restored, and what comes is another history.
    async fn went_back(&self) -> Result<bool, Failure> {
        let request = RangeRequest { key: self.keys.start.clone(), limit: 1, ..RangeRequest::default() };
        let answer: RangeResponse = self.client.call(Method::RANGE, request).await?;
        let last = self.next - 1;
        if answer.header.is_none_or(|header| header.revision < last) {
            return Ok(true);
        }
        let Some((key, told)) = &self.newest else { return Ok(false) };
        let request = RangeRequest { key: key.clone(), revision: last, ..RangeRequest::default() };
        let answer: Result<RangeResponse, _> = self.client.call(Method::RANGE, request).await;
        match answer {
            Ok(answer) => Ok(answer.kvs.first().map(Mark::of) != *told),
            // That revision is forgotten. If the next one is too, the watch says it.
            Err(failure) if failure.kind == Kind::OtherRevision => Ok(false),
            Err(failure) => Err(failure),
        }
    }
}
