//! Events that no engine sends, which show that each invariant can be violated.

use super::*;
use converge_engine::{EventKind, Failure, InterruptKind, ResourceReport, Skipped, Stage as Step};
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
fn check(scenario: &str, change: impl FnOnce(&mut Ran), message: &str) {
    let simulation = simulated(MODULE);
    let (graph, _) = simulation.end().unwrap();
    let mut run = simulation.stage(&graph, None).apply(&scenario.parse().unwrap()).unwrap();
    invariants::check(&graph, &run).unwrap();
    change(&mut run);
    assert_eq!(invariants::check(&graph, &run), Err(message.to_owned()));
}

fn place(run: &Ran, is: impl Fn(&EventKind) -> bool) -> usize {
    run.events().position(is).unwrap()
}

fn started(run: &Ran, name: &str) -> usize {
    place(run, |event| matches!(event, EventKind::ResourceStarted { id } if id.short() == name))
}

fn finished(run: &Ran, name: &str) -> usize {
    place(run, |event| matches!(event, EventKind::ResourceFinished(report) if report.id.short() == name))
}

fn report<'r>(run: &'r mut Ran, name: &str) -> &'r mut ResourceReport {
    let index = finished(run, name);
    match &mut run.events[index].1 {
        EventKind::ResourceFinished(report) => report,
        _ => unreachable!("it was looked for"),
    }
}

fn move_to(run: &mut Ran, from: usize, to: usize) {
    let event = run.events.remove(from);
    run.events.insert(to, event);
}

const PLAIN: &str = "workers=4 order=1 delays=1";

#[test]
fn events_that_are_not_well_formed() {
    check(PLAIN, |run| drop(run.events.remove(0)), "the run never says that it has begun");
    check(
        PLAIN,
        |run| {
            let index = finished(run, "entry.one");
            run.events.remove(index);
        },
        "what came of entry.one is not told",
    );
    check(
        PLAIN,
        |run| {
            let index = finished(run, "entry.one");
            let event = run.events[index].clone();
            run.events.insert(index, event);
        },
        "entry.one ends twice",
    );
    check(
        PLAIN,
        |run| {
            let index = started(run, "entry.one");
            let event = run.events[index].clone();
            run.events.insert(index, event);
        },
        "entry.one begins twice",
    );
    check(
        PLAIN,
        |run| {
            let index = finished(run, "entry.one");
            let id = report(run, "entry.one").id.clone();
            let late_event = (Duration::ZERO, EventKind::ResourceStep { id, text: "late".to_owned() });
            run.events.insert(index + 1, late_event);
        },
        "entry.one is worked on after it has ended",
    );
    check(
        PLAIN,
        |run| {
            let id = report(run, "entry.one").id.clone();
            run.events.insert(1, (Duration::ZERO, EventKind::ResourceStep { id, text: "early".to_owned() }));
        },
        "the progress of entry.one is told before it begins",
    );
    check(PLAIN, |run| drop(run.events.pop()), "the last event is not the end of the run");
    check(
        PLAIN,
        |run| report(run, "entry.one").outcome = Outcome::Unchanged,
        "the summary says `6 changed, 0 failed, 0 unchanged`, and what was told is `5 changed, 0 failed, 1 unchanged`",
    );
    check(PLAIN, |run| run.ended = Some(Err("no".to_owned())), "the run could not be made: no");
}

#[test]
fn what_begins_too_early() {
    check(
        PLAIN,
        |run| {
            let index = started(run, "note.more");
            move_to(run, index, 1);
        },
        "note.more begins before note.conf has ended",
    );
}

#[test]
fn locks_that_two_have() {
    check(
        PLAIN,
        |run| {
            let (index_of_more, index_of_other) = (started(run, "note.more"), started(run, "note.other"));
            move_to(run, index_of_more.max(index_of_other), index_of_more.min(index_of_other) + 1);
        },
        "note.other begins while note.more is worked on, and both are of the group \"g\"",
    );
    check(
        PLAIN,
        |run| {
            let apply = |of: &'static str| move |event: &EventKind| matches!(event, EventKind::ResourceStage { id, stage: Step::Apply } if id.short() == of);
            let (index_of_one, two) = (place(run, apply("entry.one")), place(run, apply("entry.two")));
            move_to(run, index_of_one.max(two), index_of_one.min(two) + 1);
        },
        "entry.two changes the machine while entry.one does, and both have the lock \"list\"",
    );
}

