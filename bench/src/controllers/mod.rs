//! What stores of resources do in a time, next to a bare loop on the same kind of file.

mod bare;
mod held;
mod lists;
mod report;
mod stores;
mod watched;
mod writes;

use std::path::Path;
use std::time::Duration;

use crate::error::BenchError;
use report::{Report, Rounds, Row};
pub(crate) use stores::Kind;

/// How many writes are under way at a time.
const IN_FLIGHT: [usize; 3] = [1, 16, 64];
/// In how many turns writes are measured.
const ROUNDS: u32 = 10;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Amount {
    /// Number of resources in lists
    #[arg(long, value_name = "N", default_value = "100000")]
    resources: usize,
    /// How long each kind of write goes on, in milliseconds
    #[arg(long, value_name = "MS", default_value = "2000")]
    time: u64,
}

/// Measures all stores, one kind of work after the other, so that what is compared meets the same machine.
pub(crate) fn measure(amount: Amount) -> Result<Report, BenchError> {
    let runtime = tokio::runtime::Runtime::new().map_err(BenchError::Runtime)?;
    let time = Duration::from_millis(amount.time);
    let mut report = Report::default();
    for in_flight in IN_FLIGHT {
        eprintln!("measuring {in_flight} at a time ..");
        let (mut bare, mut quick) = (Rounds::default(), Rounds::default());
        let mut stores = Kind::ALL.map(|kind| (kind, Rounds::default()));
        // In turns: a disk is not as quick at one time as at another.
        for _ in 0..ROUNDS {
            bare::writes(in_flight, false, time / ROUNDS, &mut bare)?;
            for (kind, rounds) in &mut stores {
                runtime.block_on(writes::writes(*kind, in_flight, time / ROUNDS, rounds))?;
            }
            bare::writes(in_flight, true, time / ROUNDS, &mut quick)?;
        }
        let bare = bare.rate();
        let step = || format!("{in_flight} writes at a time");
        for (kind, rounds) in stores {
            let beside = matches!(kind, Kind::Redb).then_some(bare.per_second);
            report.add(Row::rate(step(), kind.name(), &rounds.rate(), beside));
        }
        report.add(Row::rate(step(), "bare redb", &bare, None));
        report.add(Row::rate(step(), "quick repair", &quick.rate(), None));
    }
    for kind in Kind::ALL {
        eprintln!("measuring watches and lists of {} ..", kind.name());
        let rate = runtime.block_on(watched::latency(kind, time))?;
        report.add(Row::rate("write to watch".to_owned(), kind.name(), &rate, None));
        runtime.block_on(lists::lists(kind, amount.resources, &mut report))?;
        held::measure(kind, amount.resources, &mut report)?;
    }
    held::repair_quickly(amount.resources, &mut report)?;
    Ok(report)
}

/// Fills a store, says what that costs, and holds it until somebody ends the process.
pub(crate) fn hold(kind: Kind, folder: &Path, resources: usize) -> Result<(), BenchError> {
    held::hold(kind, folder, resources)
}
