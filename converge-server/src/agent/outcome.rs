//! The outcome of a run and its conversion to reported conditions.

use converge_controller::protobuf::Timestamp;
use converge_controller::{Condition, ConditionState};
use converge_core::engine::{self, Summary};
use converge_core::plan::Report;

use super::drift::Drift;
use crate::fleet::types::{self, Assignment, ERRORS, TEXT, shortened};

/// The outcome of one check or apply of a module on this machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The module or the node is suspended.
    Suspended,
    /// The module could not be loaded, or the run could not start.
    NotRun(String),
    /// The module was checked and nothing was changed.
    Planned(Seen),
    /// The module was checked, but changes are not allowed now, outside of the module's windows.
    Waits {
        /// The result of the check.
        seen: Seen,
        /// The time from which changes are allowed.
        until: Option<Timestamp>,
    },
    /// The drift was corrected.
    Applied {
        /// The result of the check before the changes.
        before: Seen,
        /// The result after the changes.
        after: Seen,
    },
}

impl Outcome {
    /// Whether the module could not be applied although it should have been.
    pub(super) fn failed(&self) -> bool {
        match self {
            Self::NotRun(_) => true,
            Self::Applied { after, .. } => after.is_so() != ConditionState::True,
            Self::Planned(seen) | Self::Waits { seen, .. } => seen.summary.failed > 0,
            Self::Suspended => false,
        }
    }

    /// Returns the drift and the action on each resource.
    pub(super) fn found(&self) -> Option<&Drift> {
        match self {
            Self::Suspended | Self::NotRun(_) => None,
            Self::Planned(seen) | Self::Waits { seen, .. } => Some(&seen.found),
            // Another program may have fixed the drift before the apply.
            Self::Applied { before, after } if after.found.is_empty() => Some(&before.found),
            Self::Applied { after, .. } => Some(&after.found),
        }
    }

    /// Whether no change was needed.
    pub(super) fn is_as_it_should_be(&self) -> bool {
        self.settled().is_some()
    }

    /// Returns what a check found that found nothing to do.
    pub(super) fn settled(&self) -> Option<&Seen> {
        match self {
            Self::Planned(seen) => Some(seen).filter(|seen| seen.is_settled()),
            _ => None,
        }
    }
}

/// A summary of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    summary: Summary,
    /// The names of the first resources that changed or would change.
    changes: Vec<String>,
    /// The first errors with the names of their resources.
    errors: Vec<String>,
    /// The drift.
    found: Drift,
}

impl From<&Report> for Seen {
    fn from(report: &Report) -> Self {
        let failures = report.resources.iter().filter_map(|resource| {
            let failure = resource.failure.as_ref()?;
            Some(shortened(&format!("{}: {}", resource.id, failure.message), TEXT))
        });
        let is_change = |outcome| matches!(outcome, engine::Outcome::Changed | engine::Outcome::WillChange);
        let changes = report.resources.iter().filter(|resource| is_change(resource.outcome));
        Self {
            summary: report.summary,
            changes: changes
                .take(types::CHANGES)
                .map(|resource| shortened(resource.id.short(), types::NAME))
                .collect(),
            errors: failures.take(ERRORS).collect(),
            found: Drift::from(report),
        }
    }
}

impl Seen {
    pub(super) fn has_changes(&self) -> bool {
        self.summary.has_changes()
    }

    /// Whether there was nothing to do.
    pub(super) fn is_settled(&self) -> bool {
        !self.has_changes() && self.summary.failed == 0
    }

    /// Returns the names of the first resources that changed or would change.
    pub(super) fn changes(&self) -> &[String] {
        &self.changes
    }

    /// Returns the drift.
    pub(super) fn found(&self) -> &Drift {
        &self.found
    }

    /// Returns the first errors.
    pub(super) fn errors(&self) -> &[String] {
        &self.errors
    }

    /// Returns whether the machine is as the module declares, as far as the run could tell.
    pub(super) fn is_so(&self) -> ConditionState {
        let Summary { will_change, may_change, failed, skipped, not_run, .. } = self.summary;
        if failed + skipped + not_run > 0 || will_change > 0 {
            ConditionState::False
        } else if may_change > 0 {
            ConditionState::Unknown
        } else {
            ConditionState::True
        }
    }

    /// Returns the number of resources of each outcome, without zeros.
    pub(super) fn counted(&self) -> String {
        let Summary { unchanged, will_change, may_change, changed, failed, skipped, not_run, .. } =
            self.summary;
        let counts = [
            (changed, "changed"),
            (will_change, "to change"),
            (may_change, "that may change"),
            (failed, "failed"),
            (skipped + not_run, "not run"),
            (unchanged, "unchanged"),
        ];
        let counts =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let counts: Vec<_> = counts.collect();
        if counts.is_empty() { "no resources".to_owned() } else { counts.join(", ") }
    }
}

