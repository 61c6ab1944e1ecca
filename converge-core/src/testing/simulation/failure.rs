//! What a simulation found, with all that is needed to see it again.

use std::fmt;

use super::scenario::Scenario;

/// How many lines of a run are shown.
const MOST_LINES: usize = 60;

/// What is wrong, in the smallest scenario that was found.
#[derive(Clone, Debug)]
pub struct Found {
    pub(super) seed: Option<u64>,
    pub(super) scenario: Scenario,
    pub(super) smallest: Scenario,
    pub(super) wrong: Wrong,
}

/// What is wrong with a scenario, and what happened in it.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    pub(super) reason: String,
    pub(super) lines: Vec<String>,
}

impl Found {
    /// The seed; `None` when a scenario was replayed, or when not even a run without any trouble holds.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// What the seed made, before it was made smaller.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The smallest scenario in which something is wrong.
    pub fn smallest(&self) -> &Scenario {
        &self.smallest
    }

    /// What is wrong in it.
    pub fn reason(&self) -> &str {
        &self.wrong.reason
    }
}

/// What is wrong, the seed, what happened, and the line that replays it.
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
