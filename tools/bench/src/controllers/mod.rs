//! Measurements of resource stores and controllers.
//!
//! The baselines are a bare loop on the same kind of file and a bare client of the same etcd.

mod etcd_baseline;
mod lists;
mod reconcile_latency;
mod redb_baseline;
mod report;
mod server;
mod store_size;
mod stores;
mod watch_latency;
mod writes;

use std::path::Path;
use std::time::Duration;

use crate::error::BenchError;
use report::{Baseline, Report, Rounds, Row};
pub(crate) use stores::Kind;
use stores::Stores;

/// The numbers of concurrent writes to measure.
const IN_FLIGHT: [usize; 3] = [1, 16, 64];
/// The number of rounds in which writes are measured.
const ROUNDS: u32 = 10;

/// The amount of work to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Amount {
    /// Number of resources in lists
    #[arg(long, value_name = "N", default_value = "100000")]
    resources: usize,
    /// Duration of each kind of write in milliseconds
    #[arg(long, value_name = "MS", default_value = "2000")]
    time: u64,
}

/// Measures all stores, one kind of work after the other.
///
/// Compared stores therefore meet the same state of the machine.
pub(crate) fn measure(amount: Amount) -> Result<Report, BenchError> {
    let runtime = tokio::runtime::Runtime::new().map_err(BenchError::Runtime)?;
    let time = Duration::from_millis(amount.time);
    let stores = Stores::start()?;
    if stores.etcd.is_none() {
        eprintln!("there is no etcd (apt-get install etcd-server): it is left out");
    }
    let mut report = Report::default();
    for in_flight in IN_FLIGHT {
        eprintln!("measuring {in_flight} at a time ..");
        runtime.block_on(writes_of_all(&stores, in_flight, time, &mut report))?;
    }
    for kind in stores.kinds() {
        eprintln!("measuring watches, lists and controllers over {} ..", kind.name());
        let rate = runtime.block_on(watch_latency::latency(&stores, kind, time))?;
        report.add(Row::rate("write to watch".to_owned(), kind.name(), &rate, None));
        runtime.block_on(async {
            reconcile_latency::latency(&stores, kind, time, &mut report).await?;
            reconcile_latency::throughput(&stores, kind, amount.resources, &mut report).await?;
            lists::lists(&stores, kind, amount.resources, &mut report).await
        })?;
        store_size::measure(&stores, kind, amount.resources, &mut report)?;
    }
    store_size::repair_quickly(amount.resources, &mut report)?;
    Ok(report)
}

/// Measures writes of all stores and of the baselines at one level of concurrency.
async fn writes_of_all(
    stores: &Stores,
    in_flight: usize,
    time: Duration,
    report: &mut Report,
) -> Result<(), BenchError> {
    let (mut baseline, mut quick, mut of_etcd) = (Rounds::default(), Rounds::default(), Rounds::default());
    let mut measured: Vec<_> = stores.kinds().into_iter().map(|kind| (kind, Rounds::default())).collect();
    // Rounds alternate between the stores because the speed of a disk varies over time.
    for _ in 0..ROUNDS {
        redb_baseline::writes(in_flight, false, time / ROUNDS, &mut baseline)?;
        for (kind, rounds) in &mut measured {
            writes::writes(stores, *kind, in_flight, time / ROUNDS, rounds).await?;
        }
        if let Some(server) = &stores.etcd {
            etcd_baseline::writes(&server.address, &stores.prefix(), in_flight, time / ROUNDS, &mut of_etcd)
                .await?;
        }
        redb_baseline::writes(in_flight, true, time / ROUNDS, &mut quick)?;
    }
    let (baseline, beside_etcd) = (baseline.rate(), stores.etcd.is_some().then(|| of_etcd.rate()));
    let step = || format!("{in_flight} writes at a time");
    for (kind, rounds) in measured {
        let comparison = match kind {
            Kind::Memory => None,
            Kind::Redb => Some(Baseline { per_second: baseline.per_second, aim: 1.5 }),
            Kind::Etcd => beside_etcd.map(|baseline| Baseline { per_second: baseline.per_second, aim: 1.2 }),
        };
        report.add(Row::rate(step(), kind.name(), &rounds.rate(), comparison));
    }
    report.add(Row::rate(step(), "bare redb", &baseline, None));
    report.add(Row::rate(step(), "quick repair", &quick.rate(), None));
    if let Some(baseline) = beside_etcd {
        report.add(Row::rate(step(), "bare etcd", &baseline, None));
    }
    Ok(())
}

/// Fills a store, prints its cost, and holds it until the process is killed.
pub(crate) fn hold(kind: Kind, folder: &Path, resources: usize) -> Result<(), BenchError> {
    store_size::hold(kind, folder, resources)
}
