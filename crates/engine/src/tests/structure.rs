//! Tests of modules, switches and `when`: the nodes that are handled, and the reasons for the others.

use std::fmt::Write as _;

use super::manual_graphs::{ManualGraph, predicate, template, value};
use super::*;
use crate::graph::InputKind;

/// Returns each resource with its outcome, and the reason if it was not handled.
fn told(run: &Ended) -> Vec<String> {
    let mut lines: Vec<String> = run
        .events
        .iter()
        .filter_map(|event| match event {
            EventKind::ResourceFinished(report) => {
                let mut line = format!("{} {:?}", report.id.short(), report.outcome);
                if let Some(skipped) = &report.skipped {
                    let _ = write!(line, " ({}: {})", skipped.cause.short(), skipped.reason);
                }
                if let Some(failure) = &report.failure {
                    let _ = write!(line, " ! {}", failure.message);
                }
                Some(line)
            }
            _ => None,
        })
        .collect();
    lines.sort();
    lines
}

async fn check(mode: RunMode, hand: ManualGraph, expect: &[&str]) -> Ended {
    let graph = hand.build();
    let mut runs = Vec::new();
    for parallelism in [1, 3] {
        let run = run_with(engine(&World::new(), parallelism), mode, &graph, &Stop::new()).await;
        assert_eq!(told(&run), expect, "{mode:?} {parallelism}");
        runs.push(run);
    }
    runs.swap_remove(0)
}

fn state(text: &str) -> Vec<(&'static str, InputKind)> {
    vec![("state", value(text))]
}

/// Adds a `switch` with three cases and a default; `when` gives the predicates.
fn switch(hand: ManualGraph, conditions: [InputKind; 3]) -> ManualGraph {
    let [a, b, c] = conditions;
    hand.end("switch.s", Role::Switch)
        .gate("switch.s/case.a", Some(a))
        .toy("switch.s/case.a/toy.x", state("new"))
        .gate("switch.s/case.b", Some(b))
        .toy("switch.s/case.b/toy.y", state("new"))
        .gate("switch.s/case.c", Some(c))
        .toy("switch.s/case.c/toy.z", state("new"))
        .gate("switch.s/case.default", None)
        .toy("switch.s/case.default/toy.w", state("new"))
}

#[tokio::test]
async fn the_first_case_that_holds_is_taken() {
    let [yes, no] = [|| value(true), || value(false)];
    check(
        RunMode::Plan,
        switch(ManualGraph::new(), [no(), yes(), yes()]),
        &[
            "switch.s/case.a/toy.x NotTaken (switch.s/case.a: its predicate is false)",
            "switch.s/case.b/toy.y WillChange",
            "switch.s/case.c/toy.z NotTaken (switch.s/case.c: another case, `b`, was taken)",
            "switch.s/case.default/toy.w NotTaken (switch.s/case.default: another case, `b`, was taken)",
        ],
    )
    .await;
    let run = check(
        RunMode::Apply,
        switch(ManualGraph::new(), [no(), no(), no()]),
        &[
            "switch.s/case.a/toy.x NotTaken (switch.s/case.a: its predicate is false)",
            "switch.s/case.b/toy.y NotTaken (switch.s/case.b: its predicate is false)",
            "switch.s/case.c/toy.z NotTaken (switch.s/case.c: its predicate is false)",
            "switch.s/case.default/toy.w Changed",
        ],
    )
    .await;
    // Structure nodes are not counted and have no events.
    assert!(matches!(run.events.first(), Some(EventKind::RunStarted { resources: 4, .. })));
    assert_eq!(run.summary.not_taken + run.summary.changed, 4);
    assert!(run.summary.is_success());
    assert_eq!(run.results(), 2 + 4 + 1);
}

