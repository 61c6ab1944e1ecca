//! Tests of batches.

use std::num::NonZeroU32;
use std::time::Duration;

use super::test_resources::{Fails, Gate};
use super::*;
use crate::Stage;
use crate::graph::Retry;

/// Returns the calls of `apply_batch` and the applies of single resources.
pub(super) fn calls(world: &World) -> Vec<String> {
    let log = world.log().into_iter();
    let mut in_batch = 0;
    let mut calls = Vec::new();
    for operation in log.filter(|operation| !operation.starts_with("check")) {
        if let Some(members) = operation.strip_prefix("batch ") {
            in_batch = members.split(',').count();
            calls.push(operation);
        } else if in_batch > 0 {
            in_batch -= 1;
        } else {
            calls.push(operation);
        }
    }
    calls
}

fn retry(attempts: u32, delay: u64) -> Retry {
    let attempts = NonZeroU32::new(attempts).unwrap();
    Retry { attempts, delay: Duration::from_secs(delay), backoff: 1.0 }
}

fn moody(mood: Mood) -> impl Fn(ResourceBuilder) -> ResourceBuilder {
    move |toy| toy.set("mood", mood.word())
}

#[tokio::test]
async fn what_is_ready_is_applied_by_one_call() {
    let graph = toys(|toys| {
        // A file is in between, and the names are not in the order of the checks.
        let toys = toys.specials(&["card.d", "card.b", "card.a", "card.c"]).fresh("m", &[]);
        toys.special("card.z", &["card.a"], |toy| toy).special("card.y", &["card.b"], |toy| toy)
    });
    for parallelism in [1, 2, 3, 16] {
        let world = World::new();
        let run = apply(&world, &graph, parallelism).await;
        assert_eq!(run.summary.changed, 7);
        let calls = calls(&world);
        let calls: Vec<_> = calls.iter().filter(|call| *call != "apply m").collect();
        assert_eq!(calls, ["batch a,b,c,d", "batch y,z"], "with {parallelism}");
        for name in ["a", "b", "c", "d", "y", "z"] {
            assert_eq!(world.state(name), "new");
            assert_eq!(world.log().iter().filter(|have| **have == format!("check {name}")).count(), 2);
            assert_eq!(run.report(name).messages, ["size None, list []"]);
        }
    }
}

/// A program run for a batch is checked for secrets like that of a single resource.
///
/// The warning goes to the resource with the secret.
#[tokio::test]
async fn secrets_on_the_command_line_of_a_batch_are_warned_of() {
    let exposed = |toy: ResourceBuilder| toy.set("state", "hunter2-7f3a").set("secret", "hunter2-7f3a");
    let graph = toys(|toys| Toys(toys.0.resource("card", "a", exposed)).specials(&["card.b", "card.c"]));
    let world = World::new();
    let run = apply(&world, &graph, 2).await;
    assert_eq!(run.summary.changed, 3);
    assert_eq!(calls(&world).len(), 1, "they are applied by one call");
    let warning =
        "a secret is among the arguments of `batch`, which every user of this machine can read while it runs";
    assert_eq!(run.report("a").warnings, [warning]);
    assert!(run.report("b").warnings.is_empty() && run.report("c").warnings.is_empty());
}

