//! The error with all problems of a resource.

use std::fmt;

use super::problem::{Problem, Step};
use crate::debug_as_text;

/// All problems of a resource; at least one.
#[derive(Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The problems, never empty.
    pub(super) problems: Vec<Problem>,
}

debug_as_text!(Invalid);

impl Invalid {
    /// Returns all problems, in the order in which they were found.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the problems with `path` prepended to their paths.
    pub(super) fn within(self, path: &[Step]) -> impl Iterator<Item = Problem> {
        self.problems.into_iter().map(|problem| problem.within(path))
    }
}

impl From<Problem> for Invalid {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}
