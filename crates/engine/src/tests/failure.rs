//! Tests of failures and their effect on other resources.

use super::*;
use crate::sdk::status::StatusLevel;
use crate::{Skipped, Stage};

#[tokio::test]
async fn dependents_are_skipped_with_the_root_cause_and_others_go_on() {
    for mode in [RunMode::Plan, RunMode::Apply] {
        let world = World::new();
        let graph = toys(|toys| {
            toys.moody("a", &[], Mood::FailsCheck)
                .fresh("b", &["a"])
                .fresh("c", &["b"])
                .fresh("d", &["c", "x"])
                .fresh("x", &[])
                .fresh("y", &["x"])
        });
        let run = run_with(engine(&world, 3), mode, &graph, &Stop::new()).await;
        for name in ["b", "c", "d"] {
            let report = run.report(name);
            assert_eq!(report.outcome, Outcome::Skipped);
            let cause = NodeId::root().child("toy.a");
            assert_eq!(report.skipped, Some(Skipped { cause, reason: "cannot be checked".into() }));
        }
        assert_eq!((run.summary.failed, run.summary.skipped), (1, 3));
        let success = if mode == RunMode::Plan { Outcome::WillChange } else { Outcome::Changed };
        assert_eq!(run.report("y").outcome, success);
        assert!(!run.summary.is_success());
    }
}

#[tokio::test]
async fn what_is_optional_fails_in_a_run_that_succeeds() {
    for mode in [RunMode::Plan, RunMode::Apply] {
        let world = World::new();
        let graph = toys(|toys| {
            toys.toy("a", &[], |toy| toy.set("mood", Mood::FailsCheck.word()).optional())
                .fresh("b", &["a"])
                .fresh("c", &["b"])
                .toy("d", &[], |toy| toy.set("state", "new").even_after("toy.a").even_after("toy.b"))
                .toy("e", &[], |toy| toy.even_after("toy.a").lookup("state", "toy.a.state"))
        });
        let run = run_with(engine(&world, 3), mode, &graph, &Stop::new()).await;
        let success = if mode == RunMode::Plan { Outcome::WillChange } else { Outcome::Changed };
        let outcomes =
            ["a", "b", "c", "d", "e"].map(|name| (run.report(name).outcome, run.report(name).is_forgiven()));
        let skipped = (Outcome::Skipped, true);
        assert_eq!(outcomes, [(Outcome::Failed, true), skipped, skipped, (success, false), skipped]);
        let summary = run.summary;
        assert_eq!((summary.forgiven, summary.failed, summary.skipped), (4, 0, 0));
        assert!(summary.is_success());
    }
}

#[tokio::test]
async fn what_is_not_optional_counts_before_what_is() {
    let world = World::new();
    let graph = toys(|toys| {
        toys.toy("a", &[], |toy| toy.set("mood", Mood::FailsCheck.word()).optional())
            .moody("b", &[], Mood::FailsCheck)
            .fresh("c", &["a", "b"])
    });
    let run = apply(&world, &graph, 2).await;
    let report = run.report("c");
    assert_eq!(report.skipped.as_ref().unwrap().cause.name(), "toy.b");
    assert!(!report.optional);
    assert_eq!((run.summary.forgiven, run.summary.failed, run.summary.skipped), (1, 1, 1));
}

#[tokio::test]
async fn of_two_causes_the_smaller_is_named_whichever_comes_first() {
    for (first, second) in [("a", "b"), ("b", "a")] {
        let world = World::new();
        let gates = [first, second].map(|name| world.gate(&format!("check {name}")));
        let graph = toys(|toys| {
            toys.moody("a", &[], Mood::FailsCheck).moody("b", &[], Mood::FailsCheck).fresh("c", &["a", "b"])
        });
        let task = tokio::spawn(async move { plan(&world, &graph, 2).await });
        for gate in gates {
            gate.reached().await;
            gate.open();
        }
        let run = task.await.unwrap();
        assert_eq!(run.report("c").skipped.as_ref().unwrap().cause.name(), "toy.a");
    }
}

