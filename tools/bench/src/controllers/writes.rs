//! Measurements of concurrent writes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::report::Rounds;
use super::stores::{Kind, Stores, resource};
use crate::error::BenchError;

/// Replaces resources for the given time, a fixed number at once, each task its own resource.
pub(super) async fn writes(
    stores: &Stores,
    kind: Kind,
    in_flight: usize,
    time: Duration,
    rounds: &mut Rounds,
) -> Result<(), BenchError> {
    let store = stores.open(kind).await?;
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..in_flight {
        let store = Arc::clone(&store);
        let mut next = resource(number)?;
        tasks.spawn(async move {
            let mut latencies = Vec::new();
            while start.elapsed() < time {
                let write_start = Instant::now();
                let latest = store.write(next).await.map_err(BenchError::store)?;
                latencies.push(write_start.elapsed());
                next = Arc::unwrap_or_clone(latest);
            }
            Ok::<_, BenchError>(latencies)
        });
    }
    let latencies = tasks.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    rounds.add(latencies.concat(), start.elapsed());
    Ok(())
}