/// Returns the conditions to report: `planned`, `applied`, `drifted`, `failed` and `suspended`.
///
/// Conditions that are not known are omitted. `was_applied` tells whether the last check found the machine as
/// this revision declares. If so, any difference is drift.
pub(super) fn conditions(outcome: &Outcome, was_applied: bool) -> Vec<Condition> {
    let condition = |name, state| Condition::new(name, state);
    let suspended = |holds: bool| condition("suspended", holds.into());
    let failed = |errors: &[String]| {
        let failed = condition(Assignment::FAILED, (!errors.is_empty()).into());
        if errors.is_empty() { failed } else { failed.reason("Errors").message(errors.join("\n")) }
    };
    let applied = |seen: &Seen| condition(Assignment::APPLIED, seen.is_so()).message(seen.counted());
    let drifted = |seen: &Seen| {
        let drifted = condition(Assignment::DRIFTED, (was_applied && seen.has_changes()).into());
        if was_applied && seen.has_changes() { drifted.message(seen.counted()) } else { drifted }
    };
    let planned = |seen: &Seen| condition(Assignment::PLANNED, ConditionState::True).message(seen.counted());
    match outcome {
        Outcome::Suspended => vec![suspended(true)],
        Outcome::NotRun(why) => {
            let reason = shortened(why, TEXT);
            vec![
                condition(Assignment::PLANNED, ConditionState::False).reason("NotRun"),
                condition(Assignment::APPLIED, ConditionState::False).reason("NotRun"),
                failed(&[reason]),
                suspended(false),
            ]
        }
        Outcome::Planned(seen) => {
            vec![planned(seen), applied(seen), drifted(seen), failed(&seen.errors), suspended(false)]
        }
        Outcome::Waits { seen, until } => {
            let from = until.map_or_else(String::new, |end| format!(" from {end} on"));
            let message = format!("{}; it may be changed in its windows{from}", seen.counted());
            let applied =
                condition(Assignment::APPLIED, seen.is_so()).reason("OutsideWindows").message(message);
            vec![planned(seen), applied, drifted(seen), failed(&seen.errors), suspended(false)]
        }
        Outcome::Applied { before, after } => {
            vec![planned(before), applied(after), drifted(before), failed(&after.errors), suspended(false)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(change: impl FnOnce(&mut Summary), errors: &[&str]) -> Seen {
        let mut summary = Summary::default();
        change(&mut summary);
        let errors = errors.iter().map(|&error| error.to_owned()).collect();
        Seen { summary, changes: Vec::new(), errors, found: Drift::default() }
    }

    #[test]
    fn what_is_reported() {
        #[track_caller]
        fn check(outcome: &Outcome, was_applied: bool, expect: &[&str]) {
            let actual = conditions(outcome, was_applied);
            let actual: Vec<_> = actual
                .iter()
                .map(|Condition { condition_type, state, reason, message, .. }| {
                    format!("{condition_type} {state} {reason} {message}").trim_end().replace("  ", " ")
                })
                .collect();
            assert_eq!(actual, expect);
        }
        check(&Outcome::Suspended, true, &["suspended true"]);
        let not_run = [
            "planned false NotRun",
            "applied false NotRun",
            "failed true Errors no such type",
            "suspended false",
        ];
        check(&Outcome::NotRun("no such type".into()), true, &not_run);
        let in_sync = seen(|summary| summary.unchanged = 2, &[]);
        let expect = |applied, drifted, failed| {
            ["planned true 2 unchanged", applied, drifted, failed, "suspended false"]
        };
        check(
            &Outcome::Planned(in_sync.clone()),
            true,
            &expect("applied true 2 unchanged", "drifted false", "failed false"),
        );
        let other = seen(|summary| (summary.unchanged, summary.will_change) = (1, 1), &[]);
        check(
            &Outcome::Waits { seen: other.clone(), until: "2026-11-23T22:00:00Z".parse().ok() },
            false,
            &[
                "planned true 1 to change, 1 unchanged",
                "applied false OutsideWindows 1 to change, 1 unchanged; it may be changed in its windows from 2026-11-23T22:00:00Z on",
                "drifted false",
                "failed false",
                "suspended false",
            ],
        );
        for (was_applied, drifted) in
            [(false, "drifted false"), (true, "drifted true 1 to change, 1 unchanged")]
        {
            check(
                &Outcome::Planned(other.clone()),
                was_applied,
                &[
                    "planned true 1 to change, 1 unchanged",
                    "applied false 1 to change, 1 unchanged",
                    drifted,
                    "failed false",
                    "suspended false",
                ],
            );
        }
        let mended = seen(|summary| (summary.unchanged, summary.changed) = (1, 1), &[]);
        check(
            &Outcome::Applied { before: other.clone(), after: mended },
            true,
            &[
                "planned true 1 to change, 1 unchanged",
                "applied true 1 changed, 1 unchanged",
                "drifted true 1 to change, 1 unchanged",
                "failed false",
                "suspended false",
            ],
        );
        let broken =
            seen(|summary| (summary.failed, summary.skipped) = (1, 1), &["root/task.a: exit code 1"]);
        check(
            &Outcome::Applied { before: other, after: broken },
            false,
            &[
                "planned true 1 to change, 1 unchanged",
                "applied false 1 failed, 1 not run",
                "drifted false",
                "failed true Errors root/task.a: exit code 1",
                "suspended false",
            ],
        );
        let open = seen(|summary| summary.may_change = 1, &[]);
        check(
            &Outcome::Planned(open),
            false,
            &[
                "planned true 1 that may change",
                "applied unknown 1 that may change",
                "drifted false",
                "failed false",
                "suspended false",
            ],
        );
        let nothing = seen(|_| {}, &[]);
        assert_eq!(conditions(&Outcome::Planned(nothing), false)[0].message, "no resources");
    }
}
