//! The state of one assignment on this machine: the next check, failures and the unreported status.

use std::time::Duration;

use converge_controller::clock::Random;
use converge_controller::protobuf::Timestamp;
use converge_controller::{Condition, ConditionState, Status, Typed};
use tokio::time::Instant;

use super::known_module::KnownModule;
use super::outcome::{Outcome, conditions};
use super::secrets::Secrets;
use crate::fleet::types::{Assignment, Revision, until};

/// The delay while another run holds the lock.
const BUSY: Duration = Duration::from_secs(10);
/// The first delay before a failed apply is retried.
///
/// It doubles with each failure.
const AGAIN: Duration = Duration::from_secs(5);
/// The delay after a change to a managed thing, because the program that made it may not have finished.
const SETTLE: Duration = Duration::from_millis(50);
/// The delay until a change can trigger a check again, after such a check found nothing to do.
///
/// It doubles each time.
const FALSE_ALARM: Duration = Duration::from_secs(10);
/// The same after a check that found something to do, up to `FALSE_ALARM`.
const REPAIR: Duration = Duration::from_secs(1);
/// The maximum random delay of a machine after a window opens.
const OPENED: Duration = Duration::from_secs(30);
/// The fraction by which an interval varies randomly, which spreads the checks of many machines.
const JITTER: f64 = 0.1;

/// The state of one assignment and its revision.
#[derive(Debug)]
pub(super) struct AssignmentState {
    assignment: Typed<Assignment>,
    revision: Typed<Revision>,
    secrets: Secrets,
    module: Option<KnownModule>,
    /// The last status, reported or not.
    status: Option<Status>,
    is_reported: bool,
    /// The time of the next check.
    due: Instant,
    /// The number of failed applies since the last success.
    failures: u32,
    /// The time before which no change triggers a check.
    quiet_until: Instant,
    /// The number of consecutive checks that a change triggered and that found nothing to do.
    false_alarms: u32,
    /// The number of consecutive checks that changes triggered and that found something to do.
    repairs: u32,
    /// Whether the last check applied the module, which changes what is watched.
    has_applied: bool,
    /// Whether a change triggered the next check.
    is_noticed: bool,
}

impl AssignmentState {
    /// Creates the state of an assignment before its first check, with its earlier reported status.
    pub(super) fn new(assignment: Typed<Assignment>, revision: Typed<Revision>, now: Instant) -> Self {
        let key = assignment.resource.status.keys().find(|key| key.as_str() == Assignment::REPORT);
        let status = key.and_then(|key| assignment.status(key)).cloned();
        Self {
            assignment,
            revision,
            secrets: Secrets::default(),
            module: None,
            status,
            is_reported: true,
            due: now,
            failures: 0,
            quiet_until: now,
            false_alarms: 0,
            repairs: 0,
            has_applied: false,
            is_noticed: false,
        }
    }

    /// Adds a status that must still be reported.
    pub(super) fn with_unreported(self, status: Status) -> Self {
        Self { status: Some(status), is_reported: false, ..self }
    }

    pub(super) fn assignment(&self) -> &Typed<Assignment> {
        &self.assignment
    }

    pub(super) fn revision(&self) -> &Typed<Revision> {
        &self.revision
    }

    /// Sets the secrets that were known before.
    pub(super) fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Replaces the secrets with the requested ones.
    pub(super) fn take_secrets(&mut self, secrets: Secrets) {
        if secrets != self.secrets {
            self.module = None;
        }
        self.secrets = secrets;
    }

    /// Takes what is known of the module, unless it may load differently now.
    ///
    /// The files beside a fetched module may be others.
    pub(super) fn take_module(&mut self, now: Instant) -> Option<KnownModule> {
        let is_fetched = self.revision.content.source.is_some();
        self.module.take().filter(|module| !is_fetched && !module.is_old(now))
    }

    /// Keeps what is known of the module for the next checks.
    pub(super) fn keep_module(&mut self, module: KnownModule) {
        self.module = Some(module);
    }

    /// Makes a check due at once if it waits for secrets from the server, which is reachable now.
    pub(super) fn server_is_there(&mut self, now: Instant) {
        if !self.secrets.match_assignment(&self.assignment) {
            self.due = self.due.min(now);
        }
    }

    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// Returns the status that the server does not have yet.
    pub(super) fn unreported(&self) -> Option<&Status> {
        self.status.as_ref().filter(|_| !self.is_reported)
    }

    pub(super) fn reported(&mut self) {
        self.is_reported = true;
    }