#[tokio::test]
async fn a_predicate_reads_what_it_depends_on() {
    let hand = switch(
        ManualGraph::new().param("param.os", value("linux")),
        [
            predicate("eq (param `os`) `darwin`"),
            predicate("eq `linux` `{{param `os`}}`"),
            predicate("eq platform.OS `linux`"),
        ],
    );
    let hand = hand.waits("switch.s/case.a", EdgeReason::Param, &["param.os"]).waits(
        "switch.s/case.b",
        EdgeReason::Param,
        &["param.os"],
    );
    check(
        RunMode::Plan,
        hand,
        &[
            "switch.s/case.a/toy.x NotTaken (switch.s/case.a: its predicate is false)",
            "switch.s/case.b/toy.y WillChange",
            "switch.s/case.c/toy.z NotTaken (switch.s/case.c: another case, `b`, was taken)",
            "switch.s/case.default/toy.w NotTaken (switch.s/case.default: another case, `b`, was taken)",
        ],
    )
    .await;
}

/// The contents of a case whose predicate a plan cannot know are not checked.
///
/// The same holds for later cases, unless they are certainly not taken.
#[tokio::test]
async fn what_a_plan_cannot_decide_may_change() {
    let unknown = || InputKind::Lookup("toy.first.out".into());
    let hand = || {
        let hand = ManualGraph::new().toy("toy.first", state("new"));
        switch(hand, [predicate("eq (lookup `toy.first.out`) `out of first`"), value(false), value(true)])
            .toy("toy.after", vec![("state", template("{{lookup `switch.s.case.c.toy.z.state`}}"))])
            .waits("switch.s/case.a", EdgeReason::Lookup, &["toy.first"])
            .waits("toy.after", EdgeReason::Lookup, &["switch.s/case.c/toy.z"])
    };
    let waits =
        "whether `case \"a\"` of `switch.s` is taken is known after apply: it waits for toy.first.out";
    check(
        RunMode::Plan,
        hand(),
        &[
            "switch.s/case.a/toy.x MayChange (switch.s/case.a: WAITS)",
            "switch.s/case.b/toy.y NotTaken (switch.s/case.b: its predicate is false)",
            "switch.s/case.c/toy.z MayChange (switch.s/case.a: WAITS)",
            "switch.s/case.default/toy.w MayChange (switch.s/case.a: WAITS)",
            "toy.after MayChange",
            "toy.first WillChange",
        ]
        .map(|line| line.replace("WAITS", waits))
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>(),
    )
    .await;
    // An apply knows the predicate, and the lookup refers to a node that was not handled.
    check(
        RunMode::Apply,
        hand(),
        &[
            "switch.s/case.a/toy.x Changed",
            "switch.s/case.b/toy.y NotTaken (switch.s/case.b: another case, `a`, was taken)",
            "switch.s/case.c/toy.z NotTaken (switch.s/case.c: another case, `a`, was taken)",
            "switch.s/case.default/toy.w NotTaken (switch.s/case.default: another case, `a`, was taken)",
            "toy.after Failed ! lookup: `switch.s.case.c.toy.z.state` has no value: `case \"c\"` of `switch.s` was \
             not taken",
            "toy.first Changed",
        ],
    )
    .await;
    let hand = ManualGraph::new()
        .toy("toy.first", state("new"))
        .toy_when("toy.own", unknown(), state("new"))
        .waits("toy.own", EdgeReason::Lookup, &["toy.first"]);
    check(
        RunMode::Plan,
        hand,
        &[
            "toy.first WillChange",
            "toy.own MayChange (toy.own: whether it is handled is known after apply: it waits for toy.first.out)",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_module_that_is_not_called_for_is_not_taken_with_all_that_is_in_it() {
    let hand = |when: bool| {
        ManualGraph::new()
            .end("module.web", Role::Module)
            .gate("module.web/begin", Some(value(when)))
            .param("module.web/param.port", value(80))
            .toy("module.web/toy.a", state("new"))
            .end("module.web/module.inner", Role::Module)
            .gate("module.web/module.inner/begin", None)
            .toy("module.web/module.inner/toy.b", state("new"))
            .end("module.web/switch.s", Role::Switch)
            .gate("module.web/switch.s/case.a", Some(value(true)))
            .toy("module.web/switch.s/case.a/toy.c", state("new"))
            .toy("toy.after", state("new"))
            .waits("module.web/module.inner/begin", EdgeReason::Depends, &["module.web/toy.a"])
            .waits("toy.after", EdgeReason::Depends, &["module.web"])
    };
    check(
        RunMode::Plan,
        hand(true),
        &[
            "module.web/module.inner/toy.b WillChange",
            "module.web/switch.s/case.a/toy.c WillChange",
            "module.web/toy.a WillChange",
            "toy.after WillChange",
        ],
    )
    .await;
    check(
        RunMode::Apply,
        hand(false),
        &[
            "module.web/module.inner/toy.b NotTaken (module.web: `when` is false)",
            "module.web/switch.s/case.a/toy.c NotTaken (module.web: `when` is false)",
            "module.web/toy.a NotTaken (module.web: `when` is false)",
            // Nodes that wait for it continue.
            "toy.after Changed",
        ],
    )
    .await;
}

#[tokio::test]
async fn parameters_are_no_resources_and_are_told_when_they_fail() {
    let hand = |port: InputKind| {
        ManualGraph::new()
            .param("param.port", port)
            .param("param.url", template("http://localhost:{{param `port`}}"))
            .toy("toy.a", vec![("state", template("{{param `url`}}"))])
            .toy("toy.b", state("new"))
            .waits("param.url", EdgeReason::Param, &["param.port"])
            .waits("toy.a", EdgeReason::Param, &["param.url"])
    };
    let run = check(RunMode::Apply, hand(value(80)), &["toy.a Changed", "toy.b Changed"]).await;
    assert!(matches!(run.events.first(), Some(EventKind::RunStarted { resources: 2, .. })));
    assert_eq!(run.results(), 2 + 2 * 2, "{:?}", run.events);
    assert_eq!((run.summary.changed, run.summary.unchanged), (2, 0));
    // Only the wrong parameter is reported, and its dependents are skipped.
    let invalid = template("{{index (split `a` `b`) 1}}");
    let expect = [
        "param.port Failed ! the index 1 is out of range: the length is 1",
        "toy.a Skipped (param.port: the index 1 is out of range: the length is 1)",
        "toy.b Changed",
    ];
    let run = check(RunMode::Apply, hand(invalid), &expect).await;
    assert!(matches!(run.events.first(), Some(EventKind::RunStarted { resources: 2, .. })));
    let (resources, others): (Vec<_>, Vec<_>) = run
        .events
        .iter()
        .filter_map(|event| match event {
            EventKind::ResourceFinished(report) => Some(report),
            _ => None,
        })
        .partition(|report| report.role == Role::Resource);
    assert_eq!((resources.len(), others.len()), (2, 1));
    assert_eq!(others[0].role, Role::Param);
    assert_eq!((run.summary.failed, run.summary.skipped, run.summary.is_success()), (1, 1, false));
}

#[tokio::test]
async fn what_is_not_taken_is_never_worked_on() {
    let hand = ManualGraph::new()
        .end("module.web", Role::Module)
        .gate("module.web/begin", Some(value(false)))
        .toy("module.web/toy.a", vec![("mood", value(Mood::PanicsInCheck.word()))])
        .toy_when("toy.own", value(false), vec![("state", template("{{lookup `toy.gone.x`}}"))])
        // The node is not handled, so the failure of its dependency does not matter.
        .toy("toy.bad", vec![("mood", value(Mood::FailsCheck.word()))])
        .waits("module.web/toy.a", EdgeReason::Depends, &["toy.bad"]);
    let run = check(
        RunMode::Plan,
        hand,
        &[
            "module.web/toy.a NotTaken (module.web: `when` is false)",
            "toy.bad Failed ! cannot be checked",
            "toy.own NotTaken (toy.own: `when` is false)",
        ],
    )
    .await;
    assert!(!run.lines().contains(&"start module.web/toy.a".to_owned()));
}

#[tokio::test]
async fn a_failure_in_a_module_stops_what_waits_for_the_module() {
    let hand = ManualGraph::new()
        .end("module.web", Role::Module)
        .toy("module.web/toy.bad", vec![("mood", value(Mood::FailsCheck.word()))])
        .toy("module.web/toy.good", state(""))
        .end("module.next", Role::Module)
        .gate("module.next/begin", None)
        .toy("module.next/toy.a", state(""))
        .toy("toy.after", state(""))
        .waits("module.next/begin", EdgeReason::Depends, &["module.web"])
        .waits("toy.after", EdgeReason::Depends, &["module.next"]);
    check(
        RunMode::Plan,
        hand,
        &[
            "module.next/toy.a Skipped (module.web/toy.bad: cannot be checked)",
            "module.web/toy.bad Failed ! cannot be checked",
            "module.web/toy.good Unchanged",
            "toy.after Skipped (module.web/toy.bad: cannot be checked)",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_predicate_that_cannot_be_evaluated_is_a_failure() {
    let bad = |when: InputKind, reason: &'static str| async move {
        let hand =
            switch(ManualGraph::new().toy("toy.first", state("new")), [value(false), when, value(true)])
                .waits("switch.s/case.b", EdgeReason::Lookup, &["toy.first"]);
        let expect = [
            "switch.s/case.a/toy.x NotTaken (switch.s/case.a: its predicate is false)".to_owned(),
            format!("switch.s/case.b Failed ! {reason}"),
            format!("switch.s/case.b/toy.y Skipped (switch.s/case.b: {reason})"),
            format!("switch.s/case.c/toy.z Skipped (switch.s/case.b: {reason})"),
            format!("switch.s/case.default/toy.w Skipped (switch.s/case.b: {reason})"),
            "toy.first WillChange".to_owned(),
        ];
        let expect: Vec<&str> = expect.iter().map(String::as_str).collect();
        let run = check(RunMode::Plan, hand, &expect).await;
        assert!(!run.summary.is_success());
        assert_eq!((run.summary.failed, run.summary.skipped), (1, 3));
    };
    bad(value("yes"), "the predicate must be true or false, not a string").await;
    bad(value(1), "the predicate must be true or false, not an integer").await;
    bad(predicate("lookup `toy.gone`"), "lookup: there is no resource `toy.gone`").await;
    let run = check(
        RunMode::Apply,
        ManualGraph::new().toy_when(
            "toy.a",
            value(crate::types::value::Value::unknown("toy.b.out")),
            state("new"),
        ),
        &["toy.a Failed ! `when` is not known: it waits for toy.b.out"],
    )
    .await;
    assert_eq!(run.report("a").failure.as_ref().unwrap().diagnostics.len(), 1);
}

#[tokio::test]
async fn whether_something_is_handled_is_no_secret() {
    let secret = |holds: bool| value(crate::types::value::Value::from(holds).into_secret());
    check(
        RunMode::Plan,
        ManualGraph::new().toy_when("toy.a", secret(true), state("new")).toy_when(
            "toy.b",
            secret(false),
            state("new"),
        ),
        &["toy.a WillChange", "toy.b NotTaken (toy.b: `when` is false)"],
    )
    .await;
}

#[tokio::test]
async fn with_one_worker_the_order_is_exact_with_structure_too() {
    let hand = ManualGraph::new()
        .toy("toy.a", state(""))
        .toy("toy.m", state(""))
        .end("module.web", Role::Module)
        .toy("module.web/toy.x", state(""))
        .toy("module.web/toy.y", state(""))
        .toy("module.web/toy.z", state(""))
        .waits("toy.a", EdgeReason::Depends, &["module.web"]);
    let run = plan(&World::new(), &hand.build(), 1).await;
    let order: Vec<&str> = run
        .events
        .iter()
        .filter_map(|event| match event {
            EventKind::ResourceFinished(report) => Some(report.id.short()),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["module.web/toy.x", "module.web/toy.y", "module.web/toy.z", "toy.a", "toy.m"]);
}
