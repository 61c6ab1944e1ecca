//! What the machine has to do with one module, and what came of it.

use std::time::Duration;

use converge_controller::clock::Random;
use converge_controller::{Condition, ConditionState, Status, Typed};
use tokio::time::Instant;

use super::outcome::{Outcome, conditions};
use crate::fleet::types::{Assignment, Revision};

/// How long to wait for somebody else's run.
const BUSY: Duration = Duration::from_secs(10);
/// How soon to look again at first when a machine could not be made as its module says; twice as long each time.
const AGAIN: Duration = Duration::from_secs(5);
/// By which part an interval is longer or shorter, so that a thousand machines do not look at the same moment.
const JITTER: f64 = 0.1;

/// One assignment, with what its module says.
#[derive(Debug)]
pub(super) struct Duty {
    assignment: Typed<Assignment>,
    revision: Typed<Revision>,
    /// What is to be reported, or was.
    status: Option<Status>,
    is_reported: bool,
    /// When to look next.
    due: Instant,
    /// How often it was in vain to make the machine so, since it was so.
    failures: u32,
}

impl Duty {
    /// One that nobody has looked at since the agent began, and what was reported of it earlier.
    pub(super) fn new(assignment: Typed<Assignment>, revision: Typed<Revision>, now: Instant) -> Self {
        let key = assignment.resource.status.keys().find(|key| key.as_str() == Assignment::REPORT);
        let status = key.and_then(|key| assignment.status(key)).cloned();
        Self { assignment, revision, status, is_reported: true, due: now, failures: 0 }
    }

    /// With something that is still to be reported.
    pub(super) fn with_unreported(self, status: Status) -> Self {
        Self { status: Some(status), is_reported: false, ..self }
    }

    pub(super) fn assignment(&self) -> &Typed<Assignment> {
        &self.assignment
    }

    pub(super) fn revision(&self) -> &Typed<Revision> {
        &self.revision
    }

    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// What the server does not know yet.
    pub(super) fn unreported(&self) -> Option<&Status> {
        self.status.as_ref().filter(|_| !self.is_reported)
    }

    pub(super) fn reported(&mut self) {
        self.is_reported = true;
    }

    /// Takes what the server says now. Another generation is looked at at once; that of a status changes nothing.
    pub(super) fn replace(&mut self, assignment: Typed<Assignment>, revision: Typed<Revision>, now: Instant) {
        if assignment.resource.generation != self.assignment.resource.generation
            || assignment.id().uid != self.assignment.id().uid
        {
            self.due = now;
            self.failures = 0;
            // It is about what was.
            self.is_reported = true;
        }
        (self.assignment, self.revision) = (assignment, revision);
    }

    /// Takes what came of a look.
    pub(super) fn looked(&mut self, outcome: &Outcome, now: Instant, random: &mut Random) {
        let Some(generation) = self.assignment.resource.generation else { return };
        let status = Status::new(generation, conditions(outcome, self.was_applied()));
        if self.status.as_ref().is_none_or(|known| !known.says_the_same_as(&status)) {
            self.is_reported = false;
            self.status = Some(status);
        }
        let interval = self.interval(outcome);
        self.due = now + random.duration(interval.mul_f64(1.0 - JITTER), interval.mul_f64(1.0 + JITTER));
    }

    /// How long until the next look. What could not be made so is tried again soon, as a service that comes up slowly is well
    /// soon, and then less and less often.
    fn interval(&mut self, outcome: &Outcome) -> Duration {
        self.failures = if outcome.failed() { self.failures.saturating_add(1) } else { 0 };
        let most = self.assignment.interval;
        match self.failures.checked_sub(1) {
            Some(earlier) => AGAIN.saturating_mul(2_u32.saturating_pow(earlier)).min(most),
            None => most,
        }
    }

    /// Waits for somebody else's run.
    pub(super) fn put_off(&mut self, now: Instant) {
        self.due = now + BUSY.min(self.assignment.interval);
    }

    /// Whether the machine was as this revision says, when it was looked at last.
    fn was_applied(&self) -> bool {
        let of_now =
            |status: &&Status| Some(status.observed_generation) == self.assignment.resource.generation;
        let applied =
            self.status.as_ref().filter(of_now).and_then(|status| status.condition(Assignment::APPLIED));
        applied.is_some_and(|Condition { state, .. }| *state == ConditionState::True)
    }
}
