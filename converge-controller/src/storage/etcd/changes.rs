//! What changes under some keys, whatever happens to the connection.

use tonic::Streaming;

use super::super::error::Unavailable;
use super::super::watch::WatchClosed;
use super::client::{Client, Waits};
use super::failure::Failure;
use super::keys::KeyRange;
use super::wire::{Event, Method, RangeRequest, RangeResponse, WatchCreateRequest, WatchResponse};

/// What changes under some keys, from a revision on: each change once, in order. When the connection is lost it goes on
/// with the next revision, at another member.
pub(super) struct Changes<'a> {
    client: &'a Client,
    keys: KeyRange,
    /// The first revision of which nothing was told yet.
    next: i64,
    stream: Option<(usize, Streaming<WatchResponse>)>,
    waits: Waits<'a>,
    interrupted: bool,
}

impl<'a> Changes<'a> {
    pub(super) fn new(client: &'a Client, keys: KeyRange, next: i64) -> Self {
        Self { client, keys, next, stream: None, waits: client.waits(), interrupted: false }
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

    /// Whether the store is older than what was told: then it was restored, and what comes is another history.
    async fn went_back(&self) -> Result<bool, Failure> {
        let request = RangeRequest { key: self.keys.start.clone(), limit: 1, ..RangeRequest::default() };
        let answer: RangeResponse = self.client.call(Method::RANGE, request).await?;
        Ok(answer.header.is_none_or(|header| header.revision < self.next - 1))
    }
}
