//! What an expression pays for.

use super::error::ExpressionErrorKind as Kind;
use crate::language::budget::{BYTES_PER_STEP, MAX_STEPS, OutOfSteps, StepBudget};
use crate::types::budget::WorkBudget;
use crate::types::value::Value;

/// Steps of a constant part that is evaluated while its module is read. What takes more is evaluated with what is not constant.
pub(crate) const MAX_CONSTANT_STEPS: u32 = 1 << 12;

/// What is left for one expression.
#[derive(Debug)]
pub(crate) struct Budget<'a>(StepBudget<'a>);

impl<'a> Budget<'a> {
    /// The limit of one evaluation, or what is left for all if that is less.
    pub(super) fn new(shared: Option<&'a WorkBudget>) -> Self {
        Self::within(MAX_STEPS, shared)
    }

    /// The limit of one constant part, or what is left for all if that is less.
    pub(super) fn constant(shared: Option<&'a WorkBudget>) -> Self {
        Self::within(MAX_CONSTANT_STEPS as usize, shared)
    }

    /// At most so many steps, or what is left for all if that is less.
    pub(super) fn within(most: usize, shared: Option<&'a WorkBudget>) -> Self {
        Self(StepBudget::new(most, shared))
    }

    pub(super) fn spend(&self, steps: usize) -> Result<(), Kind> {
        self.0.spend(steps).map_err(Kind::from)
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> usize {
        self.0.left()
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

impl From<OutOfSteps> for Kind {
    fn from(out: OutOfSteps) -> Self {
        match out {
            OutOfSteps::Alone => Self::TooMuchWork,
            OutOfSteps::Together(steps) => Self::TooMuchTogether { steps },
            OutOfSteps::Stopped(reason) => Self::Stopped(reason),
        }
    }
}