    /// Takes the assignment and revision from the server.
    ///
    /// A new generation is checked at once; a status change has no effect.
    pub(super) fn replace(&mut self, assignment: Typed<Assignment>, revision: Typed<Revision>, now: Instant) {
        if assignment.resource.generation != self.assignment.resource.generation
            || assignment.id().uid != self.assignment.id().uid
        {
            self.due = now;
            self.failures = 0;
            self.false_alarms = 0;
            // The unreported status is about the previous revision.
            self.is_reported = true;
        }
        if revision.content != self.revision.content {
            self.module = None;
        }
        (self.assignment, self.revision) = (assignment, revision);
    }

    /// Schedules a check after a change to a managed thing.
    ///
    /// The change may come from another program or from the last check itself, which cannot be distinguished.
    pub(super) fn notice(&mut self, now: Instant) {
        // It may have been a link, which decides how the module is loaded.
        self.module = None;
        let soon = (now + SETTLE).max(self.quiet_until);
        if soon < self.due {
            self.due = soon;
            self.is_noticed = true;
        }
    }

    /// Records the outcome of a check.
    pub(super) fn looked(&mut self, outcome: &Outcome, now: Instant, random: &mut Random) {
        let Some(generation) = self.assignment.resource.generation else { return };
        let status = Status::new(generation, conditions(outcome, self.was_applied()));
        if self.status.as_ref().is_none_or(|previous| !previous.says_the_same_as(&status)) {
            self.is_reported = false;
            self.status = Some(status);
        }
        let interval = self.interval(outcome);
        self.quiet_until = now + self.quiet(outcome);
        self.due = now + random.duration(interval.mul_f64(1.0 - JITTER), interval.mul_f64(1.0 + JITTER));
        if let Outcome::Waits { until: Some(opens), .. } = outcome {
            let opens = now + until(Timestamp::now(), *opens);
            let spread = OPENED.min(self.assignment.interval);
            self.due = self.due.min(opens + random.duration(Duration::ZERO, spread));
        }
    }

    /// Returns how long no change triggers a check.
    fn quiet(&mut self, outcome: &Outcome) -> Duration {
        let was_noticed = std::mem::take(&mut self.is_noticed);
        let has_applied =
            std::mem::replace(&mut self.has_applied, matches!(outcome, Outcome::Applied { .. }));
        let doubled = |delay: Duration, times: u32| delay.saturating_mul(2_u32.saturating_pow(times));
        let quiet = match (was_noticed, outcome.is_as_it_should_be()) {
            // The agent noticed its own changes.
            (true, true) if has_applied => Duration::ZERO,
            (true, true) => {
                self.false_alarms = self.false_alarms.saturating_add(1);
                doubled(FALSE_ALARM, self.false_alarms - 1)
            }
            (true, false) => {
                (self.false_alarms, self.repairs) = (0, self.repairs.saturating_add(1));
                doubled(REPAIR, self.repairs - 1).min(FALSE_ALARM)
            }
            (false, _) => {
                (self.false_alarms, self.repairs) = (0, 0);
                Duration::ZERO
            }
        };
        quiet.min(self.assignment.interval)
    }

    /// Returns the delay until the next check.
    ///
    /// A failed apply is retried soon at first, because a slow service soon becomes ready, and then less and
    /// less often.
    fn interval(&mut self, outcome: &Outcome) -> Duration {
        self.failures = if outcome.failed() { self.failures.saturating_add(1) } else { 0 };
        let maximum = self.assignment.interval;
        match self.failures.checked_sub(1) {
            Some(earlier) => AGAIN.saturating_mul(2_u32.saturating_pow(earlier)).min(maximum),
            None => maximum,
        }
    }

    /// Waits for the run of another process.
    pub(super) fn put_off(&mut self, now: Instant) {
        self.due = now + BUSY.min(self.assignment.interval);
    }

    /// Whether the last check found the machine as this revision declares.
    fn was_applied(&self) -> bool {
        let of_now =
            |status: &&Status| Some(status.observed_generation) == self.assignment.resource.generation;
        let applied =
            self.status.as_ref().filter(of_now).and_then(|status| status.condition(Assignment::APPLIED));
        applied.is_some_and(|Condition { state, .. }| *state == ConditionState::True)
    }
}

#[cfg(test)]
mod tests {
    use converge_controller::Scope;

    use super::*;
    use crate::agent::known_module::Loaded;
    use crate::agent::outcome::Seen;
    use crate::fleet::types::Source;

