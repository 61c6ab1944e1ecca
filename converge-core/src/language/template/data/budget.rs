//! The limit on what one run of a template may cost.

use std::cell::Cell;

use super::super::error::TemplateErrorKind as Kind;
use super::datum::{Data, Datum};
use crate::types::budget::WorkBudget;

/// Steps of one run. A real template takes a few hundred; templates that call each other twice would
/// otherwise run for ever.
const MAX_STEPS: usize = 4 << 20;

/// Bytes of text that count as one step.
const BYTES_PER_STEP: usize = 16;

/// The longest text that one value may be, in bytes.
pub(crate) const MAX_TEXT: usize = MAX_STEPS * BYTES_PER_STEP;

/// How deep a run may nest: blocks, expressions and calls of templates together. Small enough for the
/// stack of a worker thread in a debug build.
pub(crate) const MAX_DEPTH: usize = 200;

/// What is left of the limit. What was taken is counted against what all evaluations share when it is dropped.
#[derive(Debug)]
pub(crate) struct RunBudget<'a> {
    given: usize,
    steps: Cell<usize>,
    shared: Option<&'a WorkBudget>,
}

impl<'a> RunBudget<'a> {
    /// The limit of one run, or what is left for all if that is less.
    pub(crate) fn new(shared: Option<&'a WorkBudget>) -> Self {
        let steps = shared.map_or(MAX_STEPS, |shared| shared.steps(MAX_STEPS));
        Self { given: steps, steps: Cell::new(steps), shared }
    }

    /// What another evaluation has left, which counts the steps itself.
    pub(crate) fn within(steps: usize) -> Self {
        let steps = steps.min(MAX_STEPS);
        Self { given: steps, steps: Cell::new(steps), shared: None }
    }

    pub(crate) fn spend(&self, steps: usize) -> Result<(), Kind> {
        let left = self.steps.get().checked_sub(steps);
        self.steps.set(left.unwrap_or(0));
        left.map(drop).ok_or_else(|| self.failure())
    }

    /// Why there are not enough steps: this run takes too many, or all together do.
    fn failure(&self) -> Kind {
        match self.shared {
            Some(shared) if self.given < MAX_STEPS => {
                shared.exhaust();
                Kind::TooMuchTogether { steps: shared.limits().steps }
            }
            _ => Kind::TooMuchWork,
        }
    }

    /// The steps that were taken.
    pub(crate) fn spent(&self) -> usize {
        self.given - self.steps.get()
    }

    pub(crate) fn spend_bytes(&self, bytes: usize) -> Result<(), Kind> {
        self.spend(bytes / BYTES_PER_STEP)
    }

    /// Counts a value that was made, or is about to be looked through.
    pub(crate) fn spend_datum(&self, datum: &Datum) -> Result<(), Kind> {
        match &datum.data {
            Data::Text(text) => self.spend_bytes(text.len()),
            Data::List(items) => {
                self.spend(items.len())?;
                items.iter().try_for_each(|item| self.spend_datum(item))
            }
            Data::Map(items) => {
                self.spend(items.len())?;
                items.iter().try_for_each(|(_, item)| self.spend_datum(item))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for RunBudget<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared {
            shared.spend(self.spent());
        }
    }
}
