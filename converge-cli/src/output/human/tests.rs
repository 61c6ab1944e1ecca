use std::sync::Arc;
use std::time::Duration;

use converge_core::diagnostic::{Diagnostic, SourceMap, Span};
use converge_core::engine::{
    Difference, EventKind, Failure, HeldBy, InterruptKind, LockKind, Outcome, ResourceReport, Skipped, Stage,
    Summary, Waited,
};
use converge_core::graph::NodeId;
use converge_core::{DiffValue, RunMode, StatusLevel};
use insta::assert_snapshot;

use super::{HumanView, attempt_failed, interrupted};
use crate::console::Paint;

fn id(name: &str) -> NodeId {
    NodeId::root().child(name)
}

fn failure(stage: Stage, message: &str) -> Failure {
    Failure { stage, message: message.into(), diagnostics: Vec::new() }
}

/// Returns a report modified by `set`.
fn report(name: &str, outcome: Outcome, set: impl FnOnce(&mut ResourceReport)) -> ResourceReport {
    let mut report = ResourceReport::new(id(name), outcome);
    set(&mut report);
    report
}

/// Returns the output of a run with these reports.
fn run(mode: RunMode, reports: Vec<ResourceReport>, color: bool, sources: SourceMap) -> String {
    show(HumanView::new(Paint { color }, Arc::new(sources)), mode, reports)
}

fn show(mut view: HumanView, mode: RunMode, reports: Vec<ResourceReport>) -> String {
    let mut summary = Summary::default();
    summary.elapsed = Duration::from_millis(1234);
    let mut text = view.event(&EventKind::RunStarted { mode, resources: reports.len() });
    for report in reports {
        if report.is_forgiven() {
            summary.forgiven += 1;
        } else {
            summary.count(report.outcome);
        }
        text += &view.event(&EventKind::ResourceStarted { id: report.id.clone() });
        text += &view.event(&EventKind::ResourceFinished(Box::new(report)));
    }
    text + &view.event(&EventKind::RunFinished { summary })
}

fn plain(mode: RunMode, reports: Vec<ResourceReport>) -> String {
    run(mode, reports, false, SourceMap::new())
}

/// Returns the output of one difference.
fn shown(name: &str, before: impl Into<DiffValue>, after: impl Into<DiffValue>) -> String {
    let changed = report("x", Outcome::WillChange, |report| {
        report.differences = vec![Difference::new(name, before, after)];
    });
    let text = plain(RunMode::Plan, vec![changed]);
    let lines: Vec<&str> = text.lines().collect();
    lines[1..lines.len() - 1].join("\n")
}

fn a_plan() -> Vec<ResourceReport> {
    vec![
        report("param.user", Outcome::Unchanged, |report| report.messages = vec!["not shown".into()]),
        report("file.owner.motd", Outcome::WillChange, |report| {
            report.level = StatusLevel::WillChange;
            report.differences = vec![
                Difference::new("user", "root", "www"),
                Difference::new("UID", "0", "33"),
                Difference::new("GID", "0", "0"),
            ];
            report.messages = vec!["2 paths differ".into()];
        }),
        report("module.web/file.content.index", Outcome::WillChange, |report| {
            let before = "<h1>\nold\n</h1>\n";
            report.differences = vec![Difference::new("content", before, "<h1>\nnew\nnewer\n</h1>")];
            report.warnings = vec!["the file ends\nwithout a newline".into()];
        }),
        report("task.reload", Outcome::MayChange, |report| {
            report.differences = vec![Difference::new("status", DiffValue::Unknown, "")];
            report.elapsed = Duration::from_secs(75);
        }),
        report("file.mode.old", Outcome::Unchanged, |report| {
            report.warnings = vec!["`mod` is deprecated".into()];
        }),
    ]
}

/// Returns the lines `line 1`, `line 2`, ..
fn numbered(numbers: std::ops::Range<usize>) -> String {
    numbers.fold(String::new(), |text, number| text + &format!("line {number}\n"))
}

