//! The shared budget of all expressions and templates of one load or one run.
//!
//! The budget counts work and not time, so that a refused module is refused on every machine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use indexmap::IndexMap;

use super::cancellation::{Stop, StopReason};
use super::limits::{Limits, WorkLimits};
use super::value::Value;
use crate::diagnostic::{Limit, ReachedLimit};

/// The remaining part of [`WorkLimits`].
#[derive(Debug)]
pub struct WorkBudget {
    limits: Limits,
    steps: AtomicU64,
    kept: AtomicU64,
    read: AtomicU64,
    stop: Option<Stop>,
    exhausted: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Exhausted;

impl WorkBudget {
    /// Creates a full budget.
    pub fn new(limits: WorkLimits) -> Self {
        Self::from_limits(limits.into())
    }

    /// Creates a full budget for work and for bytes of text that are read.
    #[doc(hidden)]
    pub fn from_limits(limits: Limits) -> Self {
        let [steps, kept, read] = [const { AtomicU64::new(0) }; 3];
        Self { limits, steps, kept, read, stop: None, exhausted: AtomicBool::new(false) }
    }

    /// Returns the budget with a reason to stop early.
    #[doc(hidden)]
    pub fn until(self, stop: Option<Stop>) -> Self {
        Self { stop, ..self }
    }

    #[doc(hidden)]
    pub fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    #[doc(hidden)]
    pub fn stopped(&self) -> Option<StopReason> {
        self.stop.as_ref()?.reason()
    }

    /// Returns the remaining steps, at most `most`, for one evaluation.
    #[doc(hidden)]
    pub fn steps(&self, limit: usize) -> usize {
        if self.stopped().is_some() {
            return 0;
        }
        let left = self.limits.work.steps.saturating_sub(self.steps.load(Ordering::Relaxed));
        usize::try_from(left).unwrap_or(usize::MAX).min(limit)
    }

    #[doc(hidden)]
    pub fn spend(&self, steps: u64) {
        // The counter cannot overflow, because each worker adds at most the steps that were left.
        self.steps.fetch_add(steps, Ordering::Relaxed);
    }

