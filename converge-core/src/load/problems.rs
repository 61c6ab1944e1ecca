//! What is wrong with a load.

use std::ops::Range;

use super::unresolved::Unresolved;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::types::stop::{Stop, StopReason};

/// What is wrong with a load, so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    pub(super) diagnostics: Diagnostics,
    pub(super) unresolved: Unresolved,
    /// Which diagnostics quote a text or an expression that could not be read.
    pub(super) unread: Vec<Range<usize>>,
    /// When to give up.
    pub(super) stop: Option<Stop>,
}

impl Problems {
    /// Why it is time to give up, when it is.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        self.stop.as_ref()?.reason()
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reads a value. What is wrong with it may quote it, so it is not shown where the value turns out to be sensitive.
    pub(super) fn reading<T>(&mut self, read: impl FnOnce(&mut Diagnostics) -> T) -> T {
        let before = self.diagnostics.len();
        let value = read(&mut self.diagnostics);
        if self.diagnostics.len() > before {
            self.unread.push(before..self.diagnostics.len());
        }
        value
    }
}