#[test]
fn failures_of_which_nobody_takes_notice() {
    fn fail(run: &mut Ran) {
        let report = report(run, "note.conf");
        report.outcome = Outcome::Failed;
        // The summary is corrected because this case is about something else.
        recount(run);
    }
    fn recount(run: &mut Ran) {
        let mut counted = converge_engine::Summary::default();
        run.reports().for_each(|report| counted.count_report(report));
        let Some((_, EventKind::RunFinished { summary })) = run.events.last_mut() else { unreachable!() };
        counted.elapsed = summary.elapsed;
        *summary = counted;
    }
    fn skip(run: &mut Ran, skipped: Option<&str>) {
        for name in ["note.more", "note.other", "daemon.old"] {
            let index = started(run, name);
            run.events.remove(index);
            run.events.retain(|(_, event)| {
                !matches!(event, EventKind::ResourceStage { id, .. } | EventKind::ResourceWaiting { id, .. } if id.short() == name)
            });
            let cause = report(run, skipped.unwrap_or("note.conf")).id.clone();
            let report = report(run, name);
            report.outcome = Outcome::Skipped;
            report.skipped = skipped.map(|_| Skipped { cause, reason: "it failed".to_owned() });
        }
        recount(run);
    }
    check(PLAIN, fail, "daemon.old was begun, though it waits for note.conf, which failed");
    check(
        PLAIN,
        |run| {
            fail(run);
            skip(run, None);
        },
        "daemon.old was skipped, and does not say for what",
    );
    check(
        PLAIN,
        |run| {
            fail(run);
            skip(run, Some("entry.one"));
        },
        "daemon.old was skipped for entry.one, which did not fail",
    );
    check(
        PLAIN,
        |run| {
            report(run, "entry.one").outcome = Outcome::Skipped;
            recount(run);
        },
        "entry.one was begun, and says that it was skipped",
    );
    check(
        PLAIN,
        |run| {
            report(run, "entry.one").outcome = Outcome::NotRun;
            recount(run);
        },
        "entry.one was not run, and nobody has interrupted the run",
    );
    check(
        PLAIN,
        |run| {
            let report = report(run, "entry.one");
            report.outcome = Outcome::Failed;
            report.failure = Some(Failure {
                stage: Step::Apply,
                message: "the resource panicked: no".to_owned(),
                diagnostics: Vec::new(),
            });
            recount(run);
        },
        "entry.one fails with a panic: the resource panicked: no",
    );
}

#[test]
fn what_goes_on_after_an_interrupt() {
    let interrupted = |interrupt| (Duration::ZERO, EventKind::Interrupted { interrupt, running: Vec::new() });
    check(
        "workers=1 delays=1",
        |run| {
            let index = started(run, "note.more");
            run.events.insert(index, interrupted(InterruptKind::Finish));
        },
        "note.more begins after the run was asked to stop",
    );
    check(
        "workers=1 delays=1",
        |run| {
            let index = run.events.len() - 1;
            run.events[index].0 = Duration::from_secs(3);
            run.events.insert(index, interrupted(InterruptKind::Cancel));
        },
        "the run ends 3s after it was cancelled",
    );
    check(
        PLAIN,
        |run| run.afterwards = 3,
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
    let message = invariants::refreshes_are_made(&graph, &first, &next).unwrap_err();
    assert_eq!(message, "note.conf was changed, and daemon.old was not refreshed");
    report(&mut first, "daemon.old").outcome = Outcome::NotRun;
    let message = invariants::refreshes_are_made(&graph, &first, &next).unwrap_err();
    assert_eq!(
        message,
        "note.conf was changed in a run that did not come to refresh daemon.old, and the next run does not do it either"
    );
    report(&mut next, "daemon.old").outcome = Outcome::Failed;
    invariants::refreshes_are_made(&graph, &first, &next).unwrap();
}
