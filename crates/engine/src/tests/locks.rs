//! Tests of the locks of resource types.

use std::num::NonZeroU32;
use std::time::Duration;

use super::manual_graphs::{ManualGraph, value};
use super::test_resources::{Fails, Gate};
use super::*;
use crate::graph::{Attribute, Input, Retry};
use crate::sdk::resource::Preparer as _;
use crate::types::value::Value;

fn retry(attempts: u32, delay: u64) -> Retry {
    let attempts = NonZeroU32::new(attempts).unwrap();
    Retry { attempts, delay: Duration::from_secs(delay), backoff: 1.0 }
}

#[tokio::test]
async fn types_with_one_lock_are_checked_together_and_applied_one_by_one() {
    let world = World::new();
    let checks = ["check a", "check b", "check c"].map(|operation| world.gate(operation));
    let applies = ["apply a", "apply b", "apply c"].map(|operation| world.gate(operation));
    let graph = toys(|toys| toys.specials(&["one.a", "one_more.b", "two.c"]));
    let run = start(&world, &graph, 3, &Stop::new());
    for gate in &checks {
        gate.reached().await;
    }
    checks.iter().for_each(Gate::open);
    let [a, b, c] = &applies;
    a.reached().await;
    c.reached().await;
    settle().await;
    assert_eq!(world.running(), 2, "b waits for a, and c for nobody");
    c.open();
    checks.iter().for_each(Gate::open);
    settle().await;
    assert_eq!(world.log().last().unwrap(), "check c", "and ends before them");
    // The lock is free after the check that follows the apply.
    a.open();
    settle().await;
    checks[1].open();
    b.reached().await;
    b.open();
    checks[1].open();
    assert_eq!(run.await.unwrap().summary.changed, 3);
    let log = world.log();
    let last_index_of = |operation: &str| log.iter().rposition(|have| have == operation).unwrap();
    assert!(last_index_of("check a") < last_index_of("apply b"), "{log:?}");
}

#[tokio::test]
async fn who_waits_for_a_lock_keeps_no_worker() {
    for parallelism in [1, 2] {
        let world = World::new();
        let gate = world.gate("apply a");
        let graph = toys(|toys| toys.specials(&["one.a", "one.b", "one.c", "one.d"]).fresh("x", &[]));
        let run = start(&world, &graph, parallelism, &Stop::new());
        gate.reached().await;
        settle().await;
        let expect = if parallelism == 1 { "check a" } else { "check x" };
        assert_eq!(world.log().last().unwrap(), expect, "with {parallelism}");
        gate.open();
        assert_eq!(run.await.unwrap().summary.changed, 5);
    }
}

#[tokio::test]
async fn what_was_changed_under_the_lock_is_seen() {
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| toys.specials(&["one.a", "one_more.b", "one_more.c"]));
    let run = start(&world, &graph, 8, &Stop::new());
    gate.reached().await;
    settle().await;
    // The state changes as if a package was installed as a dependency of another.
    world.set("b", "new");
    gate.open();
    let run = run.await.unwrap();
    assert_eq!(
        run.outcomes(),
        [("one.a", Outcome::Changed), ("one_more.b", Outcome::Unchanged), ("one_more.c", Outcome::Changed)]
    );
    assert!(run.report("b").differences.iter().all(|difference| !difference.changes));
    assert!(!world.log().contains(&"apply b".to_owned()));
}

#[tokio::test]
async fn a_check_that_nothing_came_after_is_not_repeated() {
    let world = World::new();
    let graph = toys(|toys| toys.special("one.a", &[], |toy| toy).special("one.b", &["one.a"], |toy| toy));
    assert_eq!(apply(&world, &graph, 4).await.summary.changed, 2);
    assert_eq!(world.log(), ["check a", "apply a", "check a", "check b", "apply b", "check b"]);
}