#[tokio::test]
async fn every_mood_has_its_outcome() {
    async fn check(
        mood: Mood,
        mode: RunMode,
        outcome: Outcome,
        level: StatusLevel,
        failure: Option<(Stage, &str)>,
    ) {
        let world = World::new();
        let graph = toys(|toys| toys.moody("a", &[], mood));
        let run = run_with(engine(&world, 1), mode, &graph, &Stop::new()).await;
        let report = run.report("a");
        let failure_info = report.failure.as_ref().map(|failure| (failure.stage, failure.message.as_str()));
        assert_eq!(
            (report.outcome, report.level, failure_info),
            (outcome, level, failure),
            "{mood:?} {mode:?}"
        );
    }
    use Outcome::{Changed, Failed, Unchanged, WillChange};
    use RunMode::{Apply, Plan};
    use StatusLevel as L;
    check(Mood::Good, Plan, WillChange, L::WillChange, None).await;
    check(Mood::Good, Apply, Changed, L::NoChange, None).await;
    check(Mood::FailsPrepare, Plan, Failed, L::Fatal, Some((Stage::Prepare, "cannot be prepared"))).await;
    check(Mood::FailsCheck, Plan, Failed, L::Fatal, Some((Stage::Check, "cannot be checked"))).await;
    check(Mood::FailsCheck, Apply, Failed, L::Fatal, Some((Stage::Check, "cannot be checked"))).await;
    let panicked = "the resource panicked: a toy broke";
    check(Mood::PanicsInCheck, Plan, Failed, L::Fatal, Some((Stage::Check, panicked))).await;
    check(Mood::FailsApply, Plan, WillChange, L::WillChange, None).await;
    check(Mood::FailsApply, Apply, Failed, L::CantChange, Some((Stage::Apply, "cannot be applied"))).await;
    // An error has the same effect, whether it is returned or set on the status.
    check(Mood::SaysCheckFailed, Apply, Failed, L::Fatal, Some((Stage::Check, "cannot be checked"))).await;
    check(Mood::SaysApplyFailed, Apply, Failed, L::CantChange, Some((Stage::Apply, "cannot be applied")))
        .await;
    let halted = "the resource met an error";
    check(Mood::HaltsApply, Apply, Failed, L::Fatal, Some((Stage::Apply, halted))).await;
    let stuck = "still has changes after apply\n  state: (none) -> new";
    check(Mood::Stuck, Apply, Failed, L::CantChange, Some((Stage::CheckAfterApply, stuck))).await;
    check(Mood::WontChange, Plan, Unchanged, L::WontChange, None).await;
    check(Mood::WontChange, Apply, Unchanged, L::WontChange, None).await;
    let cannot = "the resource cannot be changed";
    check(Mood::CantChange, Apply, Failed, L::CantChange, Some((Stage::Check, cannot))).await;
}

#[tokio::test]
async fn apply_is_called_only_for_changes() {
    let world = World::new();
    world.set("a", "new");
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]).moody("c", &["b"], Mood::WontChange));
    let run = apply(&world, &graph, 2).await;
    assert_eq!(world.log(), ["check a", "check b", "apply b", "check b", "check c"]);
    assert_eq!((run.summary.unchanged, run.summary.changed), (2, 1));
    // Completed changes are kept: a second apply has nothing to do.
    let second_run = apply(&world, &graph, 2).await;
    assert_eq!(second_run.summary.unchanged, 3);
}

#[tokio::test]
async fn a_panic_neither_hangs_nor_takes_others_along() {
    let world = World::new();
    let graph = toys(|toys| {
        (0..20).fold(toys, |toys, at| {
            let mood = if at % 2 == 0 { Mood::PanicsInCheck } else { Mood::Good };
            toys.moody(&format!("a{at}"), &[], mood)
        })
    });
    for parallelism in [1, 3] {
        let run = plan(&world, &graph, parallelism).await;
        assert_eq!((run.summary.failed, run.summary.will_change), (10, 10));
    }
}