    fn duty(now: Instant) -> AssignmentState {
        let key_of = |name: &str| (Scope::Namespace.default_tenancy(), name.parse().unwrap());
        let ((tenancy, name), interval) = (key_of("web-1-site"), Duration::from_secs(100));
        let mut assignment = Typed::named(tenancy, name, Assignment { interval, ..Assignment::default() });
        assignment.resource.generation = Some("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap());
        let (tenancy, name) = key_of("site-1");
        AssignmentState::new(assignment, Typed::named(tenancy, name, Revision::default()), now)
    }

    #[test]
    fn what_waits_for_a_window_is_looked_at_when_that_opens() {
        let began = Instant::now();
        let mut random = Random::from_seed(1);
        let mut duty = duty(began);
        let soon = Timestamp::now() + Duration::from_secs(40);
        duty.looked(&Outcome::Waits { seen: Seen::default(), until: Some(soon) }, began, &mut random);
        assert!(duty.due() + began.elapsed() > began + Duration::from_secs(39));
        assert!(duty.due() <= began + Duration::from_secs(40) + OPENED);
        // Not before the end of the interval, if that comes later.
        let later = Timestamp::now() + Duration::from_hours(1);
        duty.looked(&Outcome::Waits { seen: Seen::default(), until: Some(later) }, began, &mut random);
        assert!(duty.due() <= began + Duration::from_secs(110));
    }

    #[test]
    fn a_module_is_loaded_again_when_it_may_load_differently() {
        let began = Instant::now();
        let check = |after: Duration, act: &dyn Fn(&mut AssignmentState), expect: bool| {
            let mut duty = duty(began);
            assert!(duty.take_module(began).is_none());
            duty.keep_module(KnownModule::new(Loaded::empty(), began, duty.assignment.id(), None));
            act(&mut duty);
            assert_eq!(duty.take_module(began + after).is_some(), expect);
        };
        let revised = |change: &dyn Fn(&mut Revision)| {
            let mut revision = duty(began).revision.clone();
            change(&mut revision.data);
            revision
        };
        let minute = Duration::from_mins(1);
        check(minute, &|_| {}, true);
        check(Duration::from_hours(1), &|_| {}, false);
        check(minute, &|duty| duty.replace(duty.assignment.clone(), duty.revision.clone(), began), true);
        let other = revised(&|revision| revision.content.text.push('#'));
        check(minute, &|duty| duty.replace(duty.assignment.clone(), other.clone(), began), false);
        let fetched = revised(&|revision| revision.content.source = Some(Source::default()));
        check(minute, &|duty| duty.revision = fetched.clone(), false);
        check(minute, &|duty| duty.take_secrets(Secrets::default()), true);
        check(minute, &|duty| duty.take_secrets(Secrets::known("password", "1")), false);
        check(minute, &|duty| duty.notice(began), false);
    }

    #[test]
    fn what_others_change_is_looked_at_soon_and_not_too_often() {
        let began = Instant::now();
        let time = |second: f64| began + Duration::from_secs_f64(second);
        let mut random = Random::from_seed(1);
        let mut duty = duty(began);
        let success = Outcome::Planned(Seen::default());
        let failure = Outcome::NotRun("no".to_owned());
        duty.looked(&success, time(0.0), &mut random);
        assert!(duty.due() >= time(90.0), "by its interval");

        duty.notice(time(20.0));
        assert_eq!(duty.due(), time(20.05), "it may not be finished");
        duty.notice(time(20.02));
        assert_eq!(duty.due(), time(20.05), "who goes on does not put it off");

        // Checks with nothing to do.
        for (moment, next) in [(21.0, 31.0), (31.0, 51.0), (51.0, 91.0), (91.0, 171.0)] {
            duty.looked(&success, time(moment), &mut random);
            duty.notice(time(moment + 0.1));
            assert_eq!(duty.due(), time(next));
        }
        duty.looked(&success, time(171.0), &mut random);
        duty.notice(time(171.1));
        assert!(duty.due() <= time(171.0 + 110.0), "no later than by the interval");

        // Somebody undoes each repair, which the agent also notices itself.
        let repair = Outcome::Applied { before: Seen::default(), after: Seen::default() };
        for (moment, next) in [(200.0, 201.0), (201.0, 203.0), (203.0, 207.0), (207.0, 215.0), (215.0, 225.0)]
        {
            duty.looked(&repair, time(moment), &mut random);
            duty.notice(time(moment + 0.1));
            assert_eq!(duty.due(), time(next));
        }
        duty.looked(&success, time(225.0), &mut random);
        duty.notice(time(225.1));
        assert_eq!(duty.due(), time(225.15), "its own change is no reason to wait");

        duty.looked(&failure, time(300.0), &mut random);
        assert!(duty.due() <= time(305.5), "tried again soon, as ever");
        duty.notice(time(300.1));
        assert!(duty.due() <= time(305.5), "and no later than that");
        duty.looked(&success, time(305.0), &mut random);
        duty.notice(time(305.1));
        assert_eq!(duty.due(), time(305.15), "as at first");
    }
}
