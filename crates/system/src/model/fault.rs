//! What goes wrong on the model, and when.

use super::fault_schedule::Course;
use crate::SystemErrorKind;

/// What a model does otherwise than a machine on which nothing goes wrong.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// How many more effects happen before the crash.
    pub(super) effects_left: Option<usize>,
    /// How many more effects happen before the one that fails.
    pub(super) until_failure: Option<usize>,
    /// How many more times something is looked at before that fails once.
    pub(super) until_read_failure: Option<usize>,
    /// Every operation gives up its turn once before it is done.
    pub(super) pauses: bool,
    /// How many more operations are answered.
    pub(super) answers_left: Option<usize>,
    /// What a simulation lets happen.
    pub(super) course: Option<Course>,
}

impl Faults {
    /// Whether the machine has crashed.
    pub(super) fn check_crash(&self) -> Result<(), SystemErrorKind> {
        match self.effects_left {
            Some(0) => Err(SystemErrorKind::Other("the machine has crashed".to_owned())),
            _ => Ok(()),
        }
    }

    /// Whether the effect that is about to happen is the one that fails.
    pub(super) fn fails_now(&self) -> bool {
        self.until_failure == Some(0) || self.course.as_ref().is_some_and(Course::fails_now)
    }

    /// It has failed: others do not.
    pub(super) fn has_failed(&mut self) {
        if self.until_failure == Some(0) {
            self.until_failure = None;
        }
        self.course.iter_mut().for_each(Course::effect);
    }

    /// Something is looked at: whether that fails.
    pub(super) fn read_fails(&mut self) -> bool {
        let fails = self.until_read_failure == Some(0);
        self.until_read_failure = self.until_read_failure.and_then(|left| left.checked_sub(1));
        fails
    }

    /// An effect has happened.
    pub(super) fn count(&mut self) {
        self.effects_left = self.effects_left.map(|left| left.saturating_sub(1));
        self.until_failure = self.until_failure.map(|left| left.saturating_sub(1));
        self.course.iter_mut().for_each(Course::effect);
    }
}

/// Why something cannot be looked at.
pub(super) fn unreadable() -> SystemErrorKind {
    SystemErrorKind::Other("input/output error".to_owned())
}