#[tokio::test]
async fn with_one_worker_a_lock_changes_nothing() {
    let names = ["a", "b", "c", "d"];
    let graph = |kinds: [&str; 4]| {
        toys(|toys| {
            names
                .iter()
                .zip(kinds)
                .fold(toys, |toys, (name, kind)| toys.special(&format!("{kind}.{name}"), &[], |toy| toy))
        })
    };
    let (locked, plain_world) = (World::new(), World::new());
    let run = apply(&locked, &graph(["one", "one", "one", "one"]), 1).await;
    apply(&plain_world, &graph(["toy", "toy", "toy", "toy"]), 1).await;
    assert_eq!(locked.log(), plain_world.log());
    assert_eq!(run.lines()[..3], ["start one.a", "Changed one.a", "start one.b"]);
}

#[tokio::test]
async fn locks_and_groups_do_not_deadlock() {
    // Members of each group want each lock, in crossing chains.
    let graph = toys(|toys| {
        let kinds = ["one", "pack", "card", "two", "one_more"];
        (0..40_usize).fold(toys, |toys, at| {
            let name = |at: usize| format!("{}.n{:02}", kinds[at % 5], at * 17 % 40);
            let depends: Vec<String> = if at % 3 == 0 { vec![] } else { vec![name(at - at % 3)] };
            let depends: Vec<&str> = depends.iter().map(String::as_str).collect();
            toys.special(&name(at), &depends, |toy| toy.group(if at % 2 == 0 { "even" } else { "odd" }))
        })
    });
    for parallelism in [1, 2, 3, 16] {
        assert_eq!(apply(&World::new(), &graph, parallelism).await.summary.changed, 40);
    }
}

#[tokio::test]
async fn a_plan_has_no_turns() {
    let world = World::new();
    let gates = ["check a", "check b", "check c"].map(|operation| world.gate(operation));
    let graph = toys(|toys| toys.specials(&["one.a", "one.b", "pack.c"]));
    let task = tokio::spawn({
        let (world, graph) = (world.clone(), graph.clone());
        async move { plan(&world, &graph, 3).await }
    });
    for gate in &gates {
        gate.reached().await;
    }
    gates.iter().for_each(Gate::open);
    assert_eq!(task.await.unwrap().summary.will_change, 3);
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_lock_does_not_count() {
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| {
        toys.specials(&["one.a"]).special("one.b", &[], |toy| toy.timeout(Duration::from_secs(30)))
    });
    let run = start(&world, &graph, 2, &Stop::new());
    gate.reached().await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    gate.open();
    let run = run.await.unwrap();
    assert_eq!(run.summary.changed, 2);
    assert!(run.report("b").elapsed < Duration::from_secs(30));
    assert_eq!(run.report("a").elapsed, Duration::from_hours(1));

    // Once the resource has its turn, its remaining time counts.
    let world = World::new();
    let _closed = world.gate("apply b");
    let run = apply(&world, &graph, 2).await;
    assert_eq!(run.report("b").failure.as_ref().unwrap().message, "took longer than its timeout of 30s");
    assert_eq!(run.report("a").outcome, Outcome::Changed);
}

#[tokio::test(start_paused = true)]
async fn who_waits_to_be_tried_again_holds_no_lock() {
    let began = tokio::time::Instant::now();
    let world = World::new();
    world.fail("apply a", Fails::Early, 1);
    let gate = world.gate("apply b");
    let graph = toys(|toys| toys.special("one.a", &[], |toy| toy.retry(retry(2, 600))).specials(&["one.b"]));
    let run = start(&world, &graph, 2, &Stop::new());
    gate.reached().await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    gate.open();
    let run = run.await.unwrap();
    assert_eq!(run.summary.changed, 2);
    assert_eq!(began.elapsed(), Duration::from_mins(10));
    assert_eq!(run.report("a").messages[0], "attempt 1 of 2 failed: the world is against it");
}

