//! What is wrong with a load.

use std::ops::Range;

use super::unresolved_names::Unresolved;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::types::cancellation::{Stop, StopReason};

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

/// How much was wrong at some time.
#[derive(Debug)]
pub(super) struct Mark {
    diagnostics: usize,
    unread: usize,
}

impl Problems {
    /// Why it is time to give up, when it is.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        self.stop.as_ref()?.reason()
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty() && self.unread.is_empty()
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// How much there is now.
    pub(super) fn mark(&self) -> Mark {
        Mark { diagnostics: self.diagnostics.len(), unread: self.unread.len() }
    }

    /// What was found since then, and which of it quotes what could not be read; `None` when there is an error among it, or the
    /// load is given up.
    pub(super) fn warnings_since(&self, mark: &Mark) -> Option<(Vec<Diagnostic>, Vec<Range<usize>>)> {
        let found = self.diagnostics.get(mark.diagnostics..)?;
        let is_error = |one: &Diagnostic| one.severity == Severity::Error;
        if self.stopped().is_some() || found.iter().any(is_error) {
            return None;
        }
        let start = mark.diagnostics;
        let unread = self.unread.get(mark.unread..)?.iter();
        Some((found.to_vec(), unread.map(|range| range.start - start..range.end - start).collect()))
    }

    /// Adds what was found in another load.
    pub(super) fn add(&mut self, found: &[Diagnostic], unread: &[Range<usize>]) {
        let start = self.diagnostics.len();
        self.diagnostics.extend(found.iter().cloned());
        self.unread.extend(unread.iter().map(|range| range.start + start..range.end + start));
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
