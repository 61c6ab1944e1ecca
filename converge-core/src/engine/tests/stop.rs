//! Interrupts and deadlines.

use std::time::Duration;

use super::*;
use crate::engine::InterruptKind;

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
    // `a` and `b` went the whole way, with both checks.
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
    let failure = run.report("a").failure.as_ref().unwrap();
    assert_eq!((failure.stage, failure.message.as_str()), (crate::engine::Stage::Apply, "cancelled"));
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
    // Time enough: nothing happens.
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
