//! How a new version of a module comes to its nodes.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use converge_controller::validation::Invalid;
use converge_controller::{StoredEnum, StoredMessage};

/// How long a node has until it is well, where nobody says.
const TIME_LIMIT: Duration = Duration::from_mins(10);
/// How many nodes are under way at the same time, where nobody says.
const AT_ONCE: &str = "1";

/// What is done when more nodes fail than may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum OnFailure {
    /// Nobody has said: they go back.
    Unspecified = 0,
    /// All nodes go back to the last version that was well everywhere.
    RollBack = 1,
    /// Nodes stay as they are, and no other node gets the version.
    Stop = 2,
}

/// How a new version of a module comes to its nodes: some first, then the others, so many at a time, as long as they are well.
///
/// A node is well when its agent reports that the machine is as the module says, with all its `healthcheck`s; with
/// `MODE_REPORT`, that it could look.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Strategy {
    /// How many nodes get it first. The others follow when these are well.
    #[stored(tag = 1)]
    pub canary: u32,
    /// How many of the others may be under way at the same time: a number or, of all nodes, percent (`25%`, rounded up); 1 where
    /// nothing is said.
    #[stored(tag = 2)]
    pub at_once: String,
    /// How many nodes may fail without an end to it: a number or percent (rounded down); none where nothing is said.
    #[stored(tag = 3)]
    pub failures: String,
    /// How long a node has until it is well. One that is not has failed; 10 minutes where nothing is said.
    #[stored(tag = 4)]
    pub time_limit: Duration,
    /// How long a node has to be well until it counts.
    #[stored(tag = 5)]
    pub well_for: Duration,
    /// What is done when more nodes fail than may; they go back where nothing is said.
    #[stored(tag = 6)]
    pub on_failure: OnFailure,
    /// No further node gets the version, as long as this is so.
    #[stored(tag = 7)]
    pub paused: bool,
    /// Another number tries a version again that was given up.
    #[stored(tag = 8)]
    pub attempt: u32,
}

impl Strategy {
    /// Says what nobody has said.
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
                    "is none: no node would ever get the version; to wait, use paused",
                );
            }
            Err(error) => invalid.field("at_once").add(error.to_string()),
        }
        if let Err(error) = self.failures.parse::<Share>() {
            invalid.field("failures").add(error.to_string());
        }
        invalid.finish()
    }

    /// How many of so many nodes may be under way at the same time: at least one.
    pub(crate) fn most_under_way(&self, nodes: usize) -> usize {
        let most = match self.at_once.parse() {
            Ok(Share::Count(count)) => count,
            Ok(Share::Percent(percent)) => (nodes * percent).div_ceil(100),
            Err(_) => 1,
        };
        most.max(1)
    }

    /// How many of so many nodes may fail.
    pub(crate) fn most_failures(&self, nodes: usize) -> usize {
        match self.failures.parse() {
            Ok(Share::Count(count)) => count,
            Ok(Share::Percent(percent)) => nodes * percent / 100,
            Err(_) => 0,
        }
    }
}

/// So many, or such a part of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    Count(usize),
    /// Of a hundred.
    Percent(usize),
}

/// A text is no [`Share`].
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
            // A sign is none of them.
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
        fn check(written: &str, nodes: usize, at_once: usize, failures: usize) {
            let (at_once, failures) = ((written, at_once), (written, failures));
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
        for wrong in ["", "%", "-1", "+1", "1.5", "101%", "-1%", "4294967296", "2 %", " 2"] {
            check(wrong, Err(InvalidShare));
        }
    }
}
