//! What a run of a template pays for.

use super::super::error::TemplateErrorKind as Kind;
use super::datum::{Data, Datum};
use crate::language::budget::{BYTES_PER_STEP, MAX_STEPS, OutOfSteps, StepBudget};
use crate::types::budget::WorkBudget;

/// The longest text that one value may be, in bytes.
pub(crate) const MAX_TEXT: usize = MAX_STEPS * BYTES_PER_STEP;

/// How deep a run may nest: blocks, expressions and calls of templates together. Small enough for the
/// stack of a worker thread in a debug build.
pub(crate) const MAX_DEPTH: usize = 200;

/// What is left for one run.
#[derive(Debug)]
pub(crate) struct RunBudget<'a>(StepBudget<'a>);

impl<'a> RunBudget<'a> {
    /// The limit of one run, or what is left for all if that is less.
    pub(crate) fn new(shared: Option<&'a WorkBudget>) -> Self {
        Self(StepBudget::new(MAX_STEPS, shared))
    }

    /// What another evaluation has left, which counts the steps itself.
    pub(crate) fn within(steps: usize, shared: Option<&'a WorkBudget>) -> Self {
        Self(StepBudget::part(steps.min(MAX_STEPS), shared))
    }

    pub(crate) fn spend(&self, steps: usize) -> Result<(), Kind> {
        self.0.spend(steps).map_err(Kind::from)
    }

    /// The steps that were taken.
    pub(crate) fn spent(&self) -> usize {
        self.0.spent()
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

impl From<OutOfSteps> for Kind {
    fn from(out: OutOfSteps) -> Self {
        match out {
            OutOfSteps::Alone => Self::TooMuchWork,
            OutOfSteps::Together(steps) => Self::TooMuchTogether { steps },
            OutOfSteps::Stopped(reason) => Self::Stopped(reason),
        }
    }
}
