//! The limit on what one evaluation may cost.
//!
//! Steps are counted, of which copies, text and the runs of templates take their share: that limits time and memory
//! alike, and does not depend on the machine.

use std::cell::Cell;

use super::error::ExpressionErrorKind as Kind;
use crate::types::budget::WorkBudget;
use crate::types::value::Value;

/// Steps of one evaluation. A real expression takes a few hundred; loops in loops, or lists that are
/// doubled again and again, would otherwise take all memory.
const MAX_STEPS: usize = 4 << 20;

/// Steps of a constant part that is evaluated while its module is read. What takes more is evaluated with what is not constant.
const MAX_CONSTANT_STEPS: usize = 1 << 12;

/// Bytes of text that count as one step.
const BYTES_PER_STEP: usize = 16;

/// What is left of the limit. What was taken is counted against what all evaluations share when it is dropped.
#[derive(Debug)]
pub(crate) struct Budget<'a> {
    /// What one evaluation of this sort may take.
    most: usize,
    given: usize,
    steps: Cell<usize>,
    shared: Option<&'a WorkBudget>,
}

impl<'a> Budget<'a> {
    /// The limit of one evaluation, or what is left for all if that is less.
    pub(super) fn new(shared: Option<&'a WorkBudget>) -> Self {
        Self::within(MAX_STEPS, shared)
    }

    /// The limit of one constant part, or what is left for all if that is less.
    pub(super) fn constant(shared: Option<&'a WorkBudget>) -> Self {
        Self::within(MAX_CONSTANT_STEPS, shared)
    }

    /// At most so many steps, or what is left for all if that is less.
    pub(super) fn within(most: usize, shared: Option<&'a WorkBudget>) -> Self {
        let given = shared.map_or(most, |shared| shared.steps(most));
        Self { most, given, steps: Cell::new(given), shared }
    }

    pub(super) fn spend(&self, steps: usize) -> Result<(), Kind> {
        let left = self.steps.get().checked_sub(steps);
        // After a failure nothing is left, so that a smaller second try fails too.
        self.steps.set(left.unwrap_or(0));
        left.map(drop).ok_or_else(|| self.failure())
    }

    /// Why there are not enough steps: this evaluation takes too many, or all together do.
    fn failure(&self) -> Kind {
        match self.shared {
            Some(shared) if self.given < self.most => {
                shared.exhaust();
                Kind::TooMuchTogether { steps: shared.limits().steps }
            }
            _ => Kind::TooMuchWork,
        }
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> usize {
        self.steps.get()
    }

    /// Counts text that is about to be made.
    pub(super) fn spend_bytes(&self, bytes: usize) -> Result<(), Kind> {
        self.spend(bytes.div_ceil(BYTES_PER_STEP))
    }

    /// Counts a value that is about to be copied or looked through.
    pub(super) fn spend_value(&self, value: &Value) -> Result<(), Kind> {
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
    pub(super) fn spend_text(&self, value: &Value) -> Result<(), Kind> {
        match value {
            Value::String(text) => self.spend_bytes(text.len()),
            Value::List(items) => items.iter().try_for_each(|item| self.spend_text(item)),
            Value::Map(items) => items.values().try_for_each(|item| self.spend_text(item)),
            Value::Secret(secret) => self.spend_text(secret.expose()),
            _ => Ok(()),
        }
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared {
            shared.spend(self.given - self.steps.get());
        }
    }
}
