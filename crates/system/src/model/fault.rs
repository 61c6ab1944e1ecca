//! The faults that a test injects into the model host.

use super::fault_schedule::FaultSchedule;
use crate::SystemErrorKind;

#[derive(Debug, Default)]
pub(super) struct Faults {
    /// The number of effects before the crash.
    pub(super) effects_left: Option<usize>,
    /// The number of effects before the one that fails.
    pub(super) until_failure: Option<usize>,
    /// The number of reads before the one that fails.
    pub(super) until_read_failure: Option<usize>,
    /// Whether each operation yields once before it is done.
    pub(super) pauses: bool,
    /// The number of operations before all others hang.
    pub(super) answers_left: Option<usize>,
    pub(super) course: Option<FaultSchedule>,
}

impl Faults {
    pub(super) fn check_crash(&self) -> Result<(), SystemErrorKind> {
        match self.effects_left {
            Some(0) => Err(SystemErrorKind::Other("the machine has crashed".to_owned())),
            _ => Ok(()),
        }
    }

    pub(super) fn fails_now(&self) -> bool {
        self.until_failure == Some(0) || self.course.as_ref().is_some_and(FaultSchedule::fails_now)
    }

    /// Records that an effect has failed, so that later ones succeed.
    pub(super) fn has_failed(&mut self) {
        if self.until_failure == Some(0) {
            self.until_failure = None;
        }
        self.course.iter_mut().for_each(FaultSchedule::effect);
    }

    /// Counts a read.
    ///
    /// Returns whether it fails.
    pub(super) fn read_fails(&mut self) -> bool {
        let fails = self.until_read_failure == Some(0);
        self.until_read_failure = self.until_read_failure.and_then(|left| left.checked_sub(1));
        fails
    }

    pub(super) fn count(&mut self) {
        self.effects_left = self.effects_left.map(|left| left.saturating_sub(1));
        self.until_failure = self.until_failure.map(|left| left.saturating_sub(1));
        self.course.iter_mut().for_each(FaultSchedule::effect);
    }
}

pub(super) fn unreadable() -> SystemErrorKind {
    SystemErrorKind::Other("input/output error".to_owned())
}
