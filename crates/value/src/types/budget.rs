//! What all expressions and templates of one load, or of one run, may cost together.
//!
//! Work is counted and not timed, so that a module that is refused is refused on every machine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use indexmap::IndexMap;

use super::cancellation::{Stop, StopReason};
use super::limits::{Limits, WorkLimits};
use super::value::Value;
use crate::diagnostic::{Limit, ReachedLimit};

/// What is left of [`WorkLimits`].
#[derive(Debug)]
pub struct WorkBudget {
    limits: Limits,
    steps: AtomicU64,
    kept: AtomicU64,
    read: AtomicU64,
    stop: Option<Stop>,
    exhausted: AtomicBool,
}

/// There is not enough left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Exhausted;

impl WorkBudget {
    /// All of it.
    pub fn new(limits: WorkLimits) -> Self {
        Self::of(limits.into())
    }

    /// All of it, of what these limits say about it and about what is read.
    #[doc(hidden)]
    pub fn of(limits: Limits) -> Self {
        let [steps, kept, read] = [const { AtomicU64::new(0) }; 3];
        Self { limits, steps, kept, read, stop: None, exhausted: AtomicBool::new(false) }
    }

    /// The same, which ends also when there is a reason to give up.
    #[doc(hidden)]
    pub fn until(self, stop: Option<Stop>) -> Self {
        Self { stop, ..self }
    }

    /// When to give up.
    #[doc(hidden)]
    pub fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// Why it is time to give up, when it is.
    #[doc(hidden)]
    pub fn stopped(&self) -> Option<StopReason> {
        self.stop.as_ref()?.reason()
    }

    /// The steps that are left for an evaluation that may take at most `most`.
    #[doc(hidden)]
    pub fn steps(&self, most: usize) -> usize {
        if self.stopped().is_some() {
            return 0;
        }
        let left = self.limits.work.steps.saturating_sub(self.steps.load(Ordering::Relaxed));
        usize::try_from(left).unwrap_or(usize::MAX).min(most)
    }

    /// Counts the steps of an evaluation that has ended.
    #[doc(hidden)]
    pub fn spend(&self, steps: u64) {
        // It cannot overflow: what is counted is at most what was left, for each worker.
        self.steps.fetch_add(steps, Ordering::Relaxed);
    }

    /// How many were counted so far.
    #[doc(hidden)]
    pub fn spent(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Whether there are so many left, so that what takes no more of them is the same with any budget.
    #[doc(hidden)]
    pub fn has_left(&self, steps: u64) -> bool {
        let left = self.limits.work.steps.saturating_sub(self.spent());
        !self.is_exhausted() && left >= steps
    }

    /// A small part of what is left, for an attempt at something that may take much more: so many steps, and nothing that is read.
    /// What it took counts when it is [taken over](Self::take_over).
    #[doc(hidden)]
    pub fn taste(&self, steps: u64) -> Self {
        let left = |most: u64, spent: &AtomicU64| most.saturating_sub(spent.load(Ordering::Relaxed));
        let WorkLimits { steps: most, memory } = self.limits.work;
        let work = WorkLimits { steps: left(most, &self.steps).min(steps), memory: left(memory, &self.kept) };
        Self::of(Limits { bytes: 0, work, ..self.limits })
    }

    /// Counts what an attempt took that was enough.
    #[doc(hidden)]
    pub fn take_over(&self, taste: &Self) {
        self.steps.fetch_add(taste.steps.load(Ordering::Relaxed), Ordering::Relaxed);
        self.kept.fetch_add(taste.kept.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Remembers that something could not be evaluated for want of steps.
    #[doc(hidden)]
    pub fn exhaust(&self) {
        self.exhausted.store(true, Ordering::Relaxed);
    }

    /// Whether something could not be evaluated: then nothing else can.
    #[doc(hidden)]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed) || self.stopped().is_some()
    }

    /// Counts a value that is kept.
    #[doc(hidden)]
    pub fn keep(&self, value: &Value) -> Result<(), Exhausted> {
        let size = size(value);
        let before = self.kept.fetch_add(size, Ordering::Relaxed);
        if before.saturating_add(size) > self.limits.work.memory { Err(Exhausted) } else { Ok(()) }
    }

    /// How many bytes of text may still be read.
    #[doc(hidden)]
    pub fn bytes_left(&self) -> u64 {
        self.limits.bytes.saturating_sub(self.read.load(Ordering::Relaxed))
    }

    /// How many there may be in all.
    #[doc(hidden)]
    pub fn bytes_limit(&self) -> ReachedLimit {
        self.reached(Limit::Bytes)
    }

    /// Counts text that was read.
    #[doc(hidden)]
    pub fn count_text(&self, bytes: usize) {
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// All limits.
    #[doc(hidden)]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// One of the limits, for messages.
    #[doc(hidden)]
    pub fn reached(&self, limit: Limit) -> ReachedLimit {
        ReachedLimit { limit, most: self.limits.get(limit) }
    }
}

/// What a text takes beside its bytes: its counters.
const TEXT: usize = 2 * size_of::<usize>();

/// What a map takes beside its entries.
const MAP: usize = size_of::<IndexMap<String, Value>>();

/// What an entry of a map takes beside its value and the bytes of its key: the key, its hash, and its place in the table.
const ENTRY: usize = size_of::<String>() + 3 * size_of::<usize>();

/// Whether a value takes more than about so many bytes, which is found out in as much time.
#[doc(hidden)]
pub fn is_larger(value: &Value, most: u64) -> bool {
    let mut left = most;
    !fits(value, &mut left)
}

/// Whether a value takes no more than so many bytes, which are then fewer.
#[doc(hidden)]
pub fn fits(value: &Value, left: &mut u64) -> bool {
    let take = |bytes: usize, left: &mut u64| {
        let rest = left.checked_sub(bytes as u64);
        *left = rest.unwrap_or(0);
        rest.is_some()
    };
    take(size_of::<Value>(), left)
        && match value {
            Value::String(text) => take(TEXT + text.len(), left),
            Value::List(items) => items.iter().all(|item| fits(item, left)),
            Value::Map(items) => {
                let entry = |(name, item): (&String, &Value), left: &mut u64| {
                    take(ENTRY + name.len(), left) && fits(item, left)
                };
                take(MAP, left) && items.iter().all(|item| entry(item, left))
            }
            Value::Secret(secret) => fits(secret.expose(), left),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Unknown(_) => true,
        }
}

/// About how many bytes a value takes.
#[doc(hidden)]
pub fn size(value: &Value) -> u64 {
    let own = size_of::<Value>() as u64;
    own + match value {
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
        let kept = budget.taste(4);
        assert_eq!(kept.keep(&Value::from("x".repeat(100))), Ok(()));
        budget.take_over(&kept);
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
