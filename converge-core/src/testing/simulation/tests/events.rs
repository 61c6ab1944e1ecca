//! Events that no engine sends, which show that each invariant can be violated.

use super::*;
use crate::engine::{EventKind, Failure, InterruptKind, ResourceReport, Skipped, Stage as Step};
use std::time::Duration;

/// A module with everything that the invariants concern: dependencies, a group, a lock and a refresh.
const MODULE: &str = r#"
    note "conf" { path = "/srv/conf" text = "a" }
    note "more" { path = "/srv/more" text = "{{lookup `note.conf.text`}}" group = "g" }
    note "other" { path = "/srv/other" text = "b" group = "g" depends = ["note.conf"] }
    entry "one" { line = "one" }
    entry "two" { line = "two" }
    daemon "old" { name = "old1" reads = ["/srv/conf"] on_change_of = ["note.conf"] }
"#;

/// Changes the events of a run of the module and checks the reported violation.
fn check(scenario: &str, change: impl FnOnce(&mut Ran), says: &str) {
    let simulation = simulated(MODULE);
    let (graph, _) = simulation.end().unwrap();
    let mut ran = simulation.stage(&graph, None).apply(&scenario.parse().unwrap()).unwrap();
    invariants::check(&graph, &ran).unwrap();
    change(&mut ran);
    assert_eq!(invariants::check(&graph, &ran), Err(says.to_owned()));
}

fn place(ran: &Ran, is: impl Fn(&EventKind) -> bool) -> usize {
    ran.events().position(is).unwrap()
}

fn started(ran: &Ran, of: &str) -> usize {
    place(ran, |event| matches!(event, EventKind::ResourceStarted { id } if id.short() == of))
}

fn finished(ran: &Ran, of: &str) -> usize {
    place(ran, |event| matches!(event, EventKind::ResourceFinished(report) if report.id.short() == of))
}

fn report<'r>(ran: &'r mut Ran, of: &str) -> &'r mut ResourceReport {
    let at = finished(ran, of);
    match &mut ran.events[at].1 {
        EventKind::ResourceFinished(report) => report,
        _ => unreachable!("it was looked for"),
    }
}

fn move_to(ran: &mut Ran, from: usize, to: usize) {
    let event = ran.events.remove(from);
    ran.events.insert(to, event);
}

const PLAIN: &str = "workers=4 order=1 delays=1";

#[test]
fn events_that_are_not_well_formed() {
    check(PLAIN, |ran| drop(ran.events.remove(0)), "the run never says that it has begun");
    check(
        PLAIN,
        |ran| {
            let at = finished(ran, "entry.one");
            ran.events.remove(at);
        },
        "what came of entry.one is not told",
    );
    check(
        PLAIN,
        |ran| {
            let at = finished(ran, "entry.one");
            let again = ran.events[at].clone();
            ran.events.insert(at, again);
        },
        "entry.one ends twice",
    );
    check(
        PLAIN,
        |ran| {
            let at = started(ran, "entry.one");
            let again = ran.events[at].clone();
            ran.events.insert(at, again);
        },
        "entry.one begins twice",
    );
    check(
        PLAIN,
        |ran| {
            let at = finished(ran, "entry.one");
            let id = report(ran, "entry.one").id.clone();
            let told = (Duration::ZERO, EventKind::ResourceStep { id, text: "late".to_owned() });
            ran.events.insert(at + 1, told);
        },
        "entry.one is worked on after it has ended",
    );
    check(
        PLAIN,
        |ran| {
            let id = report(ran, "entry.one").id.clone();
            ran.events.insert(1, (Duration::ZERO, EventKind::ResourceStep { id, text: "early".to_owned() }));
        },
        "the progress of entry.one is told before it begins",
    );
    check(PLAIN, |ran| drop(ran.events.pop()), "the last event is not the end of the run");
    check(
        PLAIN,
        |ran| report(ran, "entry.one").outcome = Outcome::Unchanged,
        "the summary says `6 changed, 0 failed, 0 unchanged`, and what was told is `5 changed, 0 failed, 1 unchanged`",
    );
    check(PLAIN, |ran| ran.ended = Some(Err("no".to_owned())), "the run could not be made: no");
}

#[test]
fn what_begins_too_early() {
    check(
        PLAIN,
        |ran| {
            let at = started(ran, "note.more");
            move_to(ran, at, 1);
        },
        "note.more begins before note.conf has ended",
    );
}

#[test]
fn locks_that_two_have() {
    check(
        PLAIN,
        |ran| {
            let (more, other) = (started(ran, "note.more"), started(ran, "note.other"));
            move_to(ran, more.max(other), more.min(other) + 1);
        },
        "note.other begins while note.more is worked on, and both are of the group \"g\"",
    );
    check(
        PLAIN,
        |ran| {
            let apply = |of: &'static str| move |event: &EventKind| matches!(event, EventKind::ResourceStage { id, stage: Step::Apply } if id.short() == of);
            let (one, two) = (place(ran, apply("entry.one")), place(ran, apply("entry.two")));
            move_to(ran, one.max(two), one.min(two) + 1);
        },
        "entry.two changes the machine while entry.one does, and both have the lock \"list\"",
    );
}

