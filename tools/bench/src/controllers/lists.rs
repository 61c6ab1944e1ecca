//! Measurements of lists, snapshots and reads.

use std::time::{Duration, Instant};

use converge_controller::storage::{Backend, Consistency, WatchEvent};

use super::report::{Report, Row};
use super::stores::{Kind, Stores, everything, fill, resource};
use crate::error::BenchError;
use crate::table::median;

/// The number of times that each list is read.
const ROUNDS: usize = 5;
const READS: u32 = 10_000;

/// Measures lists, snapshots and single reads over a number of resources.
pub(super) async fn lists(
    stores: &Stores,
    kind: Kind,
    resources: usize,
    report: &mut Report,
) -> Result<(), BenchError> {
    let store = stores.open(kind).await?;
    fill(&**store, resources).await?;
    let (mut lists, mut snapshots) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let listed = store.list(&everything(), Consistency::Strong).await.map_err(BenchError::store)?;
        lists.push(start.elapsed());
        check(listed.len(), resources)?;
        drop(listed);
        snapshots.push(snapshot(&**store, resources).await?);
    }
    report.add(Row::time(format!("list of {resources}"), kind.name(), median(lists)));
    report.add(Row::time(format!("snapshot of {resources}"), kind.name(), median(snapshots)));

    let ids =
        (0..resources).step_by(resources.div_ceil(READS as usize)).map(|number| Ok(resource(number)?.id));
    let ids = ids.collect::<Result<Vec<_>, BenchError>>()?;
    let start = Instant::now();
    for id in &ids {
        store.read(id, Consistency::Strong).await.map_err(BenchError::store)?;
    }
    let per_read = start.elapsed() / u32::try_from(ids.len()).unwrap_or(READS);
    report.add(Row::time("read of one".to_owned(), kind.name(), per_read));
    Ok(())
}

async fn snapshot(store: &dyn Backend, resources: usize) -> Result<Duration, BenchError> {
    let start = Instant::now();
    let mut watch = store.watch(&everything()).await.map_err(BenchError::store)?;
    let mut count = 0;
    while let WatchEvent::Upsert(_) = watch.next().await.map_err(BenchError::store)? {
        count += 1;
    }
    check(count, resources)?;
    Ok(start.elapsed())
}

fn check(actual: usize, expected: usize) -> Result<(), BenchError> {
    if actual == expected {
        return Ok(());
    }
    let (expected, actual_text) = (format!("{expected} resources"), format!("{actual}"));
    Err(BenchError::WrongResult { step: "list", expected, got: actual_text })
}