#[tokio::test]
async fn a_batch_has_no_more_members_than_its_type_allows() {
    let names: Vec<String> = (0..101).map(|number| format!("card.c{number:03}")).collect();
    let graph = toys(|toys| toys.specials(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    for parallelism in [1, 4] {
        let world = World::new();
        let run = apply(&world, &graph, parallelism).await;
        assert_eq!(run.summary.changed, 101);
        let mut sizes: Vec<usize> = calls(&world).iter().map(|call| call.split(',').count()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 50, 50], "with {parallelism}");
    }
}

/// A batch on one worker does not begin while a resource waits for its next attempt.
#[tokio::test(start_paused = true)]
async fn with_one_worker_a_wait_for_another_attempt_changes_no_order() {
    for (delay, seed) in (0..16).map(|seed| (0, seed)).chain([(5, 0)]) {
        let fails = |toy: ResourceBuilder| moody(Mood::FailsCheck)(toy).retry(retry(2, delay));
        let graph = toys(|toys| {
            toys.specials(&["pack.a"]).special("pack.b", &[], fails).special("pack.c", &["pack.b"], |toy| toy)
        });
        let world = World::new();
        world.shuffle(seed);
        let run = apply(&world, &graph, 1).await;
        let order = ["start pack.a", "start pack.b", "Failed pack.b", "Skipped pack.c", "Changed pack.a"];
        assert_eq!(run.lines(), order, "with a delay of {delay} and seed {seed}");
    }
}

#[tokio::test]
async fn a_batch_of_one_is_an_apply() {
    let world = World::new();
    world.set("b", "new");
    let graph = toys(|toys| toys.specials(&["card.a", "card.b"]));
    let run = apply(&world, &graph, 4).await;
    assert_eq!(run.outcomes(), [("card.a", Outcome::Changed), ("card.b", Outcome::Unchanged)]);
    assert_eq!(calls(&world), ["apply a"]);
}

#[tokio::test]
async fn a_batch_waits_for_checks_of_its_type_and_for_nothing_else() {
    let world = World::new();
    let (slow, second_gate) = (world.gate("check c"), world.gate("check x"));
    let graph =
        toys(|toys| toys.specials(&["card.a", "card.b", "card.c", "pack.p", "pack.q"]).fresh("x", &[]));
    let run = start(&world, &graph, 8, &Stop::new());
    slow.reached().await;
    second_gate.reached().await;
    settle().await;
    assert_eq!(calls(&world), ["batch p,q"], "the other type goes on");
    slow.open();
    settle().await;
    assert_eq!(calls(&world), ["batch p,q", "batch a,b,c"], "while x is still being checked");
    second_gate.open();
    slow.open();
    second_gate.open();
    assert_eq!(run.await.unwrap().summary.changed, 6);
}

#[tokio::test]
async fn a_full_batch_does_not_wait_for_checks_of_later_resources() {
    let names: Vec<String> = (0..52).map(|number| format!("card.c{number:03}")).collect();
    let graph = toys(|toys| toys.specials(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    for (slow, full) in [("c051", true), ("c049", false)] {
        let world = World::new();
        let gate = world.gate(&format!("check {slow}"));
        let run = start(&world, &graph, 4, &Stop::new());
        gate.reached().await;
        settle().await;
        let sizes: Vec<usize> = calls(&world).iter().map(|call| call.split(',').count()).collect();
        assert_eq!(sizes, if full { vec![50] } else { vec![] }, "while {slow} is being checked");
        gate.open();
        gate.open();
        assert_eq!(run.await.unwrap().summary.changed, 52);
    }
}

#[tokio::test]
async fn a_slow_check_after_a_batch_keeps_nobody_waiting() {
    let world = World::new();
    let slow = world.gate("check a");
    let graph = toys(|toys| toys.specials(&["card.a", "card.b", "card.c", "card.d"]));
    let run = start(&world, &graph, 2, &Stop::new());
    slow.reached().await;
    slow.open();
    slow.reached().await;
    settle().await;
    for name in ["b", "c", "d"] {
        let check = format!("check {name}");
        assert_eq!(world.log().iter().filter(|have| **have == check).count(), 2, "{name}");
    }
    slow.open();
    assert_eq!(run.await.unwrap().summary.changed, 4);
}

#[tokio::test]
async fn what_a_switch_or_module_lets_through_comes_along() {
    use super::manual_graphs::{ManualGraph, value};
    let graph = || {
        let card = |hand: ManualGraph, path: &str| hand.toy(path, vec![("state", value("new"))]);
        let hand = card(ManualGraph::new(), "card.a").end("module.zoo", Role::Module);
        let hand = hand.gate("module.zoo/begin", Some(value(true)));
        card(card(hand, "module.zoo/card.b"), "module.zoo/card.c").build()
    };
    for parallelism in [1, 4] {
        let world = World::new();
        let run = apply(&world, &graph(), parallelism).await;
        assert_eq!(run.summary.changed, 3);
        assert_eq!(calls(&world), ["batch a,b,c"], "with {parallelism}");
    }
}

#[tokio::test]
async fn who_fails_is_alone_in_that() {
    let world = World::new();
    world.fail("apply e", Fails::Late, 1);
    let graph = toys(|toys| {
        toys.specials(&["card.a", "card.e"])
            .special("card.b", &[], moody(Mood::FailsApply))
            .special("card.c", &[], moody(Mood::Stuck))
            .special("card.d", &[], moody(Mood::FailsCheck))
            .special("card.f", &[], moody(Mood::HaltsApply))
            .special("card.after_a", &["card.a"], |toy| toy)
            .special("card.after_b", &["card.b"], |toy| toy)
    });
    for parallelism in [1, 3] {
        let world = World::new();
        world.fail("apply e", Fails::Late, 1);
        let run = apply(&world, &graph, parallelism).await;
        assert_eq!(calls(&world), ["batch a,b,c,e,f", "apply after_a"]);
        let failure = |name: &str| {
            let report = run.report(name);
            report
                .failure
                .as_ref()
                .map(|failure| (failure.stage, failure.message.clone(), report.differences.len()))
        };
        assert_eq!(run.report("a").outcome, Outcome::Changed);
        assert_eq!(failure("b"), Some((Stage::Apply, "cannot be applied".into(), 1)));
        let left = "still has changes after apply\n  state: (none) -> new";
        assert_eq!(failure("c"), Some((Stage::CheckAfterApply, left.into(), 1)));
        assert_eq!(failure("d"), Some((Stage::Check, "cannot be checked".into(), 0)));
        assert_eq!(failure("e"), Some((Stage::Apply, "the world is against it".into(), 1)));
        assert_eq!(failure("f"), Some((Stage::Apply, "the resource met an error".into(), 1)));
        assert_eq!(run.report("after_b").outcome, Outcome::Skipped);
        assert_eq!(run.report("after_a").outcome, Outcome::Changed);
    }
}

#[tokio::test]
async fn a_wrong_number_of_results_is_an_error_of_all() {
    let graph =
        toys(|toys| toys.specials(&["card.a", "card.b"]).special("card.c", &[], moody(Mood::Miscounts)));
    let run = apply(&World::new(), &graph, 2).await;
    for name in ["a", "b", "c"] {
        let message = &run.report(name).failure.as_ref().unwrap().message;
        let expect =
            "`apply_batch` of card gave 2 results for 3 members: it must give one for each, in their order";
        assert_eq!(message, expect);
    }
}

#[tokio::test]
async fn a_panic_fails_all_members_and_nobody_else() {
    let graph = toys(|toys| {
        toys.specials(&["card.a", "card.b", "pack.p"]).special("card.c", &[], moody(Mood::PanicsInBatch))
    });
    let run = apply(&World::new(), &graph, 2).await;
    for name in ["a", "b", "c"] {
        let failure = run.report(name).failure.as_ref().unwrap();
        assert_eq!(
            (failure.stage, &*failure.message),
            (Stage::Apply, "the resource panicked: the box broke")
        );
    }
    assert_eq!(run.report("p").outcome, Outcome::Changed);
}

#[tokio::test]
async fn the_next_batch_waits_for_the_lock_and_grows() {
    let world = World::new();
    let first = world.gate("batch a,b");
    let last = world.gate("check x");
    let graph = toys(|toys| {
        toys.specials(&["pack.a", "pack.b"])
            .special("pack.c", &["toy.w"], |toy| toy)
            .special("pack.d", &["toy.x"], |toy| toy)
            .special("one.e", &["toy.w"], |toy| toy)
            .fresh("w", &[])
            .fresh("x", &["w"])
    });
    let run = start(&world, &graph, 8, &Stop::new());
    first.reached().await;
    last.reached().await;
    settle().await;
    assert_eq!(calls(&world), ["apply w"]);
    last.open();
    last.open();
    settle().await;
    first.open();
    let run = run.await.unwrap();
    assert_eq!(run.summary.changed, 7);
    assert_eq!(calls(&world), ["apply w", "apply x", "batch a,b", "apply e", "batch c,d"]);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_that_of_the_batch() {
    let began = tokio::time::Instant::now();
    let world = World::new();
    let gate = world.gate("batch a,b");
    let limited = |toy: ResourceBuilder| toy.timeout(Duration::from_secs(30));
    let graph = toys(|toys| {
        toys.special("card.a", &[], limited).special("card.b", &[], limited).specials(&["card.c", "card.d"])
    });
    let run = apply(&world, &graph, 4).await;
    // A different timeout means a different batch.
    assert_eq!(calls(&world), ["batch c,d"]);
    for name in ["a", "b"] {
        let failure = run.report(name).failure.as_ref().unwrap();
        assert_eq!((failure.stage, &*failure.message), (Stage::Apply, "took longer than its timeout of 30s"));
    }
    assert_eq!((run.summary.changed, world.running()), (2, 0));
    assert_eq!(began.elapsed(), Duration::from_secs(30));

    // The time limit excludes the waits for other members and for the lock.
    let world = World::new();
    let slow = world.gate("check b");
    let run = start(&world, &graph, 4, &Stop::new());
    slow.reached().await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    slow.open();
    slow.open();
    drop(gate);
    let run = run.await.unwrap();
    assert_eq!(run.summary.changed, 4);
    assert!(run.report("a").elapsed < Duration::from_secs(1));
    assert_eq!(run.report("b").elapsed.as_secs(), 20);
}

#[tokio::test(start_paused = true)]
async fn who_is_tried_again_keeps_nobody_waiting() {
    let began = tokio::time::Instant::now();
    let world = World::new();
    world.fail("apply b", Fails::Early, 1);
    world.fail("check c", Fails::Early, 1);
    let with_retry = |toy: ResourceBuilder| toy.retry(retry(3, 60));
    let graph = toys(|toys| {
        toys.specials(&["pack.a"]).special("pack.b", &[], with_retry).special("pack.c", &[], with_retry)
    });
    let run = apply(&world, &graph, 2).await;
    assert_eq!(run.summary.changed, 3);
    assert_eq!(began.elapsed(), Duration::from_mins(1));
    assert_eq!(run.report("b").messages[0], "attempt 1 of 3 failed: the world is against it");
    assert_eq!(calls(&world)[0], "batch a,b");
}

#[tokio::test]
async fn an_interrupt_lets_a_batch_finish_and_the_next_one_cancels_it() {
    for raises in [1, 2] {
        let world = World::new();
        let gate = world.gate("batch a,b");
        let slow = world.gate("check q");
        let graph = toys(|toys| {
            toys.specials(&["card.a", "card.b", "pack.p", "pack.q"]).special("toy.z", &["card.a"], |toy| toy)
        });
        let interrupt = Stop::new();
        let run = start(&world, &graph, 8, &interrupt);
        gate.reached().await;
        slow.reached().await;
        settle().await;
        interrupt.raise();
        settle().await;
        if raises == 2 {
            interrupt.raise();
        }
        [&gate, &slow].into_iter().for_each(Gate::open);
        let run = run.await.unwrap();
        let outcome = |name: &str| run.report(name).outcome;
        let lines = run.lines();
        assert!(lines.contains(&"Finish [root/card.a, root/card.b, root/pack.q]".to_owned()), "{lines:?}");
        assert_eq!((outcome("p"), outcome("z")), (Outcome::NotRun, Outcome::NotRun));
        if raises == 1 {
            assert_eq!(
                (outcome("a"), outcome("b"), outcome("q")),
                (Outcome::Changed, Outcome::Changed, Outcome::NotRun)
            );
        } else {
            assert_eq!(
                (outcome("a"), outcome("b"), outcome("q")),
                (Outcome::Failed, Outcome::Failed, Outcome::Failed)
            );
            assert_eq!(run.report("a").failure.as_ref().unwrap().message, "cancelled");
            assert_eq!(calls(&world), Vec::<String>::new());
        }
        assert_eq!(world.running(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_batch() {
    let world = World::new();
    let _closed = world.gate("batch a,b");
    let graph = toys(|toys| toys.specials(&["pack.a", "pack.b", "one.c"]));
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph);
    let run = end(run.deadline(Duration::from_mins(1))).await;
    let outcomes = [("one.c", Outcome::Changed), ("pack.a", Outcome::Failed), ("pack.b", Outcome::Failed)];
    assert_eq!(run.outcomes(), outcomes);
    let message = &run.report("a").failure.as_ref().unwrap().message;
    assert_eq!(message, "cancelled: the run took longer than its deadline");
}

#[tokio::test]
async fn members_of_a_group_are_in_batches_of_their_own() {
    let graph = toys(|toys| {
        let member = |toy: ResourceBuilder| toy.group("g");
        toys.special("card.a", &[], member).special("card.b", &[], member).specials(&["card.c", "card.d"])
    });
    for parallelism in [1, 2, 8] {
        let world = World::new();
        assert_eq!(apply(&world, &graph, parallelism).await.summary.changed, 4);
        assert_eq!(calls(&world), ["batch a,c,d", "apply b"], "with {parallelism}");
        assert!(!world.were_together("a", "b"));
    }
}

#[tokio::test]
async fn members_that_are_refreshed_are_alone_without_a_lock_too() {
    for kind in ["card", "pack"] {
        let graph = toys(|toys| {
            ["a", "b", "c"].iter().fold(toys.fresh("conf", &[]), |toys, name| {
                toys.special(&format!("{kind}.{name}"), &[], |toy| toy.on_change_of("toy.conf"))
            })
        });
        for parallelism in [1, 4] {
            let run = apply(&World::new(), &graph, parallelism).await;
            assert_eq!(run.summary.changed, 4, "{kind} with {parallelism}: {:?}", run.outcomes());
        }
    }
}

#[tokio::test]
async fn with_one_worker_the_order_is_exact() {
    let graph = toys(|toys| {
        toys.specials(&["card.a", "card.c", "pack.b"]).fresh("m", &[]).special(
            "toy.after",
            &["card.a"],
            |toy| toy,
        )
    });
    let run = apply(&World::new(), &graph, 1).await;
    assert_eq!(
        run.lines(),
        [
            "start card.a",
            "start card.c",
            "Changed card.a",
            "Changed card.c",
            "start pack.b",
            "Changed pack.b",
            "start toy.after",
            "Changed toy.after",
            "start toy.m",
            "Changed toy.m",
        ]
    );
}
