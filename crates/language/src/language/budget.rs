//! The work limit of one evaluation of an expression or a template.
//!
//! Work is counted in steps. Copies, text and nested template runs cost steps too. The limit bounds time and
//! memory, and does not depend on the machine.

use std::cell::Cell;

use crate::types::budget::WorkBudget;
use crate::types::cancellation::StopReason;
use crate::types::value::Value;

/// The maximum number of steps of one evaluation.
///
/// A real expression or template takes a few hundred. The limit stops nested loops, lists that are doubled
/// repeatedly and templates that call each other twice.
#[doc(hidden)]
pub const MAX_STEPS: usize = 4 << 20;

/// The number of bytes of text that count as one step.
pub(super) const BYTES_PER_STEP: usize = 16;

/// The number of steps between two checks for cancellation, about a millisecond of work.
const STEPS_PER_STOP_CHECK: usize = 1 << 14;

/// The remaining steps of one evaluation.
///
/// Dropping the budget counts the spent steps against the shared [`WorkBudget`].
#[derive(Debug)]
pub(crate) struct StepBudget<'a> {
    /// The limit for this sort of evaluation.
    most: usize,
    given: usize,
    left: Cell<usize>,
    /// The value of `left` at which the evaluation next checks for cancellation.
    next_stop_check: Cell<usize>,
    shared: Option<&'a WorkBudget>,
    /// Whether another budget counts the spent steps.
    is_part: bool,
}

/// The reason why an expression or a template was not evaluated to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutOfSteps {
    /// The evaluation takes too many steps, or produces too much.
    #[error("this takes too many steps: it has too many iterations, or makes too many or too large values")]
    Alone,
    /// All expressions and templates of the load or run together take too many steps.
    #[error("all expressions and templates together take more than {steps} steps; evaluation stopped here")]
    Together {
        /// The maximum number of steps.
        steps: u64,
    },
    /// The operation that needed the value was cancelled.
    #[error("evaluation was stopped here: {0}")]
    Stopped(StopReason),
}

impl<'a> StepBudget<'a> {
    /// Creates a budget of `most` steps, or of what is left in `shared` if that is less.
    pub(super) fn new(maximum: usize, shared: Option<&'a WorkBudget>) -> Self {
        let granted_steps = shared.map_or(maximum, |shared| shared.steps(maximum));
        let next_look = shared
            .and_then(WorkBudget::stop)
            .map_or(0, |_| granted_steps.saturating_sub(STEPS_PER_STOP_CHECK));
        Self {
            most: maximum,
            given: granted_steps,
            left: Cell::new(granted_steps),
            next_stop_check: Cell::new(next_look),
            shared,
            is_part: false,
        }
    }

    /// Creates a budget of `steps` steps that another budget has left and counts.
    pub(super) fn part(steps: usize, shared: Option<&'a WorkBudget>) -> Self {
        let mut budget = Self::new(steps, shared);
        (budget.most, budget.is_part) = (budget.given, true);
        budget
    }

    /// Handles a step count that requires a cancellation check or exceeds the limit.
    #[cold]
    fn spend_last(&self, left: Option<usize>) -> Result<(), OutOfSteps> {
        // Nothing is left after a failure, so that a smaller second attempt fails too.
        self.left.set(left.unwrap_or(0));
        left.map_or_else(|| Err(self.out_of_steps()), |left| self.check_stop(left))
    }

    fn check_stop(&self, left: usize) -> Result<(), OutOfSteps> {
        self.next_stop_check.set(left.saturating_sub(STEPS_PER_STOP_CHECK));
        match self.shared.and_then(WorkBudget::stopped) {
            None => Ok(()),
            Some(reason) => {
                self.left.set(0);
                Err(OutOfSteps::Stopped(reason))
            }
        }
    }

    fn out_of_steps(&self) -> OutOfSteps {
        match self.shared {
            Some(shared) if self.given < self.most => {
                if let Some(reason) = shared.stopped() {
                    return OutOfSteps::Stopped(reason);
                }
                shared.exhaust();
                OutOfSteps::Together { steps: shared.limits().work.steps }
            }
            _ => OutOfSteps::Alone,
        }
    }

    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    pub(super) fn spent(&self) -> usize {
        self.given - self.left.get()
    }

    #[inline]
    pub(super) fn spend(&self, steps: usize) -> Result<(), OutOfSteps> {
        match self.left.get().checked_sub(steps) {
            Some(left) if left >= self.next_stop_check.get() => {
                self.left.set(left);
                Ok(())
            }
            left => self.spend_last(left),
        }
    }

    /// Counts text before it is created.
    pub(super) fn spend_bytes(&self, bytes: usize) -> Result<(), OutOfSteps> {
        self.spend(bytes.div_ceil(BYTES_PER_STEP))
    }

    /// Counts a value before it is copied or traversed.
    pub(super) fn spend_value(&self, value: &Value) -> Result<(), OutOfSteps> {
        match value {
            Value::List(items) => {
                self.spend(1 + items.len())?;
                items.iter().try_for_each(|item| self.spend_value(item))
            }
            Value::Map(items) => {
                self.spend(1 + items.len())?;
                items.iter().try_for_each(|(name, item)| {
                    self.spend_bytes(name.len())?;
                    self.spend_value(item)
                })
            }
            Value::Secret(secret) => self.spend_value(secret.expose()),
            _ => self.spend(1),
        }
    }

    /// Counts a value of which every byte is read.
    pub(super) fn spend_text(&self, value: &Value) -> Result<(), OutOfSteps> {
        match value {
            Value::String(text) => self.spend_bytes(text.len()),
            Value::List(items) => items.iter().try_for_each(|item| self.spend_text(item)),
            Value::Map(items) => items.values().try_for_each(|item| self.spend_text(item)),
            Value::Secret(secret) => self.spend_text(secret.expose()),
            _ => Ok(()),
        }
    }
}

impl Drop for StepBudget<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.filter(|_| !self.is_part) {
            shared.spend(self.spent() as u64);
        }
    }
}
