//! Everything that is wrong, as an error.

use std::fmt;

use super::problem::{Problem, Step};

/// Everything that is wrong with a resource; at least one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Never empty.
    pub(super) problems: Vec<Problem>,
}

impl Invalid {
    /// Everything, in the order in which it was found.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The same in a larger whole, of which this is the part at `path`.
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
        for (at, problem) in self.problems.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}