#[test]
fn a_plan_shows_what_changes() {
    assert_snapshot!(plain(RunMode::Plan, a_plan()), @r#"
    + file.owner.motd  will change
      user: "root" => "www"
      UID: "0" => "33"
      2 paths differ
    + module.web/file.content.index  will change
      content:
        @@ -1,3 +1,4 @@
         <h1>
        -old
        -</h1>
        +new
        +newer
        +</h1>
        \ no newline at the end
      warning: the file ends
      without a newline
    ~ task.reload  may change (1m15s)
      status: (known after apply) => ""
    = file.mode.old  unchanged
      warning: `mod` is deprecated
    Plan: 2 to change, 1 may change, 0 failed, 2 unchanged (1.23s)
    "#);
}

#[test]
fn a_plan_in_colours() {
    let text = run(RunMode::Plan, a_plan(), true, SourceMap::new());
    assert_snapshot!(text.replace('\x1b', "ESC"), @r#"
    ESC[33m+ESC[0m ESC[1mfile.owner.motdESC[0m  ESC[33mwill changeESC[0m
      user: ESC[31m"root"ESC[0m => ESC[32m"www"ESC[0m
      UID: ESC[31m"0"ESC[0m => ESC[32m"33"ESC[0m
      2 paths differ
    ESC[33m+ESC[0m ESC[1mmodule.web/file.content.indexESC[0m  ESC[33mwill changeESC[0m
      content:
        ESC[36m@@ -1,3 +1,4 @@ESC[0m
         <h1>
        ESC[31m-oldESC[0m
        ESC[31m-</h1>ESC[0m
        ESC[32m+newESC[0m
        ESC[32m+newerESC[0m
        ESC[32m+</h1>ESC[0m
        ESC[2m\ no newline at the endESC[0m
      ESC[1mESC[33mwarning: ESC[0mthe file ends
      without a newline
    ESC[33m~ESC[0m ESC[1mtask.reloadESC[0m  ESC[33mmay changeESC[0m (1m15s)
      status: ESC[31m(known after apply)ESC[0m => ESC[32m""ESC[0m
    ESC[2m=ESC[0m ESC[1mfile.mode.oldESC[0m  ESC[2munchangedESC[0m
      ESC[1mESC[33mwarning: ESC[0m`mod` is deprecated
    ESC[1mPlanESC[0m: ESC[33m2 to changeESC[0m, ESC[33m1 may changeESC[0m, 0 failed, ESC[2m2 unchangedESC[0m (1.23s)
    "#);
}

#[test]
fn nothing_to_do_is_one_line() {
    let unchanged = report("param.user", Outcome::Unchanged, |_| {});
    assert_snapshot!(plain(RunMode::Plan, vec![unchanged]), @"Plan: 0 to change, 0 failed, 1 unchanged (1.23s)");
    assert_snapshot!(plain(RunMode::Apply, vec![]), @"Apply: 0 changed, 0 failed, 0 unchanged (1.23s)");
}

#[test]
fn long_waits_are_shown_and_all_with_verbose() {
    let waited = |lock, name: Option<&str>, held_by, millis| {
        Waited::new(lock, name.map(str::to_owned), held_by, Duration::from_millis(millis))
    };
    let reports = || {
        vec![
            report("task.migrate", Outcome::Changed, |report| {
                report.elapsed = Duration::from_secs(2);
                report.waited = vec![
                    waited(LockKind::Group, Some("deploy"), HeldBy::AnotherRun, 75_000),
                    waited(LockKind::Type, Some("apt"), HeldBy::ThisRun, 20),
                ];
            }),
            report("file.content.b", Outcome::Unchanged, |report| {
                report.waited = vec![waited(LockKind::Duplicate, None, HeldBy::ThisRun, 1_500)];
            }),
        ]
    };
    assert_snapshot!(plain(RunMode::Apply, reports()), @r"
    + task.migrate  changed (2.00s)
      waited 1m15s for group deploy, which another run had
    Apply: 1 changed, 0 failed, 1 unchanged (1.23s)
    ");
    let verbose = HumanView::new(Paint { color: false }, Arc::new(SourceMap::new())).verbose(true);
    assert_snapshot!(show(verbose, RunMode::Apply, reports()), @r"
    + task.migrate  changed (2.00s)
      waited 1m15s for group deploy, which another run had
      waited 0.02s for lock apt
    = file.content.b  unchanged
      waited 1.50s for the same resource elsewhere
    Apply: 1 changed, 0 failed, 1 unchanged (1.23s)
    ");
}

#[test]
fn an_apply_shows_every_outcome() {
    let reports = vec![
        report("file.content.a", Outcome::Changed, |report| report.elapsed = Duration::from_millis(2500)),
        report("task.build", Outcome::Failed, |report| {
            report.level = StatusLevel::Fatal;
            report.failure = Some(failure(Stage::Apply, "exit status 2\nmake: *** No targets.  Stop.\n"));
        }),
        report("task.install", Outcome::Skipped, |report| {
            report.skipped = Some(Skipped { cause: id("task.build"), reason: "exit status 2".into() });
        }),
        report("task.probe", Outcome::Failed, |report| {
            report.failure = Some(failure(Stage::Check, "no answer"));
            report.optional = true;
        }),
        report("task.restart", Outcome::NotRun, |_| {}),
        report("param.user", Outcome::Unchanged, |_| {}),
    ];
    assert_snapshot!(plain(RunMode::Apply, reports), @r"
    + file.content.a  changed (2.50s)
    ! task.build  could not be applied
      error: exit status 2
      make: *** No targets.  Stop.
    - task.install  skipped, because task.build failed
    ! task.probe  could not be checked (optional)
      error: no answer
    - task.restart  not run
    Apply: 1 changed, 1 failed, 1 skipped, 1 not run, 1 optional and not done, 1 unchanged (1.23s)
    ");
}

#[test]
fn what_is_not_taken_says_why() {
    let not_taken = |name: &str, cause: NodeId, reason: &str| {
        report(name, Outcome::NotTaken, |report| {
            report.skipped = Some(Skipped { cause, reason: reason.into() });
        })
    };
    let reports = vec![
        report("file.content.hello", Outcome::WillChange, |_| {}),
        not_taken("file.content.own", id("file.content.own"), "`when` is false: `param.enabled`"),
        not_taken(
            "switch.lang/case.es/file.content.hola",
            id("switch.lang/case.es"),
            "`eq (param \u{1b}`lang`) `es`` is false",
        ),
        not_taken(
            "switch.lang/case.default/file.content.hallo",
            id("switch.lang/case.default"),
            "another case, `en`, was taken",
        ),
        not_taken("module.web/task.up", id("module.web"), "`when` is false"),
    ];
    assert_snapshot!(plain(RunMode::Plan, reports), @r#"
    + file.content.hello  will change
    - file.content.own  skipped: `when` is false: `param.enabled`
    - switch.lang/case.es/file.content.hola  skipped: case "es" of switch.lang was not taken: `eq (param \u{1b}`lang`) `es`` is false
    - switch.lang/case.default/file.content.hallo  skipped: default of switch.lang was not taken: another case, `en`, was taken
    - module.web/task.up  skipped: module.web was not taken: `when` is false
    Plan: 1 to change, 0 failed, 4 not taken, 0 unchanged (1.23s)
    "#);
    let not_taken_report = not_taken("module.web/task.up", id("module.web"), "`when` is false");
    assert_snapshot!(plain(RunMode::Apply, vec![not_taken_report]), @r"
    - module.web/task.up  skipped: module.web was not taken: `when` is false
    Apply: 0 changed, 0 failed, 1 not taken, 0 unchanged (1.23s)
    ");
}

/// Tests that `verbose` shows differences that an apply leaves, and messages of unchanged resources.
#[test]
fn what_is_not_changed_is_told_when_asked() {
    let reports = || {
        vec![
            report("task.query.users", Outcome::Unchanged, |report| report.messages = vec!["2 users".into()]),
            report("file.content.a", Outcome::Unchanged, |_| {}),
            report("lvm.volume.data", Outcome::Unchanged, |report| {
                report.level = StatusLevel::WontChange;
                report.differences = vec![
                    Difference::new("size", "20 GiB", "10 GiB"),
                    Difference::new("name", "data", "data"),
                ];
                report.messages = vec!["volumes are not made smaller".into()];
            }),
        ]
    };
    for mode in [RunMode::Plan, RunMode::Apply] {
        let short = plain(mode, reports());
        assert_eq!(short.lines().count(), 1, "{short}");
    }
    let view = HumanView::new(Paint { color: false }, Arc::default()).verbose(true);
    assert_snapshot!(show(view, RunMode::Apply, reports()), @r#"
    = task.query.users  unchanged
      2 users
    = lvm.volume.data  won't change
      size: "20 GiB" => "10 GiB"
      volumes are not made smaller
    Apply: 0 changed, 0 failed, 3 unchanged (1.23s)
    "#);
}

#[test]
fn a_refresh_says_what_it_is_for() {
    let refreshed = |outcome, why: &str| {
        report("task.reload", outcome, |report| {
            report.differences = vec![Difference { refresh: true, ..Difference::new("refresh", "", why) }];
        })
    };
    let refresh_report = refreshed(Outcome::WillChange, "because file.content.conf will change");
    assert_snapshot!(plain(RunMode::Plan, vec![refresh_report]), @r"
    + task.reload  will change
      refresh: because file.content.conf will change
    Plan: 1 to change, 0 failed, 0 unchanged (1.23s)
    ");
    let owed = refreshed(Outcome::Changed, "pending since run 18c2: module.web, task.\u{1b}x changed");
    assert_snapshot!(plain(RunMode::Apply, vec![owed]), @r"
    + task.reload  changed
      refresh: pending since run 18c2: module.web, task.\u{1b}x changed
    Apply: 1 changed, 0 failed, 0 unchanged (1.23s)
    ");
}

#[test]
fn what_failed_to_be_made_is_not_told_as_made() {
    let failed = |stage| {
        report("task.x", Outcome::Failed, |report| {
            report.level = StatusLevel::Fatal;
            report.differences = vec![Difference::new("mode", "0600", "0644")];
            report.failure = Some(failure(stage, "why"));
        })
    };
    assert_snapshot!(plain(RunMode::Apply, vec![failed(Stage::Apply)]), @r#"
    ! task.x  could not be applied
      not applied, or only in part:
      mode: "0600" => "0644"
      error: why
    Apply: 0 changed, 1 failed, 0 unchanged (1.23s)
    "#);
    // The apply has not begun.
    let checked = plain(RunMode::Apply, vec![failed(Stage::Check)]);
    assert!(!checked.contains("not applied, or only in part"), "{checked}");
}

#[test]
fn failures_say_what_was_being_done() {
    let check = |stage, level, expect: &str| {
        let failed = report("task.x", Outcome::Failed, |report| {
            report.level = level;
            report.failure = Some(failure(stage, "why"));
        });
        let text = plain(RunMode::Apply, vec![failed]);
        assert_eq!(text.lines().next(), Some(format!("! task.x  {expect}").as_str()));
        assert_eq!(text.lines().nth(1), Some("  error: why"));
    };
    check(Stage::Render, StatusLevel::Fatal, "could not be rendered");
    check(Stage::Prepare, StatusLevel::Fatal, "could not be prepared");
    check(Stage::Check, StatusLevel::Fatal, "could not be checked");
    check(Stage::Check, StatusLevel::CantChange, "can't change");
    check(Stage::Apply, StatusLevel::Fatal, "could not be applied");
    check(Stage::Refresh, StatusLevel::Fatal, "could not be refreshed");
    check(Stage::CheckAfterApply, StatusLevel::WillChange, "failed the check after its apply");
}

#[test]
fn failures_with_places_show_the_module() {
    let mut sources = SourceMap::new();
    let file = sources.add("web.hcl", "file.mode \"a\" {\n  mode = \"{{param `m`}}\"\n}\n");
    let failed = report("file.mode.a", Outcome::Failed, |report| {
        report.level = StatusLevel::Fatal;
        let diagnostic = Diagnostic::error("not-number", "\"rwx\" is not an integer in base 8")
            .label(Span::new(file, 25, 40), "rendered to \"rwx\"");
        let diagnostics = vec![diagnostic];
        report.failure = Some(Failure { stage: Stage::Render, message: "unused".into(), diagnostics });
    });
    assert_snapshot!(run(RunMode::Plan, vec![failed], false, sources), @r#"
    ! file.mode.a  could not be rendered
    error[not-number]: "rwx" is not an integer in base 8
     --> web.hcl:2:10
      |
    2 |   mode = "{{param `m`}}"
      |          ^^^^^^^^^^^^^^^ rendered to "rwx"
    Plan: 0 to change, 1 failed, 0 unchanged (1.23s)
    "#);
}

#[test]
fn values_on_one_line() {
    let check = |before: &str, after: &str, expect: &str| {
        assert_eq!(shown("v", before, after), format!("  v: {expect}"));
    };
    check("0", "1", r#""0" => "1""#);
    check("", "x", r#""" => "x""#);
    check("one\n", "two\n", r#""one\n" => "two\n""#);
    check("\x1b[2J\r", "say \"é\"", r#""\u{1b}[2J\r" => "say \"é\"""#);
    check("(absent)", "(sensitive)", r#""(absent)" => "(sensitive)""#);
    let in_place = |text: &str| DiffValue::Placeholder(text.to_owned());
    assert_eq!(shown("v", in_place("(absent)"), DiffValue::Secret), "  v: (absent) => (sensitive)");
    assert_eq!(shown("v", in_place("(absent\x07)"), "(x"), r#"  v: (absent\u{7}) => "(x""#);
}

#[test]
fn long_values_are_cut_around_the_change() {
    let (before, after) =
        (format!("{}one", "a".repeat(300)), format!("{}two{}", "a".repeat(300), "b".repeat(300)));
    assert_snapshot!(shown("v", before, after), @r#"  v: ..."aaaaaaaaaaaaaaaaaaaaone" => ..."aaaaaaaaaaaaaaaaaaaatwobbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"... (163 more characters)"#);
}

#[test]
fn long_texts_are_cut() {
    let after = numbered(0..1000);
    let text = shown("content", "", after);
    assert_eq!(text.lines().count(), 1 + 1 + 200 + 1, "{text}");
    assert_eq!(text.lines().last(), Some("    ... 800 more lines"));
    let wide = format!("a\n{}\n", "é".repeat(600));
    assert!(shown("content", "", wide).ends_with("é... (100 more characters)"));
    let huge = "a line\n".repeat(700_000);
    assert_eq!(shown("content", "", huge), "  content: 0 bytes in 0 lines => 4900000 bytes in 700000 lines");
}

#[test]
fn texts_are_shown_with_three_lines_of_context() {
    let before = numbered(1..21);
    let after = before.replace("line 3\n", "line\tthree\r\n").replace("line 15\n", "\x1b[31mred\x1b[0m\n");
    assert_snapshot!(shown("content", &before, &after), @r"
    content:
      @@ -1,6 +1,6 @@
       line 1
       line 2
      -line 3
      +line	three\r
       line 4
       line 5
       line 6
      @@ -12,7 +12,7 @@
       line 12
       line 13
       line 14
      -line 15
      +\u{1b}[31mred\u{1b}[0m
       line 16
       line 17
       line 18
    ");
}

#[test]
fn names_from_modules_are_safe() {
    let renamed = report("task.\x1b[31mred\nx", Outcome::WillChange, |report| {
        report.differences = vec![Difference::new("na\x1bme", "a", "b")];
        report.messages = vec!["\x1b]0;title\x07".into()];
    });
    assert_snapshot!(plain(RunMode::Plan, vec![renamed]), @r#"
    + task.\u{1b}[31mred\nx  will change
      na\u{1b}me: "a" => "b"
      \u{1b}]0;title\u{7}
    Plan: 1 to change, 0 failed, 0 unchanged (1.23s)
    "#);
}

#[test]
fn interrupts_say_what_is_waited_for() {
    let running: Vec<NodeId> = (1..8).map(|number| id(&format!("task.t{number}"))).collect();
    let check = |kind, running: &[NodeId], expect: &str| {
        assert_eq!(interrupted(kind, running, Paint { color: false }), format!("interrupted: {expect}\n"));
    };
    check(InterruptKind::Finish, &[], "nothing else is started");
    check(
        InterruptKind::Finish,
        &running[..1],
        "nothing else is started; waiting for 1 resource to finish (task.t1); interrupt again to cancel",
    );
    check(
        InterruptKind::Cancel,
        &running,
        "cancelling 7 resources (task.t1, task.t2, task.t3, task.t4, task.t5 and 2 more)",
    );
}

#[test]
fn an_attempt_that_failed_is_one_line() {
    let paint = Paint { color: false };
    let (label, wait) = ("attempt 1 of 5", Duration::from_secs(70));
    let text = attempt_failed(&id("task.a"), label, wait, "it ended with 1:\nno\u{1b}[2J", paint);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.starts_with("trying again: task.a in 1m10s: attempt 1 of 5 failed: it ended with 1:"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "{text}");
}
