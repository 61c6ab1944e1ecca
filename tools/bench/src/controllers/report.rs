//! The table of controller measurements.

use std::fmt::{self, Write as _};
use std::time::Duration;

/// The measured baseline of a store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Baseline {
    /// The number of the same operations per second.
    pub(super) per_second: f64,
    /// The target: the highest factor by which the store may be slower.
    pub(super) aim: f64,
}

/// The number of operations in a time, and the latency of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) per_second: f64,
    middle: Duration,
    /// The latency that one operation of a hundred exceeds.
    slow: Duration,
}

/// The operations of several rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    latencies: Vec<Duration>,
    elapsed: Duration,
}

impl Rounds {
    pub(super) fn add(&mut self, latencies: Vec<Duration>, elapsed: Duration) {
        self.latencies.extend(latencies);
        self.elapsed += elapsed;
    }

    pub(super) fn rate(self) -> Rate {
        Rate::from_latencies(self.latencies, self.elapsed)
    }
}

impl Rate {
    pub(super) fn from_latencies(mut latencies: Vec<Duration>, elapsed: Duration) -> Self {
        latencies.sort_unstable();
        let percentile =
            |hundredth: usize| latencies.get(latencies.len() * hundredth / 100).copied().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "a table shows three digits")]
        let per_second = latencies.len() as f64 / elapsed.as_secs_f64();
        Self { per_second, middle: percentile(50), slow: percentile(99) }
    }
}

/// One line of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    step: String,
    store: &'static str,
    measured: String,
}

impl Row {
    /// Creates a row with operations per second, next to those of a baseline.
    pub(super) fn rate(step: String, store: &'static str, rate: &Rate, baseline: Option<Baseline>) -> Self {
        let micros = |duration: Duration| duration.as_secs_f64() * 1e6;
        let mut measured = format!(
            "{:>9.0}/s  p50 {:>8.0} us  p99 {:>8.0} us",
            rate.per_second,
            micros(rate.middle),
            micros(rate.slow)
        );
        if let Some(Baseline { per_second, aim }) = baseline {
            let ratio = per_second / rate.per_second;
            let _ = write!(measured, "  {ratio:.2}x bare  <= {aim}x {}", reached(ratio <= aim));
        }
        Self { step, store, measured }
    }

    /// Creates a row with the latency of an operation and its target at p99.
    pub(super) fn latency(step: &str, store: &'static str, rate: &Rate, aim: Option<Duration>) -> Self {
        let mut row = Self::rate(step.to_owned(), store, rate, None);
        if let Some(aim) = aim {
            let _ = write!(row.measured, "  p99 <= {} us {}", aim.as_micros(), reached(rate.slow <= aim));
        }
        row
    }

    /// Creates a row with a number of items and the time for all of them.
    #[expect(clippy::cast_precision_loss, reason = "a table shows three digits")]
    pub(super) fn count(step: String, store: &'static str, count: usize, time: Duration) -> Self {
        let (per_second, millis) = (count as f64 / time.as_secs_f64(), time.as_secs_f64() * 1e3);
        Self { step, store, measured: format!("{per_second:>9.0}/s  {millis:.0} ms") }
    }

    pub(super) fn time(step: String, store: &'static str, time: Duration) -> Self {
        let millis = time.as_secs_f64() * 1e3;
        let measured =
            if millis < 0.1 { format!("{:>9.2} us", millis * 1e3) } else { format!("{millis:>9.2} ms") };
        Self { step, store, measured }
    }

    /// Creates a row with the size of a number of resources.
    #[expect(clippy::cast_precision_loss, reason = "a table shows three digits")]
    pub(super) fn bytes(step: String, store: &'static str, bytes: u64, resources: usize) -> Self {
        let (mebibytes, per_resource) = (bytes as f64 / f64::from(1 << 20), bytes as f64 / resources as f64);
        Self { step, store, measured: format!("{mebibytes:>9.1} MiB  {per_resource:.0} bytes each") }
    }
}

fn reached(reached: bool) -> &'static str {
    if reached { "reached" } else { "not reached" }
}

/// All rows in the order of measurement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report(Vec<Row>);

impl Report {
    pub(super) fn add(&mut self, row: Row) {
        self.0.push(row);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Row { step, store, measured } in &self.0 {
            writeln!(f, "{step:<22} {store:<13} {measured}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let latencies = (1..=200).map(Duration::from_micros).collect();
        let rate = Rate::from_latencies(latencies, Duration::from_millis(100));
        let mut report = Report::default();
        let comparison = |per_second, aim| Some(Baseline { per_second, aim });
        report.add(Row::rate("64 writes at a time".to_owned(), "redb", &rate, comparison(2_500.0, 1.5)));
        report.add(Row::rate("64 writes at a time".to_owned(), "etcd", &rate, comparison(4_000.0, 1.2)));
        report.add(Row::rate("write to watch".to_owned(), "memory", &rate, None));
        let millis = |millis| Some(Duration::from_millis(millis));
        report.add(Row::latency("write to reconcile", "memory", &rate, millis(1)));
        report.add(Row::latency("write to reconcile", "memory", &rate, millis(0)));
        report.add(Row::count("queue of 1000".to_owned(), "redb", 1_000, Duration::from_millis(50)));
        report.add(Row::time("read of one".to_owned(), "redb", Duration::from_nanos(1_500)));
        report.add(Row::time("list of 7".to_owned(), "redb", Duration::from_millis(27)));
        report.add(Row::bytes("file of 1024".to_owned(), "redb", 3 << 20, 1_024));
        let expect = "
64 writes at a time    redb               2000/s  p50      101 us  p99      199 us  1.25x bare  <= 1.5x reached
64 writes at a time    etcd               2000/s  p50      101 us  p99      199 us  2.00x bare  <= 1.2x not reached
write to watch         memory             2000/s  p50      101 us  p99      199 us
write to reconcile     memory             2000/s  p50      101 us  p99      199 us  p99 <= 1000 us reached
write to reconcile     memory             2000/s  p50      101 us  p99      199 us  p99 <= 0 us not reached
queue of 1000          redb              20000/s  50 ms
read of one            redb               1.50 us
list of 7              redb              27.00 ms
file of 1024           redb                3.0 MiB  3072 bytes each
";
        assert_eq!(format!("\n{report}"), expect);
    }
}
