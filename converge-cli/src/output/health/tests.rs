use converge_core::engine::{Difference, Failure, Outcome, ResourceReport, Skipped, Stage};
use converge_core::graph::NodeId;
use insta::assert_snapshot;

use super::*;

fn id(name: &str) -> NodeId {
    NodeId::root().child(name)
}

fn report(name: &str, outcome: Outcome, set: impl FnOnce(&mut ResourceReport)) -> ResourceReport {
    let mut report = ResourceReport::new(id(name), outcome);
    set(&mut report);
    report
}

fn reports() -> [(Health, ResourceReport); 4] {
    let differs = |report: &mut ResourceReport| {
        let (name, original, current) = ("user".into(), "root".into(), "daemon".into());
        report.differences.push(Difference { name, original, current, changes: true });
    };
    let fails = |report: &mut ResourceReport| {
        let message = "`check` ended with exit code 2:\ndisk full".into();
        report.failure = Some(Failure { stage: Stage::Check, message, diagnostics: Vec::new() });
    };
    let skips = |report: &mut ResourceReport| {
        report.skipped = Some(Skipped { cause: id("healthcheck.task.disk"), reason: "disk full".into() });
    };
    [
        (Health::Healthy, report("file.content.motd", Outcome::Unchanged, |_| {})),
        (Health::Warning, report("file.owner.motd", Outcome::WillChange, differs)),
        (Health::Error, report("healthcheck.task.disk", Outcome::Failed, fails)),
        (Health::Error, report("task.after", Outcome::Skipped, skips)),
    ]
}

/// Gives the assessments of these reports to `tell`: the last one waits for many that are not healthy.
fn with<T>(reports: &[(Health, ResourceReport)], tell: impl FnOnce(&[Assessment<'_>]) -> T) -> T {
    let names: Vec<NodeId> =
        ["healthcheck.task.disk", "task.b", "task.c", "task.d", "task.e", "task.f", "task.g"].map(id).into();
    let mut assessments: Vec<Assessment<'_>> =
        reports.iter().map(|(health, report)| Assessment::new(&report.id, *health, report)).collect();
    if let Some(last) = assessments.last_mut().filter(|last| last.health == Health::Error) {
        let health = |at| if at == 0 { Health::Error } else { Health::Warning };
        last.failing = names.iter().enumerate().map(|(at, id)| Failing { id, health: health(at) }).collect();
    }
    tell(&assessments)
}

fn human(reports: &[(Health, ResourceReport)], color: bool) -> String {
    with(reports, |assessments| {
        let checkup = Checkup::new(assessments, Duration::from_millis(1234));
        let listed: Vec<&Assessment<'_>> = assessments.iter().collect();
        checkup.human(&listed, Paint { color }, &SourceMap::new())
    })
}

#[test]
fn people_see_the_health_of_each_and_of_all() {
    assert_snapshot!(human(&reports(), false), @"");
    assert_snapshot!(human(&reports()[..2], false), @"");
    assert_snapshot!(human(&reports()[..1], false), @"");
    assert_snapshot!(human(&[], false), @"");
}

#[test]
fn colours_say_how_bad_it_is() {
    assert_snapshot!(human(&reports()[1..3], true).replace('\u{1b}', "^"), @"");
}

#[test]
fn programs_get_a_line_for_each_and_one_for_all() {
    let text = with(&reports(), |assessments| {
        let listed: Vec<&Assessment<'_>> =
            assessments.iter().filter(|one| one.health > Health::Healthy).collect();
        Checkup::new(assessments, Duration::from_millis(500)).json(&listed, &SourceMap::new()).unwrap()
    });
    assert_snapshot!(text, @"");
}

#[test]
fn the_worst_counts() {
    let check = |reports: &[(Health, ResourceReport)], expect| {
        let health = with(reports, |assessments| Checkup::new(assessments, Duration::ZERO).health());
        assert_eq!(health, expect);
    };
    check(&[], Health::Healthy);
    check(&reports()[..1], Health::Healthy);
    check(&reports()[..2], Health::Warning);
    check(&reports()[..3], Health::Error);
}
