//! Tests of progress events.

use std::time::Duration;

use super::test_resources::Fails;
use super::*;
use crate::EventSink;
use crate::state::Locks;

#[tokio::test]
async fn a_resource_that_waits_tells_its_stages() {
    let graph = toys(|toys| toys.fresh("a", &[]).toy("b", &["a"], |toy| toy.set("state", "")));
    let run = apply(&World::new(), &graph, 1).await;
    let expect = ["toy.a Check", "toy.a Apply", "toy.a CheckAfterApply", "toy.b Check"];
    assert_eq!(run.progress(), expect);
    let plan = plan(&World::new(), &graph, 1).await;
    assert_eq!(plan.progress(), ["toy.a Check", "toy.b Check"]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_after_one_that_failed_tells_its_stages_again() {
    let world = World::new();
    world.fail("apply a", Fails::Early, 1);
    let retry = crate::graph::Retry {
        attempts: std::num::NonZeroU32::new(2).unwrap(),
        delay: Duration::from_secs(1),
        backoff: 1.0,
    };
    let graph = toys(|toys| toys.toy("a", &[], |toy| toy.set("state", "new").retry(retry)));
    let run = apply(&world, &graph, 1).await;
    let expect = [
        "toy.a Check",
        "toy.a Apply",
        "toy.a tries again",
        "toy.a Render",
        "toy.a Prepare",
        "toy.a Check",
        "toy.a Apply",
        "toy.a CheckAfterApply",
    ];
    assert_eq!(run.progress(), expect);
}

/// Returns each wait: the resource, the lock and its holder.
fn waits(run: &Ended) -> Vec<String> {
    run.progress().into_iter().filter(|line| line.contains("waits")).collect()
}

#[tokio::test]
async fn who_waits_for_a_lock_of_this_run_is_told() {
    let group = toys(|toys| {
        let member = |toy: ResourceBuilder| toy.set("state", "new").group("deploy");
        toys.toy("a", &[], member).toy("b", &[], member)
    });
    let run = apply(&World::new(), &group, 2).await;
    assert_eq!(waits(&run), ["toy.b waits for Group deploy of ThisRun"]);
    let started = run
        .events
        .iter()
        .position(|event| matches!(event, EventKind::ResourceStarted { id } if id.short() == "toy.b"));
    let waiting = run.events.iter().position(|event| matches!(event, EventKind::ResourceWaiting { .. }));
    assert!(waiting < started, "{:?}", run.events);
    assert!(waits(&plan(&World::new(), &group, 2).await).is_empty(), "a plan ignores groups");

    let run = apply(&World::new(), &toys(|toys| toys.specials(&["one.a", "one_more.b", "two.c"])), 3).await;
    assert_eq!(waits(&run), ["one_more.b waits for Type one of ThisRun"]);
    // With one worker, nothing waits for another resource.
    assert!(waits(&apply(&World::new(), &group, 1).await).is_empty());
}

#[tokio::test]
async fn who_waits_for_a_lock_of_another_run_is_told() {
    let locks = Locks::new();
    for name in ["one.a", "toy.a"] {
        let (first, second) = (World::new(), World::new());
        let graph =
            toys(|toys| toys.special(name, &[], |toy| if name == "toy.a" { toy.group("g") } else { toy }));
        let gate = first.gate("apply a");
        let [first, second] = [&first, &second].map(|world| engine(world, 2).with_locks(locks.clone()));
        let first = begin(&first, RunMode::Apply, &graph).spawn();
        gate.reached().await;
        let mut run = begin(&second, RunMode::Apply, &graph).spawn();
        let awaited = loop {
            let event = run.next().await.expect("it waits");
            if matches!(event.kind, EventKind::ResourceWaiting { .. }) {
                break progress_line(&event.kind);
            }
        };
        let expect = if name == "toy.a" { "Group g" } else { "Type one" };
        assert_eq!(awaited, Some(format!("{name} waits for {expect} of AnotherRun")));
        gate.open();
        assert_eq!((first.await.unwrap().changed, run.await.unwrap().changed), (1, 1));
    }
}

#[tokio::test]
async fn what_a_resource_tells_comes_in_its_place_and_without_secrets() {
    let graph = toys(|toys| {
        let toys = toys.fresh("a", &[]);
        toys.toy("b", &["a"], |toy| {
            toy.set("state", "new").set("mood", Mood::Tells.word()).set("secret", "hunter2")
        })
    });
    for parallelism in [1, 3] {
        let run = apply(&World::new(), &graph, parallelism).await;
        let lines_of_a: Vec<String> = run
            .progress()
            .into_iter()
            .filter(|line| line.starts_with("toy.b") && !line.ends_with("there"))
            .collect();
        let mib = |done: u64| format!("toy.b {} of Some(4194304)", done << 20);
        let mut expect =
            vec!["toy.b Prepare".to_owned(), "toy.b: preparing".to_owned(), "toy.b Check".to_owned()];
        expect.extend(["toy.b Apply".to_owned(), "toy.b: using (sensitive)".to_owned()]);
        expect.extend((0..=4).map(mib));
        expect.extend(["toy.b Stderr: half \u{fffd}".to_owned(), "toy.b CheckAfterApply".to_owned()]);
        assert_eq!(lines_of_a, expect);
        // The event was sent at the beginning of the work, and still comes after the end of its dependency.
        let lines: Vec<String> = run
            .events
            .iter()
            .filter_map(|event| match event {
                EventKind::ResourceFinished(report) => Some(format!("{} ended", report.id.short())),
                event => progress_line(event),
            })
            .collect();
        let position_of = |line: &str| lines.iter().position(|entry| entry == line).unwrap();
        assert!(position_of("toy.a ended") < position_of("toy.b: preparing"), "{lines:?}");
    }
}

#[tokio::test]
async fn nothing_is_told_of_a_resource_that_has_ended() {
    let world = World::new();
    let graph = toys(|toys| toys.moody("a", &[], Mood::Tells).fresh("b", &["a"]).fresh("c", &["b"]));
    for parallelism in [1, 3] {
        let run = apply(&world, &graph, parallelism).await;
        let mut ended = std::collections::BTreeSet::new();
        for event in &run.events {
            match event {
                EventKind::ResourceFinished(report) => assert!(ended.insert(report.id.clone())),
                EventKind::ResourceStep { id, text } if text == "still there" => assert!(!ended.contains(id)),
                _ => {}
            }
        }
        assert_eq!(ended.len(), 3);
        assert!(matches!(run.events.last(), Some(EventKind::RunFinished { .. })));
    }
}

/// Returns the number of output lines, of dropped events, and of steps.
fn flood(events: &[EventKind]) -> (usize, usize, usize) {
    events.iter().fold((0, 0, 0), |(lines, left_out, others), event| match event {
        EventKind::ResourceOutput { .. } => (lines + 1, left_out, others),
        EventKind::ProgressLeftOut { events } => (lines, left_out + events, others),
        EventKind::ResourceStep { .. } => (lines, left_out, others + 1),
        _ => (lines, left_out, others),
    })
}

#[tokio::test]
async fn what_prints_without_end_is_left_out_and_hides_nothing_else() {
    let graph = toys(|toys| toys.moody("a", &[], Mood::Prints));
    let run = apply(&World::new(), &graph, 2).await;
    let (lines, left_out, steps) = flood(&run.events);
    assert_eq!((lines + left_out, steps), (100_000, 1));
    assert!((1..=1024).contains(&lines), "nobody had a turn meanwhile, and {lines} were kept");
    assert_eq!(run.progress().last().unwrap(), "toy.a CheckAfterApply");
}

/// A sink that panics at the first line.
struct Squeamish(Vec<EventKind>);

impl EventSink for Squeamish {
    fn emit(&mut self, event: Event) {
        assert!(!matches!(event.kind, EventKind::ResourceOutput { .. }), "a line!");
        self.0.push(event.kind);
    }
}

#[tokio::test]
async fn a_sink_that_panics_at_a_line_does_not_end_the_run() {
    let world = World::new();
    let graph = toys(|toys| toys.moody("a", &[], Mood::Prints).fresh("b", &["a"]));
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph);
    let ended = tokio::spawn(async move { run.sink(&mut Squeamish(Vec::new())).await }).await;
    assert!(ended.unwrap_err().is_panic());
    assert_eq!((world.state("a").as_str(), world.state("b").as_str()), ("new", "new"));
}

#[tokio::test]
async fn a_batch_tells_of_its_first_member() {
    let run = apply(&World::new(), &toys(|toys| toys.specials(&["pack.a", "pack.b", "pack.c"])), 2).await;
    let steps: Vec<String> = run.progress().into_iter().filter(|line| line.contains(": ")).collect();
    assert_eq!(steps, ["pack.a: 3 at once"]);
}

#[tokio::test]
async fn a_cancelled_resource_has_told_what_it_told() {
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| toys.moody("a", &[], Mood::Tells));
    let stop = Stop::new();
    let run = start(&world, &graph, 2, &stop);
    gate.reached().await;
    stop.cancel.cancel();
    let run = run.await.unwrap();
    assert!(run.progress().contains(&"toy.a: using nothing".to_owned()), "{:?}", run.progress());
    assert_eq!(run.outcomes(), [("toy.a", Outcome::Failed)]);
    let ended = run.events.iter().position(|event| matches!(event, EventKind::ResourceFinished(_))).unwrap();
    assert!(run.events[ended..].iter().all(|event| !event.is_progress()), "{:?}", &run.events[ended..]);
}