#[tokio::test]
async fn an_interrupt_leaves_out_whose_turn_has_not_come() {
    for raises in [1, 2] {
        let world = World::new();
        let gate = world.gate("apply a");
        let graph =
            toys(|toys| toys.specials(&["one.a", "one.b", "one.c"]).special("toy.d", &["one.b"], |toy| toy));
        let interrupt = Stop::new();
        let run = start(&world, &graph, 2, &interrupt);
        gate.reached().await;
        settle().await;
        for _ in 0..raises {
            interrupt.raise();
        }
        settle().await;
        gate.open();
        let run = run.await.unwrap();
        let lines = run.lines();
        let first = if raises == 1 { Outcome::Changed } else { Outcome::Failed };
        assert_eq!(run.report("a").outcome, first);
        assert_eq!(run.report("b").outcome, Outcome::NotRun);
        assert_eq!(run.report("c").outcome, Outcome::NotRun);
        assert!(lines.contains(&"Finish [root/one.a]".to_owned()), "{lines:?}");
        assert!(!world.log().contains(&"apply b".to_owned()));
        assert_eq!(run.summary.not_run, lines.iter().filter(|line| line.starts_with("NotRun")).count());
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_tells_of_an_attempt_that_was_made() {
    let world = World::new();
    world.fail("apply b", Fails::Early, 1);
    let gate = world.gate("apply a");
    // The first attempt of `b` comes before `a`, and the second one waits for `a`.
    let graph = toys(|toys| {
        toys.special("one.a", &["toy.x"], |toy| toy)
            .fresh("x", &[])
            .special("one_more.b", &[], |toy| toy.retry(retry(9, 5)))
    });
    let slow = world.gate("check x");
    let interrupt = Stop::new();
    let run = start(&world, &graph, 8, &interrupt);
    slow.reached().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    slow.open();
    slow.open();
    gate.reached().await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    interrupt.raise();
    gate.open();
    let run = run.await.unwrap();
    let report = run.report("b");
    assert_eq!(report.outcome, Outcome::Failed);
    assert_eq!(report.failure.as_ref().unwrap().message, "the world is against it");
    assert_eq!(report.messages.last().unwrap(), "not retried because the run was interrupted");
}

/// Runs two copies of one declaration, each in a module call with its own parameter.
#[tokio::test]
async fn duplicates_are_worked_on_one_after_the_other() {
    async fn check(first: Value, second: Value, together: bool) {
        let label = format!("{first:?} {second:?}");
        let input = Input { kind: value("new"), span: None };
        let field = Toy::schema().field("state").unwrap().0;
        let attributes = Arc::new(vec![Attribute { field, input, name_span: None }]);
        let graph =
            [("a", first), ("b", second)].into_iter().fold(ManualGraph::new(), |hand, (name, param)| {
                let (toy, param_id) = (format!("toy.{name}"), format!("param.{name}"));
                let hand = hand.param(&param_id, value(param));
                let hand = hand.node(&toy, Role::Resource, |node| node.attributes = Arc::clone(&attributes));
                hand.waits(&toy, EdgeReason::Param, &[&param_id])
            });
        let (world, graph) = (World::new(), graph.build());
        let gate = world.gate("apply a");
        let run = start(&world, &graph, 4, &Stop::new());
        gate.reached().await;
        settle().await;
        assert_eq!(world.log().contains(&"apply b".to_owned()), together, "{label}");
        gate.open();
        assert_eq!(run.await.unwrap().summary.changed, 2, "{label}");
        assert_eq!(world.were_together("a", "b"), together, "{label}");
    }
    check("x".into(), "x".into(), false).await;
    check("x".into(), "y".into(), true).await;
    check(1.into(), 1.into(), false).await;
    check(1.into(), 2.into(), true).await;
    check(vec!["x", "y"].into(), vec!["x", "y"].into(), false).await;
    check(Value::from("x").into_secret(), Value::from("x").into_secret(), false).await;
    check(Value::from("x").into_secret(), Value::from("y").into_secret(), true).await;
    // A value that does not equal itself has no duplicates to wait for.
    check(f64::NAN.into(), f64::NAN.into(), true).await;
}
