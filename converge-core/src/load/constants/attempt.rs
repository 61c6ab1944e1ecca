//! A part of an evaluation beside another thread.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::language::WorkBudget;

/// What a thread may do that evaluates a part of what one thread might evaluate. It counts only where that comes to the same: while
/// there is enough left for all, and nothing is read.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) budget: WorkBudget,
    is_clean: AtomicBool,
}

impl Attempt {
    pub(super) fn new(budget: WorkBudget) -> Self {
        Self { budget, is_clean: AtomicBool::new(true) }
    }

    /// Whether it may still count.
    pub(super) fn is_clean(&self) -> bool {
        self.is_clean.load(Ordering::Relaxed)
    }

    /// Gives it up.
    pub(super) fn spoil(&self) {
        self.is_clean.store(false, Ordering::Relaxed);
    }
}
