//! What a simulation lets happen on the model.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

/// How long an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Time(Duration),
    ForEver,
}

/// How long operations take, and which of them do not do what they should.
#[derive(Default)]
#[doc(hidden)]
pub struct Course {
    /// How long the next operation takes, by the clock of tokio.
    #[doc(hidden)]
    pub takes: Option<Box<dyn FnMut() -> Duration + Send>>,
    /// The numbers of the effects that fail, with those that fail counted.
    #[doc(hidden)]
    pub failing: BTreeSet<usize>,
    /// The numbers of the operations that are never answered.
    #[doc(hidden)]
    pub hanging: BTreeSet<usize>,
    pub(super) operations: usize,
    pub(super) effects: usize,
}

impl fmt::Debug for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Course")
            .field("failing", &self.failing)
            .field("hanging", &self.hanging)
            .finish_non_exhaustive()
    }
}

impl Course {
    /// An operation begins.
    pub(super) fn operation(&mut self) -> Takes {
        let number = self.operations;
        self.operations += 1;
        if self.hanging.contains(&number) {
            return Takes::ForEver;
        }
        Takes::Time(self.takes.as_mut().map_or(Duration::ZERO, |takes| takes()))
    }

    pub(super) fn fails_now(&self) -> bool {
        self.failing.contains(&self.effects)
    }

    /// An effect has happened, or has failed.
    pub(super) fn effect(&mut self) {
        self.effects += 1;
    }
}
