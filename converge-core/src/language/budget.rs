//! The limit on what one evaluation may cost, of an expression or of a template.
//!
//! Steps are counted, of which copies, text and the runs of templates take their share: that limits time and memory
//! alike, and does not depend on the machine.

use std::cell::Cell;

use crate::types::budget::WorkBudget;
use crate::types::cancellation::StopReason;
use crate::types::value::Value;

/// Steps of one evaluation. A real expression or template takes a few hundred; loops in loops, lists that are doubled again and
/// again, or templates that call each other twice would otherwise take all time and memory.
pub(crate) const MAX_STEPS: usize = 4 << 20;

/// Bytes of text that count as one step.
pub(super) const BYTES_PER_STEP: usize = 16;

/// How many steps are taken between two looks at whether to give up: about a millisecond.
const STEPS_PER_LOOK: usize = 1 << 14;

/// What is left of the limit for one evaluation. What was taken is counted against what all evaluations share
/// when it is dropped.
#[derive(Debug)]
pub(crate) struct StepBudget<'a> {
    /// What an evaluation of this sort may take.
    most: usize,
    given: usize,
    left: Cell<usize>,
    /// How many are left at the next look at whether to give up.
    look: Cell<usize>,
    shared: Option<&'a WorkBudget>,
    /// Whether what was taken is counted elsewhere.
    is_part: bool,
}

/// Why an expression or a template was not evaluated to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutOfSteps {
    /// It takes too many steps, or gives too much.
    #[error("this does too much work: it repeats too often, or makes too many or too large values")]
    Alone,
    /// All expressions and templates of the load, or of the run, take too many together.
    #[error("the expressions and templates take more than {steps} steps together; this is where they end")]
    Together {
        /// How many there may be.
        steps: u64,
    },
    /// What it is evaluated for was given up.
    #[error("it was being evaluated when this was given up: {0}")]
    Stopped(StopReason),
}

impl<'a> StepBudget<'a> {
    /// At most so many steps, or what is left for all if that is less.
    pub(super) fn new(most: usize, shared: Option<&'a WorkBudget>) -> Self {
        let given = shared.map_or(most, |shared| shared.steps(most));
        let look = shared.and_then(WorkBudget::stop).map_or(0, |_| given.saturating_sub(STEPS_PER_LOOK));
        Self { most, given, left: Cell::new(given), look: Cell::new(look), shared, is_part: false }
    }

    /// At most so many steps, which another evaluation has left and counts.
    pub(super) fn part(steps: usize, shared: Option<&'a WorkBudget>) -> Self {
        let mut part = Self::new(steps, shared);
        (part.most, part.is_part) = (part.given, true);
        part
    }

    /// Counts steps after which it is time to look, or nothing is left.
    #[cold]
    fn spend_last(&self, left: Option<usize>) -> Result<(), OutOfSteps> {
        // After a failure nothing is left, so that a smaller second try fails too.
        self.left.set(left.unwrap_or(0));
        left.map_or_else(|| Err(self.out_of_steps()), |left| self.look(left))
    }

    fn look(&self, left: usize) -> Result<(), OutOfSteps> {
        self.look.set(left.saturating_sub(STEPS_PER_LOOK));
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

    /// The steps that are left.
    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    /// The steps that were taken.
    pub(super) fn spent(&self) -> usize {
        self.given - self.left.get()
    }

    #[inline]
    pub(super) fn spend(&self, steps: usize) -> Result<(), OutOfSteps> {
        match self.left.get().checked_sub(steps) {
            Some(left) if left >= self.look.get() => {
                self.left.set(left);
                Ok(())
            }
            left => self.spend_last(left),
        }
    }

    /// Counts text that is about to be made.
    pub(super) fn spend_bytes(&self, bytes: usize) -> Result<(), OutOfSteps> {
        self.spend(bytes.div_ceil(BYTES_PER_STEP))
    }

    /// Counts a value that is about to be copied or looked through.
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
