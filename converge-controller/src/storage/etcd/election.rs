//! Leases.
//!
//! The candidate that creates the key of a lease holds it, and the fencing token is the revision of the
//! creation. The key is attached to an etcd lease, which expires unless it is renewed. The other candidates
//! wait for the deletion of the key.
//!
//! The key consists of the name of the lease only. A fence therefore determines the comparison that a write
//! needs, and the write can use any connection.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::super::error::Unavailable;
use super::super::lease::{Fence, LeaseName};
use super::changes::Changes;
use super::client::Client;
use super::keys::KeyRange;
use super::wire::{
    Compare, EventType, LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest, LeaseKeepAliveResponse,
    LeaseRevokeRequest, LeaseRevokeResponse, Method, PutRequest, RangeRequest, RangeResponse, Request,
    TxnRequest, TxnResponse,
};

/// A candidate for a lease.
pub(super) struct Candidate<'a> {
    pub(super) client: &'a Client,
    pub(super) name: LeaseName,
    pub(super) key: KeyRange,
    pub(super) time: Duration,
    pub(super) told: watch::Sender<Option<Fence>>,
    /// The time since when nobody is known to hold the lease.
    pub(super) vacant: watch::Sender<Option<Instant>>,
    pub(super) stop: CancellationToken,
}

/// An etcd lease.
struct Granted {
    id: i64,
    /// The time until which the lease certainly lasts.
    until: Until,
}

/// The time until which a lease certainly lasts.
///
/// Etcd counts from the arrival of a request, and this type from before it was sent.
#[derive(Clone, Copy)]
struct Until {
    sent: Instant,
    time: Duration,
}

impl Until {
    fn new(sent: Instant, seconds: i64) -> Self {
        Self { sent, time: Duration::from_secs(u64::try_from(seconds).unwrap_or_default()) }
    }

    /// Returns the time at which the lease counts as lost.
    ///
    /// It leaves a margin for clock drift, and for letting go.
    fn lost(self) -> Instant {
        self.sent + self.time.mul_f64(0.9)
    }

    fn renewal(self) -> Instant {
        self.sent + self.time / 3
    }
}

impl Candidate<'_> {
    /// Applies for the lease until stopped.
    pub(super) async fn run(self) {
        let mut waits = self.client.waits();
        while !self.stop.is_cancelled() {
            let ready = async {
                self.wait_until_free().await?;
                self.grant().await
            };
            let Some(granted) = self.stop.run_until_cancelled(ready).await else { return };
            let ended = match granted {
                Ok(granted) => self.hold(granted).await,
                Err(unavailable) => Err(unavailable),
            };
            match ended {
                Ok(()) => waits.reset(),
                Err(unavailable) => {
                    tracing::warn!(error = %unavailable, lease = %self.name, "a lease cannot be acquired now");
                    self.stop.run_until_cancelled(waits.wait()).await;
                }
            }
        }
    }

    /// Waits until nobody holds the lease.
    async fn wait_until_free(&self) -> Result<(), Unavailable> {
        let request = RangeRequest { key: self.key.start.clone(), ..RangeRequest::default() };
        let answer: RangeResponse = self.client.call(Method::RANGE, request).await?;
        if !answer.kvs.is_empty() {
            self.vacant.send_replace(None);
            self.gone_after(answer.header.map_or(0, |header| header.revision)).await;
        }
        self.mark_vacant();
        Ok(())
    }

    /// Records that nobody holds the lease, from now on unless already recorded.
    fn mark_vacant(&self) {
        self.vacant.send_if_modified(|since| {
            let begins = since.is_none();
            since.get_or_insert_with(Instant::now);
            begins
        });
    }

    /// Waits for the deletion of the key after a revision, or until it has to be read again.
    async fn gone_after(&self, revision: i64) {
        let mut changes = Changes::new(self.client, self.key.clone(), revision + 1);
        while let Ok(events) = changes.next().await {
            if events.iter().any(|event| event.r#type == i32::from(EventType::Delete)) {
                return;
            }
        }
    }

    async fn grant(&self) -> Result<Granted, Unavailable> {
        let sent = Instant::now();
        let ttl = i64::try_from(self.time.as_secs().max(1)).unwrap_or(i64::MAX);
        let answer: LeaseGrantResponse =
            self.client.call(Method::LEASE_GRANT, LeaseGrantRequest { ttl }).await?;
        Ok(Granted { id: answer.id, until: Until::new(sent, answer.ttl) })
    }

    /// Takes the lease unless another candidate is first, keeps it, and releases it.
    async fn hold(&self, granted: Granted) -> Result<(), Unavailable> {
        let taken = self.take(granted.id).await;
        if let Ok(Some(token)) = taken {
            self.vacant.send_replace(None);
            self.told.send_replace(Some(Fence { lease: self.name.clone(), token }));
            tracing::info!(lease = %self.name, token, "a lease is held");
            self.keep(&granted, token).await;
            self.told.send_replace(None);
            self.mark_vacant();
            tracing::info!(lease = %self.name, token, "a lease is held no more");
        }
        // It is revoked also if it is unknown whether it was taken. If the revocation fails, the lease
        // expires.
        let revoke = LeaseRevokeRequest { id: granted.id };
        let revoked: Result<LeaseRevokeResponse, _> = self.client.call(Method::LEASE_REVOKE, revoke).await;
        if let Err(failure) = revoked {
            tracing::debug!(lease = %self.name, error = %Unavailable::from(failure), "a lease runs out by itself");
        }
        taken.map(drop)
    }

    /// Creates the key, and returns the token if the key did not exist.
    async fn take(&self, id: i64) -> Result<Option<u64>, Unavailable> {
        let key = self.key.start.clone();
        let put = PutRequest { key: key.clone(), lease: id, ..PutRequest::default() };
        let request = TxnRequest {
            compare: vec![Compare::modified(key, 0)],
            success: vec![Request::Put(put).into()],
            failure: Vec::new(),
        };
        let answer: TxnResponse = self.client.call(Method::TXN, request).await?;
        let revision = answer.header.map_or(0, |header| header.revision);
        Ok(answer.succeeded.then(|| u64::try_from(revision).unwrap_or_default()))
    }

    /// Renews the lease until it is lost or no longer wanted.
    async fn keep(&self, granted: &Granted, token: u64) {
        let gone = self.gone_after(i64::try_from(token).unwrap_or(i64::MAX));
        tokio::pin!(gone);
        let mut until = granted.until;
        loop {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                () = sleep_until(until.lost()) => return,
                () = &mut gone => return,
                renewed = self.renew(granted.id, until.renewal()) => match renewed {
                    Some(renewed) => until = renewed,
                    None => return,
                },
            }
        }
    }

    /// Renews the lease at a time, with retries; returns `None` when the lease has expired.
    async fn renew(&self, id: i64, at: Instant) -> Option<Until> {
        sleep_until(at).await;
        let mut waits = self.client.waits();
        loop {
            let sent = Instant::now();
            let request = LeaseKeepAliveRequest { id };
            let answer = self.client.call_streaming(Method::LEASE_KEEP_ALIVE, request).await;
            match answer {
                Ok(LeaseKeepAliveResponse { ttl }) => return (ttl > 0).then(|| Until::new(sent, ttl)),
                Err(failure) => {
                    tracing::warn!(lease = %self.name, error = %Unavailable::from(failure), "a lease is not renewed");
                    waits.wait().await;
                }
            }
        }
    }
}
