//! The table of engine measurements.

use std::fmt::{self, Write as _};
use std::time::Duration;

/// The measurements at one number of resources.
///
/// Times are medians.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) resources: usize,
    pub(crate) bare_verify: Duration,
    pub(crate) bare_create: Duration,
    pub(crate) bare_durable: Duration,
    pub(crate) load: Duration,
    pub(crate) plan: Duration,
    pub(crate) process: Duration,
    /// The time with two resources for each file.
    pub(crate) process_with_modes: Duration,
    pub(crate) first_apply: Duration,
    /// The peak memory of the process in KiB.
    pub(crate) peak_memory: u64,
}

/// All rows in ascending order of size.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    /// The peak memory in KiB of a process with one resource: the fixed cost of the process.
    pub(crate) base_memory: u64,
}

/// The target: the highest cost as a multiple of the bare loop.
const PLAN_AIM: f64 = 2.0;
const PROCESS_AIM: f64 = 8.0;
const PROCESS_WITH_MODES_AIM: f64 = 2.5;
const APPLY_AIM: f64 = 1.3;
/// The target in KiB per resource.
const MEMORY_AIM: f64 = 4.0;

#[expect(clippy::cast_precision_loss, reason = "a table shows three digits")]
fn each(total: f64, resources: usize) -> f64 {
    total / resources as f64
}

fn micros(total: Duration, resources: usize) -> f64 {
    each(total.as_secs_f64() * 1e6, resources)
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>8}  {:<12} {:>12} {:>10} {:>8} {:>8}  aim",
            "N", "step", "us/resource", "bare us", "ratio", "growth"
        )?;
        let Some(first) = self.rows.first() else { return Ok(()) };
        for row in &self.rows {
            let n = row.resources;
            let time = |f: &mut fmt::Formatter<'_>,
                        step: &str,
                        of: fn(&Row) -> Duration,
                        bare: Option<Duration>,
                        aim: Option<f64>| {
                let cost = micros(of(row), n);
                let growth = cost / micros(of(first), first.resources);
                write!(f, "{n:>8}  {step:<12} {cost:>12.2} ")?;
                let ratio = bare.map(|baseline| of(row).as_secs_f64() / baseline.as_secs_f64());
                match (bare, ratio) {
                    (Some(bare), Some(ratio)) => write!(f, "{:>10.2} {ratio:>7.2}x ", micros(bare, n))?,
                    _ => write!(f, "{:>10} {:>8} ", "-", "-")?,
                }
                write!(f, "{growth:>7.2}x  ")?;
                match (ratio, aim) {
                    (Some(ratio), Some(aim)) => writeln!(f, "<= {aim}x {}", reached(ratio <= aim)),
                    _ => writeln!(f, "-"),
                }
            };
            time(f, "load", |row| row.load, None, None)?;
            time(f, "plan", |row| row.plan, Some(row.bare_verify), Some(PLAN_AIM))?;
            time(f, "process", |row| row.process, Some(row.bare_verify), Some(PROCESS_AIM))?;
            let aim = Some(PROCESS_WITH_MODES_AIM);
            time(f, "with modes", |row| row.process_with_modes, Some(row.bare_verify), aim)?;
            time(f, "first apply", |row| row.first_apply, Some(row.bare_durable), Some(APPLY_AIM))?;
            time(f, "not flushed", |row| row.first_apply, Some(row.bare_create), None)?;
            self.memory(f, row)?;
        }
        Ok(())
    }
}

impl Table {
    fn memory(&self, f: &mut fmt::Formatter<'_>, row: &Row) -> fmt::Result {
        let mut line = format!("{:>8}  {:<12} ", row.resources, "memory");
        match row.resources.checked_sub(1) {
            None | Some(0) => write!(line, "{} KiB at most", row.peak_memory)?,
            Some(others) => {
                #[expect(clippy::cast_precision_loss, reason = "a table shows three digits")]
                let grown = row.peak_memory.saturating_sub(self.base_memory) as f64;
                let per_resource = each(grown, others);
                let reached = reached(per_resource < MEMORY_AIM);
                write!(
                    line,
                    "{per_resource:.2} KiB/resource (at most {} KiB, {} KiB with one)  < {MEMORY_AIM} KiB {reached}",
                    row.peak_memory, self.base_memory
                )?;
            }
        }
        writeln!(f, "{line}")
    }
}

fn reached(reached: bool) -> &'static str {
    if reached { "reached" } else { "not reached" }
}

/// Returns the median, or zero for no values.
pub(crate) fn median<T: Ord + Copy + Default>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        #[track_caller]
        fn check(values: &[u32], expect: u32) {
            assert_eq!(median(values.to_vec()), expect, "{values:?}");
        }
        check(&[], 0);
        check(&[7], 7);
        check(&[9, 1, 5], 5);
        check(&[4, 3, 2, 1], 3);
    }

    #[test]
    fn rows() {
        let row = |resources, unit: u64| Row {
            resources,
            bare_verify: Duration::from_micros(10 * unit),
            bare_create: Duration::from_micros(10 * unit),
            bare_durable: Duration::from_micros(20 * unit),
            load: Duration::from_micros(4 * unit),
            plan: Duration::from_micros(15 * unit),
            process: Duration::from_micros(100 * unit),
            process_with_modes: Duration::from_micros(20 * unit),
            first_apply: Duration::from_micros(26 * unit),
            peak_memory: 1_000 + 3 * unit,
        };
        let table = Table { rows: vec![row(1, 1), row(101, 200)], base_memory: 1_000 };
        let expect = "
       N  step          us/resource    bare us    ratio   growth  aim
       1  load                 4.00          -        -    1.00x  -
       1  plan                15.00      10.00    1.50x    1.00x  <= 2x reached
       1  process            100.00      10.00   10.00x    1.00x  <= 8x not reached
       1  with modes          20.00      10.00    2.00x    1.00x  <= 2.5x reached
       1  first apply         26.00      20.00    1.30x    1.00x  <= 1.3x reached
       1  not flushed         26.00      10.00    2.60x    1.00x  -
       1  memory       1003 KiB at most
     101  load                 7.92          -        -    1.98x  -
     101  plan                29.70      19.80    1.50x    1.98x  <= 2x reached
     101  process            198.02      19.80   10.00x    1.98x  <= 8x not reached
     101  with modes          39.60      19.80    2.00x    1.98x  <= 2.5x reached
     101  first apply         51.49      39.60    1.30x    1.98x  <= 1.3x reached
     101  not flushed         51.49      19.80    2.60x    1.98x  -
     101  memory       6.00 KiB/resource (at most 1600 KiB, 1000 KiB with one)  < 4 KiB not reached
";
        assert_eq!(format!("\n{table}"), expect);
    }
}
