//! Tests of `timeout` and `retry`, in virtual time.

use std::num::NonZeroU32;
use std::time::Duration;

use super::test_resources::Fails;
use super::*;
use crate::Difference;
use crate::graph::Retry;

fn retry(attempts: u32, delay: u64, backoff: f64) -> Retry {
    let attempts = NonZeroU32::new(attempts).unwrap();
    Retry { attempts, delay: Duration::from_secs(delay), backoff }
}

/// Returns a graph with one toy that has to be changed, configured by `fill`.
fn one(fill: impl FnOnce(ResourceBuilder) -> ResourceBuilder) -> Arc<Graph> {
    toys(|toys| toys.toy("a", &[], |toy| fill(toy.set("state", "new"))).fresh("b", &["a"]))
}

fn failure(run: &Ended) -> (crate::Stage, &str) {
    let failure = run.report("a").failure.as_ref().expect("a failure");
    (failure.stage, failure.message.as_str())
}

#[tokio::test(start_paused = true)]
async fn work_that_takes_too_long_fails() {
    use crate::Stage;
    let began = tokio::time::Instant::now();
    let graph = one(|toy| toy.set("mood", Mood::Sleeps.word()).timeout(Duration::from_secs(30)));
    for mode in [RunMode::Plan, RunMode::Apply] {
        let world = World::new();
        let run = run_with(engine(&world, 2), mode, &graph, &Stop::new()).await;
        assert_eq!(failure(&run), (Stage::Check, "took longer than its timeout of 30s"));
        let skipped = run.report("b").skipped.as_ref().unwrap();
        assert_eq!(skipped.reason, "took longer than its timeout of 30s");
        assert!(world.log().is_empty());
    }
    assert_eq!(began.elapsed().as_secs(), 60);

    // The timeout expires in the middle of an apply, whose future is dropped.
    let world = World::new();
    let _closed = world.gate("apply a");
    let graph = one(|toy| toy.timeout(Duration::from_millis(1500)));
    let run = apply(&world, &graph, 2).await;
    assert_eq!(failure(&run), (Stage::Apply, "took longer than its timeout of 1.5s"));
    assert_eq!(world.log(), ["check a"]);
    assert_eq!(world.running(), 0);

    // The resource sees the deadline before it expires.
    let graph = one(|toy| toy.set("mood", Mood::HeedsDeadline.word()).timeout(Duration::from_secs(3)));
    let run = plan(&World::new(), &graph, 1).await;
    assert_eq!(failure(&run), (Stage::Check, "took longer than its timeout of 3s"));

    // The timeout is beyond the range of the clock.
    let run = apply(&World::new(), &one(|toy| toy.timeout(Duration::MAX)), 1).await;
    assert_eq!(run.summary.changed, 2);
}

