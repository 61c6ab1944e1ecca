//! The work limits of a template run.

use super::datum::{Data, Datum};
use crate::language::budget::{BYTES_PER_STEP, MAX_STEPS, OutOfSteps, StepBudget};

/// The maximum length of one text value in bytes.
pub(crate) const MAX_TEXT: usize = MAX_STEPS * BYTES_PER_STEP;

/// The maximum nesting depth of a run: blocks, expressions and template calls together.
///
/// The limit fits the stack of a worker thread in a debug build.
pub(crate) const MAX_DEPTH: usize = 200;

/// Counts a value that was created, or is about to be traversed.
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