#[test]
fn failures_of_which_nobody_takes_notice() {
    fn fail(ran: &mut Ran) {
        let report = report(ran, "note.conf");
        report.outcome = Outcome::Failed;
        // The summary is corrected because this case is about something else.
        recount(ran);
    }
    fn recount(ran: &mut Ran) {
        let mut counted = crate::engine::Summary::default();
        ran.reports().for_each(|report| counted.count_report(report));
        let Some((_, EventKind::RunFinished { summary })) = ran.events.last_mut() else { unreachable!() };
        counted.elapsed = summary.elapsed;
        *summary = counted;
    }
    fn skip(ran: &mut Ran, skipped: Option<&str>) {
        for of in ["note.more", "note.other", "daemon.old"] {
            let at = started(ran, of);
            ran.events.remove(at);
            ran.events.retain(|(_, event)| {
                !matches!(event, EventKind::ResourceStage { id, .. } | EventKind::ResourceWaiting { id, .. } if id.short() == of)
            });
            let cause = report(ran, skipped.unwrap_or("note.conf")).id.clone();
            let report = report(ran, of);
            report.outcome = Outcome::Skipped;
            report.skipped = skipped.map(|_| Skipped { cause, reason: "it failed".to_owned() });
        }
        recount(ran);
    }
    check(PLAIN, fail, "daemon.old was begun, though it waits for note.conf, which failed");
    check(
        PLAIN,
        |ran| {
            fail(ran);
            skip(ran, None);
        },
        "daemon.old was skipped, and does not say for what",
    );
    check(
        PLAIN,
        |ran| {
            fail(ran);
            skip(ran, Some("entry.one"));
        },
        "daemon.old was skipped for entry.one, which did not fail",
    );
    check(
        PLAIN,
        |ran| {
            report(ran, "entry.one").outcome = Outcome::Skipped;
            recount(ran);
        },
        "entry.one was begun, and says that it was skipped",
    );
    check(
        PLAIN,
        |ran| {
            report(ran, "entry.one").outcome = Outcome::NotRun;
            recount(ran);
        },
        "entry.one was not run, and nobody has interrupted the run",
    );
    check(
        PLAIN,
        |ran| {
            let report = report(ran, "entry.one");
            report.outcome = Outcome::Failed;
            report.failure = Some(Failure {
                stage: Step::Apply,
                message: "the resource panicked: no".to_owned(),
                diagnostics: Vec::new(),
            });
            recount(ran);
        },
        "entry.one fails with a panic: the resource panicked: no",
    );
}

#[test]
fn what_goes_on_after_an_interrupt() {
    let interrupted = |interrupt| (Duration::ZERO, EventKind::Interrupted { interrupt, running: Vec::new() });
    check(
        "workers=1 delays=1",
        |ran| {
            let at = started(ran, "note.more");
            ran.events.insert(at, interrupted(InterruptKind::Finish));
        },
        "note.more begins after the run was asked to stop",
    );
    check(
        "workers=1 delays=1",
        |ran| {
            let at = ran.events.len() - 1;
            ran.events[at].0 = Duration::from_secs(3);
            ran.events.insert(at, interrupted(InterruptKind::Cancel));
        },
        "the run ends 3s after it was cancelled",
    );
    check(
        PLAIN,
        |ran| ran.afterwards = 3,
        "something still works on the machine after the run has ended: 3 operations in the following 86400s",
    );
}

#[test]
fn refreshes_that_are_lost() {
    let simulation = simulated(MODULE);
    let (graph, _) = simulation.end().unwrap();
    let stage = simulation.stage(&graph, None);
    let mut first = stage.apply(&PLAIN.parse().unwrap()).unwrap();
    let mut next = stage.apply(&PLAIN.parse().unwrap()).unwrap();
    invariants::refreshes_are_made(&graph, &first, &next).unwrap();
    report(&mut first, "daemon.old").outcome = Outcome::Unchanged;
    let lost = invariants::refreshes_are_made(&graph, &first, &next).unwrap_err();
    assert_eq!(lost, "note.conf was changed, and daemon.old was not refreshed");
    report(&mut first, "daemon.old").outcome = Outcome::NotRun;
    let lost = invariants::refreshes_are_made(&graph, &first, &next).unwrap_err();
    assert_eq!(
        lost,
        "note.conf was changed in a run that did not come to refresh daemon.old, and the next run does not do it either"
    );
    report(&mut next, "daemon.old").outcome = Outcome::Failed;
    invariants::refreshes_are_made(&graph, &first, &next).unwrap();
}