#[tokio::test(start_paused = true)]
async fn what_fails_is_tried_again() {
    let began = tokio::time::Instant::now();
    let world = World::new();
    world.fail("apply a", Fails::Early, 2);
    let run = apply(&world, &one(|toy| toy.retry(retry(3, 10, 2.0))), 1).await;
    assert_eq!(run.summary.changed, 2);
    let report = run.report("a");
    assert_eq!(
        report.messages[..2],
        ["attempt 1 of 3 failed: the world is against it", "attempt 2 of 3 failed: the world is against it"]
    );
    assert_eq!(report.differences.len(), 1);
    // Each attempt starts at `prepare`, so it checks again.
    let log = [
        "check a",
        "apply a fails",
        "check a",
        "apply a fails",
        "check a",
        "apply a",
        "check a",
        "check b",
        "apply b",
        "check b",
    ];
    assert_eq!(world.log(), log);
    assert_eq!(began.elapsed().as_secs(), 30);
    assert_eq!(run.lines()[..2], ["start toy.a", "Changed toy.a"]);

    let world = World::new();
    world.fail("apply a", Fails::Early, 3);
    let run = apply(&world, &one(|toy| toy.retry(retry(3, 1, 1.0))), 2).await;
    assert_eq!(failure(&run), (crate::Stage::Apply, "the world is against it"));
    assert_eq!(run.report("a").messages.len(), 2);
    assert_eq!(run.report("b").outcome, Outcome::Skipped);

    // A plan retries too.
    let graph = one(|toy| toy.set("mood", Mood::FailsPrepare.word()).retry(retry(2, 0, 1.0)));
    let run = plan(&World::new(), &graph, 1).await;
    assert_eq!(run.report("a").messages, ["attempt 1 of 2 failed: cannot be prepared"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_an_attempt_that_failed_is_told() {
    let world = World::new();
    world.fail("apply a", Fails::Late, 1);
    let run = apply(&world, &one(|toy| toy.retry(retry(2, 1, 1.0))), 1).await;
    let report = run.report("a");
    assert_eq!(report.outcome, Outcome::Changed);
    assert_eq!(report.differences.len(), 1);
    assert_eq!(
        (report.differences[0].before.to_string().as_str(), report.differences[0].changes),
        ("(none)", true)
    );
    assert_eq!(world.log()[..3], ["check a", "apply a fails", "check a"]);
}

#[tokio::test(start_paused = true)]
async fn each_attempt_has_the_whole_time() {
    let began = tokio::time::Instant::now();
    let graph = one(|toy| {
        toy.set("mood", Mood::Sleeps.word()).timeout(Duration::from_secs(30)).retry(retry(3, 5, 1.0))
    });
    let run = plan(&World::new(), &graph, 1).await;
    assert_eq!(failure(&run).1, "took longer than its timeout of 30s");
    assert_eq!(began.elapsed().as_secs(), 100);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_rendered_is_not_tried_again() {
    let graph = one(|toy| toy.template("size", "{{env `NOTHING`}}x").retry(retry(9, 100, 1.0)));
    let run = run_with(engine(&World::new(), 1), RunMode::Plan, &graph, &Stop::new()).await;
    assert_eq!(failure(&run).0, crate::Stage::Render);
    assert_eq!(run.report("a").messages, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn each_attempt_that_failed_is_told_when_it_does() {
    let world = World::new();
    world.fail("apply a", Fails::Early, 2);
    let graph = one(|toy| toy.retry(retry(3, 10, 2.0)));
    let mut run = engine(&world, 2).apply(&graph).spawn();
    let (mut events, mut began) = (Vec::new(), tokio::time::Instant::now());
    while let Some(event) = run.next().await {
        if let EventKind::AttemptFailed { id, attempt, attempts, wait, reason } = event.kind {
            assert_eq!(reason, "the world is against it");
            events.push((
                id.short().to_owned(),
                attempt,
                attempts,
                wait.as_secs(),
                began.elapsed().as_secs(),
            ));
            began = tokio::time::Instant::now();
        }
    }
    assert_eq!(events, [("toy.a".to_owned(), 1, 3, 10, 0), ("toy.a".to_owned(), 2, 3, 20, 10)]);
    assert_eq!(run.await.unwrap().changed, 2);
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_ends_the_wait_for_the_next_attempt() {
    for raises in [1, 2] {
        let began = tokio::time::Instant::now();
        let world = World::new();
        world.fail("apply a", Fails::Early, 1);
        let graph = one(|toy| toy.retry(retry(2, 1000, 1.0)));
        let interrupt = Stop::new();
        let task = tokio::spawn({
            let (world, graph, interrupt) = (world.clone(), graph.clone(), interrupt.clone());
            async move { run_with(engine(&world, 2), RunMode::Apply, &graph, &interrupt).await }
        });
        tokio::time::sleep(Duration::from_secs(7)).await;
        for _ in 0..raises {
            interrupt.raise();
        }
        let run = task.await.unwrap();
        assert_eq!(began.elapsed().as_secs(), 7);
        assert_eq!(run.report("a").outcome, Outcome::Failed);
        assert_eq!(run.report("b").outcome, Outcome::NotRun);
        if raises == 1 {
            assert_eq!(
                run.report("a").messages,
                [
                    "attempt 1 of 2 failed: the world is against it",
                    "not retried because the run was interrupted"
                ]
            );
        }
    }
}

#[tokio::test]
async fn what_the_apply_said_is_told() {
    let graph = one(|toy| toy.set("mood", Mood::TellsMore.word()));
    let run = apply(&World::new(), &graph, 1).await;
    let format_difference = |difference: &Difference| {
        format!("{}: {} => {}", difference.name, difference.before, difference.after)
    };
    let differences: Vec<_> = run.report("a").differences.iter().map(format_difference).collect();
    assert_eq!(differences, ["state: old => newer", "size: 1 => 2"]);

    // A plan reports the differences that the check expects.
    let run = plan(&World::new(), &graph, 1).await;
    let names: Vec<_> = run.report("a").differences.iter().map(|difference| &difference.name).collect();
    assert_eq!(names, ["state"]);
}
