//! The strategy of a rollout.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use converge_controller::validation::Invalid;
use converge_controller::{StoredEnum, StoredMessage};

/// The default time for a node to become healthy.
const TIME_LIMIT: Duration = Duration::from_mins(10);
/// The default number of nodes that get a revision at the same time.
const AT_ONCE: &str = "1";

/// The reaction to more failed nodes than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum OnFailure {
    /// Not given: nodes roll back.
    Unspecified = 0,
    /// All nodes go back to the last revision that was healthy everywhere.
    RollBack = 1,
    /// Nodes keep what they have, and no further node gets the revision.
    Stop = 2,
}

/// The strategy of a rollout: canaries first, then the other nodes, a limited number at a time.
///
/// The rollout continues as long as few enough nodes fail. A node is healthy when its agent reports that the
/// machine is as the module declares, including all `healthcheck`s. With `MODE_REPORT`, it is healthy when
/// the check succeeded.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Strategy {
    /// The number of nodes that get the revision first.
    ///
    /// The others follow once these are healthy.
    #[stored(tag = 1)]
    pub canary: u32,
    /// The maximum number of nodes in progress at the same time; 1 by default.
    ///
    /// It is a number or a percentage of all nodes (`25%`, rounded up).
    #[stored(tag = 2)]
    pub at_once: String,
    /// The number of nodes that may fail before the rollout fails; none by default.
    ///
    /// It is a number or a percentage of all nodes (rounded down).
    #[stored(tag = 3)]
    pub failures: String,
    /// The time for a node to become healthy before it counts as failed; 10 minutes by default.
    #[stored(tag = 4)]
    pub time_limit: Duration,
    /// The time for which a node must be healthy before it counts.
    #[stored(tag = 5)]
    pub well_for: Duration,
    /// The reaction to more failed nodes than allowed; rollback by default.
    #[stored(tag = 6)]
    pub on_failure: OnFailure,
    /// Whether the rollout is paused.
    ///
    /// While paused, no further node gets the revision.
    #[stored(tag = 7)]
    pub paused: bool,
    /// The attempt number.
    ///
    /// A different number retries a revision whose rollout failed.
    #[stored(tag = 8)]
    pub attempt: u32,
}

impl Strategy {
    /// Fills in the defaults.
    pub(super) fn fill_in(&mut self) {
        if self.at_once.is_empty() {
            AT_ONCE.clone_into(&mut self.at_once);
        }
        if self.failures.is_empty() {
            "0".clone_into(&mut self.failures);
        }
        if self.time_limit.is_zero() {
            self.time_limit = TIME_LIMIT;
        }
        if self.on_failure == OnFailure::Unspecified {
            self.on_failure = OnFailure::RollBack;
        }
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        match self.at_once.parse::<Share>() {
            Ok(share) => {
                invalid.field("at_once").require(
                    share != Share::Count(0) && share != Share::Percent(0),
                    "is 0: no node would ever get the version; to wait, use paused",
                );
            }
            Err(error) => invalid.field("at_once").add(error.to_string()),
        }
        if let Err(error) = self.failures.parse::<Share>() {
            invalid.field("failures").add(error.to_string());
        }
        invalid.finish()
    }

    /// Returns the maximum number of nodes in progress at the same time, at least one.
    pub(crate) fn most_under_way(&self, nodes: usize) -> usize {
        let maximum = match self.at_once.parse() {
            Ok(Share::Count(count)) => count,
            Ok(Share::Percent(percent)) => (nodes * percent).div_ceil(100),
            Err(_) => 1,
        };
        maximum.max(1)
    }

    /// Returns the number of nodes that may fail.
    pub(crate) fn most_failures(&self, nodes: usize) -> usize {
        match self.failures.parse() {
            Ok(Share::Count(count)) => count,
            Ok(Share::Percent(percent)) => nodes * percent / 100,
            Err(_) => 0,
        }
    }
}

/// A number or a percentage of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    Count(usize),
    /// A percentage.
    Percent(usize),
}

/// The error for a text that is no [`Share`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InvalidShare;

impl fmt::Display for InvalidShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is neither a number, such as 2, nor percent from 0% to 100%, such as 25%")
    }
}

impl FromStr for Share {
    type Err = InvalidShare;

    fn from_str(text: &str) -> Result<Self, InvalidShare> {
        let number = |digits: &str| {
            // A sign is not accepted.
            let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
            let number = digits.parse::<u32>().ok().filter(|_| is_number);
            number.and_then(|number| usize::try_from(number).ok()).ok_or(InvalidShare)
        };
        match text.strip_suffix('%') {
            Some(percent) => number(percent).and_then(|percent| {
                if percent <= 100 { Ok(Self::Percent(percent)) } else { Err(InvalidShare) }
            }),
            None => number(text).map(Self::Count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_nodes() {
        #[track_caller]
        fn check(text: &str, nodes: usize, at_once: usize, failures: usize) {
            let (at_once, failures) = ((text, at_once), (text, failures));
            let strategy =
                Strategy { at_once: at_once.0.into(), failures: failures.0.into(), ..Strategy::default() };
            assert_eq!(
                (strategy.most_under_way(nodes), strategy.most_failures(nodes)),
                (at_once.1, failures.1)
            );
        }
        check("1", 10, 1, 1);
        check("0", 10, 1, 0);
        check("30", 10, 30, 30);
        check("25%", 10, 3, 2);
        check("100%", 7, 7, 7);
        check("1%", 7, 1, 0);
        check("50%", 0, 1, 0);
    }

    #[test]
    fn shares() {
        #[track_caller]
        fn check(text: &str, expect: Result<Share, InvalidShare>) {
            assert_eq!(text.parse(), expect, "{text}");
        }
        check("4294967295", Ok(Share::Count(4_294_967_295)));
        check("100%", Ok(Share::Percent(100)));
        for invalid in ["", "%", "-1", "+1", "1.5", "101%", "-1%", "4294967296", "2 %", " 2"] {
            check(invalid, Err(InvalidShare));
        }
    }
}
