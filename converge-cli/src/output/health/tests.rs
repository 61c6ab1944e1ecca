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
        report.differences.push(Difference::new("user", "root", "daemon"));
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

/// Calls `show` with the assessments of these reports; the last one waits for many unhealthy resources.
fn with<T>(reports: &[(Health, ResourceReport)], render: impl FnOnce(&[Assessment<'_>]) -> T) -> T {
    let names: Vec<NodeId> =
        ["healthcheck.task.disk", "task.b", "task.c", "task.d", "task.e", "task.f", "task.g"].map(id).into();
    let mut assessments: Vec<Assessment<'_>> =
        reports.iter().map(|(health, report)| Assessment::new(&report.id, *health, report)).collect();
    if let Some(last) = assessments.last_mut().filter(|last| last.health == Health::Error) {
        let health = |index| if index == 0 { Health::Error } else { Health::Warning };
        last.failing = names.iter().enumerate().map(|(at, id)| Failing { id, health: health(at) }).collect();
    }
    render(&assessments)
}

fn console(color: bool, verbose: bool) -> Console {
    Console { stdout: Paint { color }, stderr: Paint { color }, progress: false, verbose }
}

fn human(reports: &[(Health, ResourceReport)], color: bool) -> String {
    verbose(reports, color, false)
}

fn verbose(reports: &[(Health, ResourceReport)], color: bool, verbose: bool) -> String {
    with(reports, |assessments| {
        let summary = HealthSummary::new(assessments, Duration::from_millis(1234));
        let selection: Vec<&Assessment<'_>> = assessments.iter().collect();
        summary.human(&selection, console(color, verbose), &SourceMap::new())
    })
}

#[test]
fn people_see_the_health_of_each_and_of_all() {
    assert_snapshot!(human(&reports(), false), @r#"
    = file.content.motd  healthy
    ~ file.owner.motd  warning: will change
      user: "root" => "daemon"
    ! healthcheck.task.disk  error: could not be checked
      error: `check` ended with exit code 2:
      disk full
    ! task.after  error: skipped, because healthcheck.task.disk failed
      failing dependencies: healthcheck.task.disk (error), task.b (warning), task.c (warning), task.d (warning), task.e (warning) and 2 more
    Health: error: 2 errors, 1 warning, 1 healthy (1.23s)
    "#);
    assert_snapshot!(human(&reports()[..2], false), @r#"
    = file.content.motd  healthy
    ~ file.owner.motd  warning: will change
      user: "root" => "daemon"
    Health: warning: 0 errors, 1 warning, 1 healthy (1.23s)
    "#);
    assert_snapshot!(human(&reports()[..1], false), @r"
    = file.content.motd  healthy
    Health: healthy: 0 errors, 0 warnings, 1 healthy (1.23s)
    ");
    assert_snapshot!(human(&[], false), @"Health: healthy: 0 errors, 0 warnings, 0 healthy (1.23s)");
}

#[test]
fn colours_say_how_bad_it_is() {
    let [_, warning, _, skipped] = reports();
    assert_snapshot!(human(&[warning, skipped], true).replace('\u{1b}', "^"), @r#"
    ^[33m~^[0m ^[1mfile.owner.motd^[0m  ^[33mwarning: will change^[0m
      user: ^[31m"root"^[0m => ^[32m"daemon"^[0m
    ^[1m^[31m!^[0m ^[1mtask.after^[0m  ^[1m^[31merror: skipped, because healthcheck.task.disk failed^[0m
      ^[2mfailing dependencies:^[0m healthcheck.task.disk (^[1m^[31merror^[0m), task.b (^[33mwarning^[0m), task.c (^[33mwarning^[0m), task.d (^[33mwarning^[0m), task.e (^[33mwarning^[0m) and 2 more
    ^[1mHealth^[0m: ^[1m^[31merror^[0m: 1 error, 1 warning, 0 healthy (1.23s)
    "#);
}

#[test]
fn programs_get_a_line_for_each_and_one_for_all() {
    let text = with(&reports(), |assessments| {
        let selection: Vec<&Assessment<'_>> =
            assessments.iter().filter(|assessment| assessment.health > Health::Healthy).collect();
        HealthSummary::new(assessments, Duration::from_millis(500))
            .json(&selection, &SourceMap::new())
            .unwrap()
    });
    assert_snapshot!(text, @r#"
    {"event":"health","id":"root/file.owner.motd","outcome":"will-change","level":"no-change","differences":[{"name":"user","before":"root","after":"daemon","changes":true}],"elapsed_seconds":0.0,"health":"warning"}
    {"event":"health","id":"root/healthcheck.task.disk","outcome":"failed","level":"no-change","failure":{"stage":"check","message":"`check` ended with exit code 2:\ndisk full"},"elapsed_seconds":0.0,"health":"error"}
    {"event":"health","id":"root/task.after","outcome":"skipped","level":"no-change","skipped":{"cause":"root/healthcheck.task.disk","reason":"disk full"},"elapsed_seconds":0.0,"health":"error","failing":[{"id":"root/healthcheck.task.disk","health":"error"},{"id":"root/task.b","health":"warning"},{"id":"root/task.c","health":"warning"},{"id":"root/task.d","health":"warning"},{"id":"root/task.e","health":"warning"},{"id":"root/task.f","health":"warning"},{"id":"root/task.g","health":"warning"}]}
    {"event":"health-summary","health":"error","errors":2,"warnings":1,"healthy":1,"elapsed_seconds":0.5}
    "#);
}

#[test]
fn the_worst_counts() {
    let check = |reports: &[(Health, ResourceReport)], expect| {
        let health = with(reports, |assessments| HealthSummary::new(assessments, Duration::ZERO).health());
        assert_eq!(health, expect);
    };
    check(&[], Health::Healthy);
    check(&reports()[..1], Health::Healthy);
    check(&reports()[..2], Health::Warning);
    check(&reports()[..3], Health::Error);
}

#[test]
fn healthy_ones_say_more_when_asked() {
    let query_report =
        report("task.query.q", Outcome::Unchanged, |report| report.messages = vec!["2 users".into()]);
    let reports = [(Health::Healthy, query_report)];
    assert!(!human(&reports, false).contains("2 users"));
    assert_snapshot!(verbose(&reports, false, true), @r"
    = task.query.q  healthy
      2 users
    Health: healthy: 0 errors, 0 warnings, 1 healthy (1.23s)
    ");
}
