//! What all expressions and templates of one load, or of one run, may cost together.
//!
//! Work is counted and not timed, so that a module that is refused is refused on every machine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::value::Value;

/// What expressions and templates may cost, all of one load together, and all of one run.
///
/// One of them may cost no more than some millions of steps, whatever is said here.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::language::WorkLimits;
/// use converge_core::load::Loader;
///
/// let registry = Registry::new();
/// let limits = WorkLimits { steps: 1000, ..WorkLimits::default() };
/// let text = r#"param "x" { default = length([for i in range(900) : i + i]) }"#;
/// let loaded = Loader::new(&registry).with_limits(limits).load_text("x.hcl", text);
/// assert!(loaded.diagnostics.has_errors());
/// assert!(Loader::new(&registry).load_text("x.hcl", text).into_graph().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkLimits {
    /// Steps: about one for each operation, each value that is made or copied, and each 16 bytes of text.
    pub steps: u64,
    /// Bytes of the values of parameters, which are kept as long as there is a load or a run.
    pub memory: u64,
}

impl Default for WorkLimits {
    /// Some seconds of work, and 256 MiB.
    fn default() -> Self {
        Self { steps: 1 << 28, memory: 256 << 20 }
    }
}

/// What is left of [`WorkLimits`].
#[derive(Debug)]
pub struct WorkBudget {
    limits: WorkLimits,
    steps: AtomicU64,
    kept: AtomicU64,
    exhausted: AtomicBool,
}

/// There is not enough left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl WorkBudget {
    /// All of it.
    pub fn new(limits: WorkLimits) -> Self {
        Self { limits, steps: AtomicU64::new(0), kept: AtomicU64::new(0), exhausted: AtomicBool::new(false) }
    }

    /// The steps that are left for an evaluation that may take at most `most`.
    pub(crate) fn steps(&self, most: usize) -> usize {
        let left = self.limits.steps.saturating_sub(self.steps.load(Ordering::Relaxed));
        usize::try_from(left).unwrap_or(usize::MAX).min(most)
    }

    /// Counts the steps of an evaluation that has ended.
    pub(crate) fn spend(&self, steps: usize) {
        // It cannot overflow: what is counted is at most what was left, for each worker.
        self.steps.fetch_add(steps as u64, Ordering::Relaxed);
    }

    /// Remembers that something could not be evaluated for want of steps.
    pub(crate) fn exhaust(&self) {
        self.exhausted.store(true, Ordering::Relaxed);
    }

    /// Whether something could not be evaluated: then nothing else can.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed)
    }

    /// Counts a value that is kept.
    pub(crate) fn keep(&self, value: &Value) -> Result<(), Exhausted> {
        let size = size(value);
        let before = self.kept.fetch_add(size, Ordering::Relaxed);
        if before.saturating_add(size) > self.limits.memory { Err(Exhausted) } else { Ok(()) }
    }

    /// The most steps, for messages.
    pub(crate) fn limits(&self) -> WorkLimits {
        self.limits
    }
}

/// About how many bytes a value takes.
fn size(value: &Value) -> u64 {
    let own = size_of::<Value>() as u64;
    own + match value {
        Value::String(text) => text.len() as u64,
        Value::List(items) => items.iter().map(size).sum(),
        Value::Map(items) => {
            // The key is there, and its place in the table.
            items.iter().map(|(name, item)| name.len() as u64 + own + size(item)).sum()
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
}
