//! The diagnostics collected during a load.

use std::ops::Range;

use super::unresolved_names::Unresolved;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use converge_value::types::cancellation::{Stop, StopReason};

/// The diagnostics and unresolved names of a load so far.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) diagnostics: Diagnostics,
    pub(crate) unresolved: Unresolved,
    /// The ranges of diagnostics that quote a text or an expression that could not be parsed.
    pub(crate) unread: Vec<Range<usize>>,
    /// The condition under which the load is cancelled.
    pub(crate) stop: Option<Stop>,
}

/// A position in the collected diagnostics.
#[derive(Debug)]
pub(crate) struct Mark {
    diagnostics: usize,
    unread: usize,
}

impl Problems {
    /// Returns the reason why the load is cancelled, if it is.
    pub(crate) fn stopped(&self) -> Option<StopReason> {
        self.stop.as_ref()?.reason()
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { diagnostics: self.diagnostics.len(), unread: self.unread.len() }
    }

    /// Returns the warnings since a mark, and the ranges of those that quote unparsed text.
    ///
    /// Returns `None` if there is an error among them, or if the load is cancelled.
    pub(crate) fn warnings_since(&self, mark: &Mark) -> Option<(Vec<Diagnostic>, Vec<Range<usize>>)> {
        let diagnostics = self.diagnostics.get(mark.diagnostics..)?;
        let is_error = |one: &Diagnostic| one.severity == Severity::Error;
        if self.stopped().is_some() || diagnostics.iter().any(is_error) {
            return None;
        }
        let start = mark.diagnostics;
        let unread = self.unread.get(mark.unread..)?.iter();
        Some((diagnostics.to_vec(), unread.map(|range| range.start - start..range.end - start).collect()))
    }

    /// Adds diagnostics that were found in another load.
    pub(crate) fn add(&mut self, diagnostics: &[Diagnostic], unread: &[Range<usize>]) {
        let start = self.diagnostics.len();
        self.diagnostics.extend(diagnostics.iter().cloned());
        self.unread.extend(unread.iter().map(|range| range.start + start..range.end + start));
    }

    /// Reads a value, and records that its diagnostics may quote it.
    ///
    /// They are not shown if the value turns out to be sensitive.
    pub(crate) fn reading<T>(&mut self, read: impl FnOnce(&mut Diagnostics) -> T) -> T {
        let before = self.diagnostics.len();
        let value = read(&mut self.diagnostics);
        if self.diagnostics.len() > before {
            self.unread.push(before..self.diagnostics.len());
        }
        value
    }
}
