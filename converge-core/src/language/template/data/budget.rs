//! The limit on what one run of a template may cost.

use super::super::error::TemplateErrorKind as Kind;

/// Steps of one run. A real template takes a few hundred; templates that call each other twice would
/// otherwise run for ever.
const MAX_STEPS: usize = 4 << 20;

/// Bytes of text that count as one step.
const BYTES_PER_STEP: usize = 64;

/// How deep a run may nest: blocks, expressions and calls of templates together. Small enough for the
/// stack of a worker thread in a debug build.
pub(crate) const MAX_DEPTH: usize = 200;

/// What is left of the limit.
#[derive(Debug)]
pub(crate) struct RunBudget {
    steps: usize,
}

impl RunBudget {
    pub(crate) fn new() -> Self {
        Self { steps: MAX_STEPS }
    }

    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), Kind> {
        self.steps = self.steps.checked_sub(steps).ok_or(Kind::TooMuchWork)?;
        Ok(())
    }

    /// The steps that were taken.
    pub(crate) fn spent(&self) -> usize {
        MAX_STEPS - self.steps
    }

    pub(crate) fn spend_bytes(&mut self, bytes: usize) -> Result<(), Kind> {
        self.spend(bytes / BYTES_PER_STEP)
    }
}
