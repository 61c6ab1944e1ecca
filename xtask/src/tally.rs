//! Adds up what the test programs report.

use std::collections::BTreeSet;
use std::fmt;

/// The sum over all test programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// `name: reason`, in the order of the names; several processes may report one test.
    skips: BTreeSet<String>,
}

impl Tally {
    /// Reads one line that a test program printed.
    pub(crate) fn read_line(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.add_counts(counts);
        } else if let Some((name, rest)) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ignored"))
        {
            let reason = rest.strip_prefix(", ").unwrap_or("marked as ignored, without a reason");
            self.skips.insert(format!("{name}: {reason}"));
        }
    }

    /// Reads `ok. 3 passed; 0 failed; ...`.
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

    /// Counts one test.
    pub(crate) fn add(&mut self, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }

    /// Adds what ran elsewhere.
    pub(crate) fn add_all(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skips.extend(other.skips);
    }

    /// Reads what tests wrote into the skip report.
    pub(crate) fn add_skip_report(&mut self, report: &str) {
        let lines = report.lines().map(str::trim).filter(|line| !line.is_empty());
        self.skips.extend(lines.map(String::from));
    }

    /// What did not run, as `name: reason`.
    pub(crate) fn skips(&self) -> &BTreeSet<String> {
        &self.skips
    }
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
