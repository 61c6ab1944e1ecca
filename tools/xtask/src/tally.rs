//! The sum of the results of test programs.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;

/// The number of output lines kept for a failed test, from the end, where the error usually is.
const MOST_LINES: usize = 60;

/// The number of tests whose times are shown.
const SLOWEST: usize = 20;

/// The sum of the results of all test programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// The skipped tests as `name: reason`, in order of names.
    ///
    /// Several processes may report the same test.
    skips: BTreeSet<String>,
    failures: Vec<Failure>,
    /// The times of tests in milliseconds, with their names.
    times: Vec<(u64, String)>,
    /// Whether the output of the last failure continues.
    is_in_failure: bool,
}

/// A failed test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Failure {
    name: String,
    /// The last lines of its output.
    said: VecDeque<String>,
}

impl Tally {
    /// Parses one line of a test program's output.
    pub(crate) fn read_line(&mut self, line: &str) {
        let line = line.trim_end();
        // After the results, a test program prints `failures:`, the output of each, `failures:` again, and
        // their names.
        if let Some(name) =
            line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" ----")?.strip_suffix(" stdout"))
        {
            self.failures.push(Failure { name: name.to_owned(), said: VecDeque::new() });
            self.is_in_failure = true;
        } else if line == "failures:" {
            self.is_in_failure = false;
        } else if let Some(failure) = self.failures.last_mut().filter(|_| self.is_in_failure) {
            failure.said.push_back(line.to_owned());
            if failure.said.len() > MOST_LINES {
                failure.said.pop_front();
            }
        } else if let Some(counts) = line.strip_prefix("test result: ") {
            self.add_counts(counts);
        } else if let Some((name, time)) = parse_time(line) {
            self.times.push((time, name.to_owned()));
        } else if let Some((name, rest)) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ignored"))
        {
            let reason = rest.strip_prefix(", ").unwrap_or("marked as ignored, without a reason");
            self.skips.insert(format!("{name}: {reason}"));
        }
    }

    /// Parses `ok. 3 passed; 0 failed; ...`.
    fn add_counts(&mut self, counts: &str) {
        let Some((_, counts)) = counts.split_once(". ") else { return };
        for count in counts.split("; ") {
            let Some((number, word)) = count.split_once(' ') else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                _ => {}
            }
        }
    }

    pub(crate) fn add(&mut self, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }

    /// Adds the results of another tally.
    pub(crate) fn add_all(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skips.extend(other.skips);
        self.failures.extend(other.failures);
        self.times.extend(other.times);
    }

    /// Returns the slowest tests with their times, one on a line.
    pub(crate) fn slowest(&self) -> String {
        let mut times: Vec<_> = self.times.iter().collect();
        times.sort_by_key(|(time, name)| (Reverse(*time), name));
        let line =
            |(time, name): &(u64, String)| format!("{:>5}.{} s  {name}\n", time / 1000, time % 1000 / 100);
        times.into_iter().take(SLOWEST).map(line).collect()
    }

    /// Parses the skip report of the tests.
    pub(crate) fn add_skip_report(&mut self, report: &str) {
        let lines = report.lines().map(str::trim).filter(|line| !line.is_empty());
        self.skips.extend(lines.map(String::from));
    }

    /// Returns the output of failed tests with their names, for the end of the output.
    ///
    /// Readers look there first.
    pub(crate) fn failures(&self) -> String {
        let failures = self.failures.iter().map(|Failure { name, said }| {
            let said: Vec<&str> = said.iter().map(String::as_str).collect();
            format!("failed: {name}\n{}\n", said.join("\n").trim_matches('\n'))
        });
        failures.collect()
    }

    /// Returns the skipped tests as `name: reason`.
    pub(crate) fn skips(&self) -> &BTreeSet<String> {
        &self.skips
    }
}

/// Parses `test a::b ... ok <1.234s>`, with the time in milliseconds.
fn parse_time(line: &str) -> Option<(&str, u64)> {
    let (name, time) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let (seconds, fraction) = time.strip_suffix("s>")?.split_once('<')?.1.split_once('.')?;
    Some((name, seconds.parse::<u64>().ok()?.checked_mul(1000)? + fraction.parse::<u64>().ok()?))
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skips.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, report: &str, expect: &str, skips: &[&str]) {
        let mut tally = Tally::default();
        output.split_inclusive('\n').for_each(|line| tally.read_line(line));
        tally.add_skip_report(report);
        assert_eq!(tally.to_string(), expect);
        assert_eq!(tally.skips().iter().map(String::as_str).collect::<Vec<_>>(), skips);
    }

    #[test]
    fn what_failed_tests_said_is_kept() {
        let read = |output: &str| {
            let mut tally = Tally::default();
            output.split_inclusive('\n').for_each(|line| tally.read_line(line));
            (tally.failures(), tally.to_string())
        };
        let (said, sum) = read(
            "running 2 tests\ntest a::b ... FAILED\ntest c ... FAILED\n\nfailures:\n\n---- a::b stdout ----\n\nthread 'a::b' \
             panicked at x.rs:1:1:\ntest result: not one. 7 passed\n\n\n---- c stdout ----\nwhy\n\n\nfailures:\n    a::b\n    c\n\n\
             test result: FAILED. 0 passed; 2 failed; 0 ignored\n\nrunning 0 tests\n",
        );
        assert_eq!(
            said,
            "failed: a::b\nthread 'a::b' panicked at x.rs:1:1:\ntest result: not one. 7 passed\nfailed: c\nwhy\n"
        );
        assert_eq!(sum, "0 passed, 2 failed, 0 skipped");
        let many: Vec<String> = (0..1000).map(|line| line.to_string()).collect();
        let (said, _) = read(&format!("---- a stdout ----\n{}\n", many.join("\n")));
        assert_eq!(said.lines().count(), 1 + MOST_LINES);
        assert!(said.ends_with("\n999\n"));
    }

    #[test]
    fn the_slowest_tests_are_listed_first() {
        let mut tally = Tally::default();
        let lines = ["test a ... ok <0.009s>", "test b::c ... FAILED <12.345s>", "test d ... ok <1.500s>"];
        for line in lines {
            tally.read_line(line);
        }
        assert_eq!(tally.slowest(), "   12.3 s  b::c\n    1.5 s  d\n    0.0 s  a\n");
        for number in 0..100 {
            tally.read_line(&format!("test t{number} ... ok <2.000s>"));
        }
        assert_eq!(tally.slowest().lines().count(), SLOWEST);
    }

    #[test]
    fn sums() {
        check("", "", "0 passed, 0 failed, 0 skipped", &[]);
        check(
            "running 2 tests\n\
             test a ... ok\n\
             test b ... ignored, needs a disk\n\
             test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
             test src/lib.rs - x (line 3) ... ignored\n\
             test result: FAILED. 20 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out\n",
            "",
            "21 passed, 3 failed, 2 skipped",
            &["b: needs a disk", "src/lib.rs - x (line 3): marked as ignored, without a reason"],
        );
        check(
            "    test result: ok. 1 passed; 0 failed\nthe test result: ok. 1 passed\ntest result: odd\n",
            "owner: not root\n\nowner: not root\nmount: no /proc\n",
            "0 passed, 0 failed, 2 skipped",
            &["mount: no /proc", "owner: not root"],
        );
    }
}
