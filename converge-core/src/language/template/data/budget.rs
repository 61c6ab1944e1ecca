//! What a run of a template pays for.

use super::datum::{Data, Datum};
use crate::language::budget::{BYTES_PER_STEP, MAX_STEPS, OutOfSteps, StepBudget};

/// The longest text that one value may be, in bytes.
pub(crate) const MAX_TEXT: usize = MAX_STEPS * BYTES_PER_STEP;

/// How deep a run may nest: blocks, expressions and calls of templates together. Small enough for the
/// stack of a worker thread in a debug build.
pub(crate) const MAX_DEPTH: usize = 200;

/// Counts a value that was made, or is about to be looked through.
pub(crate) fn spend_datum(budget: &StepBudget<'_>, datum: &Datum) -> Result<(), OutOfSteps> {
    match &datum.data {
        Data::Text(text) => budget.spend_bytes(text.len()),
        Data::List(items) => {
            budget.spend(items.len())?;
            items.iter().try_for_each(|item| spend_datum(budget, item))
        }
        Data::Map(items) => {
            budget.spend(items.len())?;
            items.iter().try_for_each(|(_, item)| spend_datum(budget, item))
        }
        _ => Ok(()),
    }
}
