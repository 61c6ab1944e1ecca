//! Latency from a write to a watcher.

use std::time::{Duration, Instant};

use converge_controller::storage::WatchEvent;
use tokio::sync::mpsc;

use super::report::Rate;
use super::stores::{Kind, Stores, everything, resource};
use crate::error::BenchError;

/// Measures the time from the begin of a write until a watcher receives it, one write after the other.
pub(super) async fn latency(stores: &Stores, kind: Kind, time: Duration) -> Result<Rate, BenchError> {
    let store = stores.open(kind).await?;
    let mut watch = store.watch(&everything()).await.map_err(BenchError::store)?;
    let (sender, mut received) = mpsc::channel(1);
    let watching = tokio::spawn(async move {
        while let Ok(event) = watch.next().await {
            if matches!(event, WatchEvent::Upsert(_)) && sender.send(Instant::now()).await.is_err() {
                break;
            }
        }
    });
    let start = Instant::now();
    let mut latencies = Vec::new();
    let mut next = resource(0)?;
    while start.elapsed() < time {
        let write_start = Instant::now();
        let latest = store.write(next).await.map_err(BenchError::store)?;
        let Some(instant) = received.recv().await else { break };
        latencies.push(instant - write_start);
        next = (*latest).clone();
    }
    let rate = Rate::from_latencies(latencies, start.elapsed());
    watching.abort();
    Ok(rate)
}
