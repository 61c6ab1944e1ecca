//! The schedule of faults and delays that a simulation applies to the model host.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Time(Duration),
    ForEver,
}

/// The durations of operations, and the operations that fail or hang.
#[derive(Default)]
#[doc(hidden)]
pub struct FaultSchedule {
    /// Returns the duration of the next operation, by the clock of tokio.
    #[doc(hidden)]
    pub takes: Option<Box<dyn FnMut() -> Duration + Send>>,
    /// The numbers of the effects that fail.
    ///
    /// Failed effects count as well.
    #[doc(hidden)]
    pub failing: BTreeSet<usize>,
    /// The numbers of the operations that never complete.
    #[doc(hidden)]
    pub hanging: BTreeSet<usize>,
    pub(super) operations: usize,
    pub(super) effects: usize,
}

impl fmt::Debug for FaultSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Course")
            .field("failing", &self.failing)
            .field("hanging", &self.hanging)
            .finish_non_exhaustive()
    }
}

impl FaultSchedule {
    /// Counts an operation, and returns its duration.
    pub(super) fn operation(&mut self) -> Takes {
        let number = self.operations;
        self.operations += 1;
        if self.hanging.contains(&number) {
            return Takes::ForEver;
        }
        Takes::Time(self.takes.as_mut().map_or(Duration::ZERO, |duration| duration()))
    }

    pub(super) fn fails_now(&self) -> bool {
        self.failing.contains(&self.effects)
    }

    /// Counts an effect that has happened or failed.
    pub(super) fn effect(&mut self) {
        self.effects += 1;
    }
}
