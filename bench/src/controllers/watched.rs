//! From a write to who watches.

use std::time::{Duration, Instant};

use converge_controller::storage::WatchEvent;
use tokio::sync::mpsc;

use super::report::Rate;
use super::stores::{Kind, everything, resource};
use crate::error::{BenchError, at};

/// How long it takes from the begin of a write until who watches has it, one write after the other.
pub(super) async fn latency(kind: Kind, time: Duration) -> Result<Rate, BenchError> {
    let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
    let store = kind.open(folder.path()).await?;
    let mut watch = store.watch(&everything()?).await.map_err(BenchError::store)?;
    let (told, mut received) = mpsc::channel(1);
    let watching = tokio::spawn(async move {
        while let Ok(event) = watch.next().await {
            if matches!(event, WatchEvent::Upsert(_)) && told.send(Instant::now()).await.is_err() {
                break;
            }
        }
    });
    let start = Instant::now();
    let mut latencies = Vec::new();
    let mut next = resource(0)?;
    while start.elapsed() < time {
        let begun = Instant::now();
        let stored = store.write(next).await.map_err(BenchError::store)?;
        let Some(told) = received.recv().await else { break };
        latencies.push(told - begun);
        next = (*stored).clone();
    }
    let rate = Rate::of(latencies, start.elapsed());
    watching.abort();
    Ok(rate)
}