    #[doc(hidden)]
    pub fn spent(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Whether this many steps are left, so that work of that size gives the same result with any budget.
    #[doc(hidden)]
    pub fn has_left(&self, steps: u64) -> bool {
        let left = self.limits.work.steps.saturating_sub(self.spent());
        !self.is_exhausted() && left >= steps
    }

    /// Returns a small part of the remaining budget for an attempt that might need much more.
    ///
    /// The part has `steps` steps and allows no reading of text. Its use only counts after
    /// [`take_over`](Self::take_over).
    #[doc(hidden)]
    pub fn taste(&self, steps: u64) -> Self {
        let left = |most: u64, spent: &AtomicU64| most.saturating_sub(spent.load(Ordering::Relaxed));
        let WorkLimits { steps: most, memory } = self.limits.work;
        let work = WorkLimits { steps: left(most, &self.steps).min(steps), memory: left(memory, &self.kept) };
        Self::from_limits(Limits { bytes: 0, work, ..self.limits })
    }

    /// Counts the use of an attempt that succeeded.
    #[doc(hidden)]
    pub fn take_over(&self, taste: &Self) {
        self.steps.fetch_add(taste.steps.load(Ordering::Relaxed), Ordering::Relaxed);
        self.kept.fetch_add(taste.kept.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Records that an evaluation failed for lack of steps.
    #[doc(hidden)]
    pub fn exhaust(&self) {
        self.exhausted.store(true, Ordering::Relaxed);
    }

    /// Whether an evaluation failed for lack of steps, or the work was stopped.
    ///
    /// Nothing else can be evaluated then.
    #[doc(hidden)]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed) || self.stopped().is_some()
    }

    /// Counts the size of a value that is kept in memory.
    #[doc(hidden)]
    pub fn keep(&self, value: &Value) -> Result<(), Exhausted> {
        let size = size(value);
        let before = self.kept.fetch_add(size, Ordering::Relaxed);
        if before.saturating_add(size) > self.limits.work.memory { Err(Exhausted) } else { Ok(()) }
    }

    /// Returns the number of bytes of text that may still be read.
    #[doc(hidden)]
    pub fn bytes_left(&self) -> u64 {
        self.limits.bytes.saturating_sub(self.read.load(Ordering::Relaxed))
    }

    #[doc(hidden)]
    pub fn bytes_limit(&self) -> ReachedLimit {
        self.reached(Limit::Bytes)
    }

    #[doc(hidden)]
    pub fn count_text(&self, bytes: usize) {
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    #[doc(hidden)]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    #[doc(hidden)]
    pub fn reached(&self, limit: Limit) -> ReachedLimit {
        ReachedLimit { limit, most: self.limits.get(limit) }
    }
}

/// The size of a text in bytes, without its content.
const TEXT: usize = 2 * size_of::<usize>();

/// The size of a map in bytes, without its entries.
const MAP: usize = size_of::<IndexMap<String, Value>>();

/// The size of a map entry in bytes: key, hash and table slot.
///
/// The value and the content of the key are not included.
const ENTRY: usize = size_of::<String>() + 3 * size_of::<usize>();

/// Whether a value takes more than about `most` bytes, in time proportional to `most`.
#[doc(hidden)]
pub fn is_larger(value: &Value, limit: u64) -> bool {
    let mut left = limit;
    !fits(value, &mut left)
}

/// Whether a value fits into the bytes that are left; subtracts its size from them.
#[doc(hidden)]
pub fn fits(value: &Value, left: &mut u64) -> bool {
    let subtract = |bytes: usize, left: &mut u64| {
        let rest = left.checked_sub(bytes as u64);
        *left = rest.unwrap_or(0);
        rest.is_some()
    };
    subtract(size_of::<Value>(), left)
        && match value {
            Value::String(text) => subtract(TEXT + text.len(), left),
            Value::List(items) => items.iter().all(|item| fits(item, left)),
            Value::Map(items) => {
                let entry = |(name, item): (&String, &Value), left: &mut u64| {
                    subtract(ENTRY + name.len(), left) && fits(item, left)
                };
                subtract(MAP, left) && items.iter().all(|item| entry(item, left))
            }
            Value::Secret(secret) => fits(secret.expose(), left),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Unknown(_) => true,
        }
}

/// Returns the approximate size of a value in bytes.
#[doc(hidden)]
pub fn size(value: &Value) -> u64 {
    let base = size_of::<Value>() as u64;
    base + match value {
        Value::String(text) => (TEXT + text.len()) as u64,
        Value::List(items) => items.iter().map(size).sum(),
        Value::Map(items) => {
            let entries = items.iter().map(|(name, item)| (ENTRY + name.len()) as u64 + size(item));
            MAP as u64 + entries.sum::<u64>()
        }
        Value::Secret(secret) => size(secret.expose()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Unknown(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_memory_come_to_an_end() {
        let budget = WorkBudget::new(WorkLimits { steps: 10, memory: 200 });
        assert_eq!(budget.steps(4), 4);
        budget.spend(8);
        assert_eq!(budget.steps(4), 2);
        budget.spend(2);
        assert_eq!((budget.steps(4), budget.is_exhausted()), (0, false));
        assert_eq!(budget.keep(&Value::from("x".repeat(100))), Ok(()));
        assert_eq!(budget.keep(&Value::from("x".repeat(100))), Err(Exhausted));
    }

    #[test]
    fn a_taste_counts_when_it_was_enough() {
        let budget = WorkBudget::new(WorkLimits { steps: 10, memory: 200 });
        let taste = budget.taste(4);
        assert_eq!((taste.steps(100), taste.bytes_left()), (4, 0));
        taste.spend(3);
        assert_eq!(budget.spent(), 0);
        budget.take_over(&taste);
        assert_eq!(budget.spent(), 3);
        assert_eq!(budget.taste(100).steps(100), 7);
        let sample = budget.taste(4);
        assert_eq!(sample.keep(&Value::from("x".repeat(100))), Ok(()));
        budget.take_over(&sample);
        assert_eq!(budget.keep(&Value::from("x".repeat(100))), Err(Exhausted));
    }

    #[test]
    fn what_is_larger() {
        let text = || Value::from("x".repeat(100));
        let list = Value::List(vec![text(), text()]);
        let map = Value::Map([("x".repeat(100), Value::Null)].into_iter().collect());
        for value in [&list, &list.clone().into_secret()] {
            assert!(is_larger(value, 250));
            assert!(!is_larger(value, 1_000));
        }
        assert!(is_larger(&map, 150));
        assert!(!is_larger(&map, 1_000));
    }
}
