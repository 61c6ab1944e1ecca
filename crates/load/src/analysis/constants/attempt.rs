//! A partial evaluation that runs on its own thread.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::language::WorkBudget;

/// The budget and validity of a partial evaluation.
///
/// Its result counts only if it equals that of a single thread: while enough budget is left for all, and no
/// file is read.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) budget: WorkBudget,
    is_clean: AtomicBool,
}

impl Attempt {
    pub(super) fn new(budget: WorkBudget) -> Self {
        Self { budget, is_clean: AtomicBool::new(true) }
    }

    /// Returns whether the result may still count.
    pub(super) fn is_clean(&self) -> bool {
        self.is_clean.load(Ordering::Relaxed)
    }

    /// Invalidates the result.
    pub(super) fn invalidate(&self) {
        self.is_clean.store(false, Ordering::Relaxed);
    }
}
