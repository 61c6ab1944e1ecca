//! Leases.
//!
//! Whoever creates the key of a lease holds it, and its fencing token is the revision of that creation. The key is bound to
//! a lease of etcd, which ends by itself when it is not renewed. Who does not hold it waits for the end of the key.
//!
//! The key has the name of the lease and nothing else. So a fence says by itself what has to be compared, and a write
//! can carry it through any connection.

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
    /// Since when nobody is known to hold it.
    pub(super) vacant: watch::Sender<Option<Instant>>,
    pub(super) stop: CancellationToken,
}

/// A lease of etcd.
struct Granted {
    id: i64,
    /// Until when it lasts for sure.
    until: Until,
}

/// Until when a lease lasts for sure: etcd counts from when a request arrives, we count from before it was sent.
#[derive(Clone, Copy)]
struct Until {
    sent: Instant,
    time: Duration,
}

impl Until {
    fn new(sent: Instant, seconds: i64) -> Self {
        Self { sent, time: Duration::from_secs(u64::try_from(seconds).unwrap_or_default()) }
    }

    /// When it counts as lost. The clocks of two machines do not run alike, and to let go takes a moment too.
    fn lost(self) -> Instant {
        self.sent + self.time.mul_f64(0.9)
    }

    fn renewal(self) -> Instant {
        self.sent + self.time / 3
    }
}

impl Candidate<'_> {
    /// Stands for the lease until it is stopped.
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
                    tracing::warn!(error = %unavailable, lease = %self.name, "a lease cannot be had now");
                    self.stop.run_until_cancelled(waits.wait()).await;
                }
            }
        }
    }

    /// Waits until nobody holds it.
    async fn wait_until_free(&self) -> Result<(), Unavailable> {
        let request = RangeRequest { key: self.key.start.clone(), ..RangeRequest::default() };
        let answer: RangeResponse = self.client.call(Method::RANGE, request).await?;
        if !answer.kvs.is_empty() {
            self.vacant.send_replace(None);
            self.gone_after(answer.header.map_or(0, |header| header.revision)).await;
        }
        self.is_vacant();
        Ok(())
    }

    /// Nobody holds it: since now, unless that was so before.
    fn is_vacant(&self) {
        self.vacant.send_if_modified(|since| {
            let begins = since.is_none();
            since.get_or_insert_with(Instant::now);
            begins
        });
    }

    /// Waits for the end of the key after a revision, or until there is a reason to look whether it is there.
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

    /// Takes the lease unless another is quicker, keeps it, and gives it back.
    async fn hold(&self, granted: Granted) -> Result<(), Unavailable> {
        let taken = self.take(granted.id).await;
        if let Ok(Some(token)) = taken {
            self.vacant.send_replace(None);
            self.told.send_replace(Some(Fence { lease: self.name.clone(), token }));
            tracing::info!(lease = %self.name, token, "a lease is held");
            self.keep(&granted, token).await;
            self.told.send_replace(None);
            self.is_vacant();
            tracing::info!(lease = %self.name, token, "a lease is held no more");
        }
        // Also when nobody knows whether it was taken. If this fails it ends by itself.
        let revoke = LeaseRevokeRequest { id: granted.id };
        let revoked: Result<LeaseRevokeResponse, _> = self.client.call(Method::LEASE_REVOKE, revoke).await;
        if let Err(failure) = revoked {
            tracing::debug!(lease = %self.name, error = %Unavailable::from(failure), "a lease runs out by itself");
        }
        taken.map(drop)
    }

    /// Creates the key; the token if it was not there.
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

    /// Renews the lease until it is lost, or not wanted any more.
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

    /// Renews the lease at a time, however often it takes; `None` when it is over.
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
