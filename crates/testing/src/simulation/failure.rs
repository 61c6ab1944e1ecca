//! A failure that a simulation found, with everything needed to reproduce it.

use std::fmt;

use super::scenario::Scenario;
use converge_value::debug_as_text;

/// The maximum number of lines of a run in the message.
const MOST_LINES: usize = 60;

/// A failure of a simulation, with the smallest scenario that shows it.
#[derive(Clone)]
pub struct Found {
    pub(super) seed: Option<u64>,
    pub(super) scenario: Scenario,
    pub(super) smallest: Scenario,
    pub(super) wrong: Wrong,
}

debug_as_text!(Found);

#[derive(Clone, Debug)]
pub(super) struct Wrong {
    pub(super) reason: String,
    pub(super) lines: Vec<String>,
}

impl Found {
    /// Returns the seed, or `None` for a replayed scenario or a failure without any trouble.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Returns the original scenario of the seed.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the smallest scenario that fails.
    pub fn smallest(&self) -> &Scenario {
        &self.smallest
    }

    /// Returns the reason of the failure.
    pub fn reason(&self) -> &str {
        &self.wrong.reason
    }
}

/// Writes the reason, the seed, the events and the line that replays the failure.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, scenario, smallest, wrong } = self;
        writeln!(f, "{}", wrong.reason)?;
        if let Some(seed) = seed {
            writeln!(
                f,
                "\nthe simulation of seed {seed} failed; CONVERGE_SEED={seed} runs it alone: {scenario}"
            )?;
        }
        if wrong.lines.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nThis replays the smallest that was found, in the place of `.run()`:\n")?;
        writeln!(f, "    .replay(\"{smallest}\")\n\nWhat happened in it:\n")?;
        for line in wrong.lines.iter().take(MOST_LINES) {
            writeln!(f, "  {line}")?;
        }
        match wrong.lines.len().saturating_sub(MOST_LINES) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more lines"),
        }
    }
}

impl std::error::Error for Found {}
