//! Tests of interrupts and deadlines.

use std::num::NonZeroU32;
use std::time::Duration;

use super::*;
use crate::InterruptKind;
use crate::graph::Retry;

#[tokio::test]
async fn the_first_interrupt_lets_what_runs_finish() {
    let world = World::new();
    let gates = ["check a", "check b"].map(|operation| world.gate(operation));
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &[]).fresh("c", &[]).fresh("d", &["a"]));
    let interrupt = Stop::new();
    let task = tokio::spawn({
        let (world, interrupt) = (world.clone(), interrupt.clone());
        async move { run_with(engine(&world, 2), RunMode::Apply, &graph, &interrupt).await }
    });
    for gate in &gates {
        gate.reached().await;
    }
    assert_eq!(interrupt.raise(), InterruptKind::Finish);
    tokio::task::yield_now().await;
    for gate in &gates {
        gate.open();
        gate.open();
    }
    let run = task.await.unwrap();
    // `a` and `b` completed all stages, including both checks.
    assert_eq!(
        run.outcomes(),
        [
            ("toy.a", Outcome::Changed),
            ("toy.b", Outcome::Changed),
            ("toy.c", Outcome::NotRun),
            ("toy.d", Outcome::NotRun),
        ]
    );
    let lines = run.lines();
    assert_eq!(lines[2], "Finish [root/toy.a, root/toy.b]");
    assert!(!lines[2..].iter().any(|line| line.starts_with("start")), "{lines:?}");
}

#[tokio::test]
async fn the_second_interrupt_cancels_what_runs() {
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]).fresh("c", &["b"]));
    let interrupt = Stop::new();
    let task = tokio::spawn({
        let (world, interrupt) = (world.clone(), interrupt.clone());
        async move { run_with(engine(&world, 2), RunMode::Apply, &graph, &interrupt).await }
    });
    gate.reached().await;
    assert_eq!(interrupt.raise(), InterruptKind::Finish);
    assert_eq!(interrupt.raise(), InterruptKind::Cancel);
    let run = task.await.unwrap();
    assert_eq!(
        run.lines(),
        [
            "start toy.a",
            "Finish [root/toy.a]",
            "Cancel [root/toy.a]",
            "Failed toy.a",
            "NotRun toy.b",
            "NotRun toy.c"
        ]
    );
    // The report has the intended changes.
    assert_eq!(run.report("a").differences.len(), 1);
    let failure = run.report("a").failure.as_ref().unwrap();
    assert_eq!((failure.stage, failure.message.as_str()), (crate::Stage::Apply, "cancelled"));
    assert_eq!(world.log(), ["check a"]);
}

#[tokio::test]
async fn an_interrupt_before_the_run_keeps_everything_from_starting() {
    let world = World::new();
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &[]));
    let interrupt = Stop::new();
    interrupt.raise();
    let run = run_with(engine(&world, 2), RunMode::Apply, &graph, &interrupt).await;
    assert_eq!(run.lines(), ["Finish []", "NotRun toy.a", "NotRun toy.b"]);
    assert!(world.log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_deadline_cancels() {
    let world = World::new();
    let graph = toys(|toys| toys.moody("a", &[], Mood::Sleeps).fresh("b", &[]).fresh("c", &["a"]));
    let began = tokio::time::Instant::now();
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph);
    let run = end(run.deadline(Duration::from_mins(1))).await;
    assert_eq!(began.elapsed(), Duration::from_mins(1));
    assert_eq!(
        run.outcomes(),
        [("toy.a", Outcome::Failed), ("toy.b", Outcome::Changed), ("toy.c", Outcome::NotRun)]
    );
    let failure = run.report("a").failure.as_ref().unwrap();
    assert_eq!(failure.message, "cancelled: the run took longer than its deadline");
    assert_eq!(run.report("a").elapsed, Duration::from_mins(1));
    // The time limit is not reached.
    let run = begin(&engine(&world, 2), RunMode::Plan, &graph);
    let run = end(run.deadline(Duration::from_hours(2))).await;
    assert!(run.summary.is_success());
    assert_eq!(run.report("a").elapsed, Duration::from_hours(1));
}

#[tokio::test]
async fn a_run_that_is_dropped_stops() {
    let world = World::new();
    let gate = world.gate("check a");
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]));
    let task = tokio::spawn({
        let world = world.clone();
        async move { plan(&world, &graph, 2).await }
    });
    gate.reached().await;
    task.abort();
    assert!(task.await.is_err());
    gate.open();
    tokio::task::yield_now().await;
    assert!(world.log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_is_cut_off_keeps_what_it_had() {
    let world = World::new();
    let _closed = ["apply a", "batch b,c"].map(|operation| world.gate(operation));
    let graph = toys(|toys| toys.special("one.a", &[], |toy| toy).specials(&["pack.b", "pack.c"]));
    let run = begin(&engine(&world, 4), RunMode::Apply, &graph).deadline(Duration::from_secs(5));
    let run = end(run).await;
    // `a` and the batch share a lock, so only one of them was applied and the other had not begun.
    let reports: Vec<_> = ["a", "b", "c"].iter().map(|name| run.report(name)).collect();
    for report in reports.iter().filter(|report| report.outcome == Outcome::Failed) {
        assert_eq!((report.differences.len(), report.elapsed), (1, Duration::from_secs(5)), "{}", report.id);
    }
    assert!(reports.iter().any(|report| report.outcome == Outcome::Failed));

    let world = World::new();
    world.fail("apply a", super::test_resources::Fails::Early, 1);
    let retry =
        Retry { attempts: NonZeroU32::MIN.saturating_add(4), delay: Duration::from_hours(1), backoff: 1.0 };
    let graph = toys(|toys| toys.toy("a", &[], |toy| toy.set("state", "new").retry(retry)));
    let run = begin(&engine(&world, 4), RunMode::Apply, &graph).deadline(Duration::from_secs(5));
    let run = end(run).await;
    let report = run.report("a");
    assert_eq!((report.differences.len(), report.elapsed), (1, Duration::from_secs(5)));
    assert!(report.messages[0].starts_with("attempt 1 of 5 failed"), "{:?}", report.messages);
}

#[tokio::test]
async fn a_panic_leaves_what_was_known() {
    let world = World::new();
    let graph = toys(|toys| {
        let breaks = |toy: ResourceBuilder| toy.set("mood", Mood::PanicsInBatch.word());
        toys.special("card.a", &[], breaks).special("card.b", &[], breaks)
    });
    let run = apply(&world, &graph, 2).await;
    for name in ["a", "b"] {
        let report = run.report(name);
        assert_eq!((report.outcome, report.differences.len()), (Outcome::Failed, 1));
        assert!(report.elapsed > Duration::ZERO);
    }
}

#[tokio::test]
async fn a_summary_counts_what_was_changed() {
    let world = World::new();
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &[]).moody("c", &[], Mood::TellsMore));
    assert_eq!(plan(&world, &graph, 2).await.summary.changes, 3);
    assert_eq!(apply(&world, &graph, 2).await.summary.changes, 4);
    assert_eq!(apply(&world, &graph, 2).await.summary.changes, 0);
}
