//! The limit on what one evaluation may cost, of an expression or of a template.
//!
//! Steps are counted, of which copies, text and the runs of templates take their share: that limits time and memory
//! alike, and does not depend on the machine.

use std::cell::Cell;

use crate::types::budget::WorkBudget;
use crate::types::stop::StopReason;

/// Steps of one evaluation. A real expression or template takes a few hundred; loops in loops, lists that are doubled again and
/// again, or templates that call each other twice would otherwise take all time and memory.
pub(super) const MAX_STEPS: usize = 4 << 20;

/// Bytes of text that count as one step.
pub(super) const BYTES_PER_STEP: usize = 16;

/// How many steps are taken between two looks at whether to give up: about a millisecond.
const STEPS_PER_LOOK: usize = 1 << 14;

/// What is left of the limit. What was taken is counted against what all evaluations share when it is dropped.
#[derive(Debug)]
pub(super) struct StepBudget<'a> {
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

/// Why there are not enough steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutOfSteps {
    /// This evaluation takes too many.
    Alone,
    /// All together take more than this.
    Together(u64),
    /// It is time to give up.
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

    pub(super) fn spend(&self, steps: usize) -> Result<(), OutOfSteps> {
        let left = self.left.get().checked_sub(steps);
        // After a failure nothing is left, so that a smaller second try fails too.
        self.left.set(left.unwrap_or(0));
        match left {
            Some(left) if left >= self.look.get() => Ok(()),
            Some(left) => self.look(left),
            None => Err(self.out_of_steps()),
        }
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
                OutOfSteps::Together(shared.limits().work.steps)
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
}

impl Drop for StepBudget<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.filter(|_| !self.is_part) {
            shared.spend(self.spent() as u64);
        }
    }
}
