//! Tests of following and stopping a run through its handle.

use std::future::IntoFuture as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::*;
use crate::graph::Tag;
use crate::{EngineError, EventSink, RunHandle};

fn handle(world: &Arc<World>, graph: &Arc<Graph>) -> RunHandle {
    begin(&engine(world, 2), RunMode::Apply, graph).spawn()
}

#[tokio::test]
async fn a_handle_is_a_stream_of_events_and_a_future_of_the_result() {
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]));
    let mut run = handle(&world, &graph);
    assert_eq!(run.id().as_str(), "test");
    gate.reached().await;
    // Available events can be read before more follow.
    assert!(matches!(run.next().await.unwrap().kind, EventKind::RunStarted { .. }));
    assert!(matches!(run.next().await.unwrap().kind, EventKind::ResourceStarted { .. }));
    assert!(!run.is_finished());
    gate.open();
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.extend(Some(event.kind).filter(|event| !event.is_progress()));
    }
    assert_eq!(events.len(), 4);
    assert!(run.next().await.is_none());
    assert_eq!(run.await.unwrap().changed, 2);
}

#[tokio::test]
async fn what_is_not_read_keeps_no_run_from_its_end() {
    let world = World::new();
    let names: Vec<String> = (0..2_000).map(|number| format!("t{number:04}")).collect();
    let graph = toys(|toys| names.iter().fold(toys, |toys, name| toys.fresh(name, &[])));
    assert_eq!(handle(&world, &graph).await.unwrap().changed, 2_000);
    assert_eq!(begin(&engine(&world, 2), RunMode::Plan, &graph).await.unwrap().unchanged, 2_000);
}

#[tokio::test]
async fn a_handle_that_is_dropped_cancels_in_order() {
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]));
    let run = handle(&world, &graph);
    let interrupt = run.interrupt().clone();
    gate.reached().await;
    assert_eq!(interrupt.raised(), None);
    drop(run);
    assert_eq!(interrupt.raised(), Some(InterruptKind::Cancel));
    settle().await;
    assert_eq!(world.running(), 0);
    assert_eq!(world.log(), ["check a"]);
}

#[tokio::test]
async fn the_future_of_a_run_that_is_dropped_cancels_it() {
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| toys.fresh("a", &[]));
    let mut sink = |_: Event| {};
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph).sink(&mut sink);
    let interrupt = run.interrupt().clone();
    tokio::select! {
        _ = run.into_future() => panic!("the gate is closed"),
        () = gate.reached() => {}
    }
    assert_eq!(interrupt.raised(), Some(InterruptKind::Cancel));
    settle().await;
    assert_eq!(world.running(), 0);
}

#[tokio::test]
async fn a_run_that_is_over_was_not_interrupted() {
    let (world, graph) = (World::new(), toys(|toys| toys.fresh("a", &[])));
    let run = handle(&world, &graph);
    let interrupt = run.interrupt().clone();
    run.await.unwrap();
    assert_eq!(interrupt.raised(), None);
}

#[tokio::test]
async fn an_interrupt_is_of_one_run_and_a_token_of_all_that_have_it() {
    let (world, graph) = (World::new(), toys(|toys| toys.fresh("a", &[])));
    let engine = engine(&world, 2);
    let first = engine.apply(&graph);
    first.interrupt().cancel();
    let second = engine.apply(&graph);
    assert_eq!(first.await.unwrap().not_run, 1);
    assert_eq!(second.await.unwrap().changed, 1);

    let gates = ["check a", "check b"].map(|operation| world.gate(operation));
    let token = CancellationToken::new();
    let graphs = ["a", "b"].map(|name| toys(|toys| toys.fresh(name, &[])));
    let runs = graphs.each_ref().map(|graph| engine.plan(graph).cancel_on(token.clone()).spawn());
    for gate in &gates {
        gate.reached().await;
    }
    token.cancel();
    for run in runs {
        assert_eq!(run.await.unwrap().failed, 1);
    }
    assert_eq!(engine.plan(&graph).cancel_on(token.clone()).await.unwrap().not_run, 1, "it stays cancelled");
    assert_eq!(engine.plan(&graph).finish_on(token).await.unwrap().not_run, 1);
}

#[tokio::test]
async fn an_interrupt_and_a_token_are_told_once() {
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| toys.fresh("a", &[]));
    let token = CancellationToken::new();
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph).cancel_on(token.clone());
    let interrupt = run.interrupt().clone();
    let run = tokio::spawn(async move { end(run).await });
    gate.reached().await;
    interrupt.cancel();
    token.cancel();
    let run = run.await.unwrap();
    assert_eq!(run.lines(), ["start toy.a", "Cancel [root/toy.a]", "Failed toy.a"]);
}

#[tokio::test(start_paused = true)]
async fn in_its_grace_work_ends_by_itself_and_begins_no_change() {
    let world = World::new();
    let [check, apply] = ["check a", "apply b"].map(|operation| world.gate(operation));
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &[]).fresh("c", &["b"]));
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph).grace(Duration::from_secs(10));
    let interrupt = run.interrupt().clone();
    let run = tokio::spawn(async move { end(run).await });
    check.reached().await;
    apply.reached().await;
    interrupt.cancel();
    settle().await;
    check.open();
    apply.open();
    let run = run.await.unwrap();
    let outcomes = [("toy.a", Outcome::Failed), ("toy.b", Outcome::Changed), ("toy.c", Outcome::NotRun)];
    assert_eq!(run.outcomes(), outcomes);
    assert_eq!((world.state("a").as_str(), world.state("b").as_str()), ("", "new"));
}

#[tokio::test(start_paused = true)]
async fn after_its_grace_work_is_dropped() {
    for graph in [
        toys(|toys| toys.moody("a", &[], Mood::Sleeps)),
        toys(|toys| toys.special("pack.a", &[], |toy| toy).special("pack.b", &[], |toy| toy)),
    ] {
        let world = World::new();
        let _closed = world.gate("batch a,b");
        let began = tokio::time::Instant::now();
        let run = begin(&engine(&world, 2), RunMode::Apply, &graph).grace(Duration::from_secs(10));
        let run = end(run.deadline(Duration::from_mins(1))).await;
        assert_eq!(began.elapsed(), Duration::from_secs(70));
        assert_eq!(run.report("a").outcome, Outcome::Failed);
        assert_eq!(world.running(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_what_waits_for_its_group() {
    let world = World::new();
    let _closed = world.gate("apply a");
    let graph = toys(|toys| {
        let member = |toy: ResourceBuilder| toy.set("state", "new").group("one");
        toys.toy("a", &[], member).toy("b", &[], member)
    });
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph).deadline(Duration::from_mins(1));
    let run = end(run).await;
    assert_eq!(run.outcomes(), [("toy.a", Outcome::Failed), ("toy.b", Outcome::NotRun)]);
    assert_eq!(world.running(), 0);
}

#[tokio::test]
async fn only_targets_and_what_they_need_are_worked_on() {
    let world = World::new();
    let graph = toys(|toys| {
        let toys = toys.fresh("a", &[]).fresh("b", &["a"]).fresh("c", &["b"]);
        toys.fresh("d", &["a"]).fresh("e", &[])
    });
    let id = |name: &str| NodeId::root().child(name);
    let run = end(begin(&engine(&world, 2), RunMode::Apply, &graph).target(id("toy.b"))).await;
    assert!(matches!(run.events.first(), Some(EventKind::RunStarted { resources: 2, .. })));
    assert_eq!(run.outcomes(), [("toy.a", Outcome::Changed), ("toy.b", Outcome::Changed)]);
    assert_eq!((run.summary.changed, run.summary.not_run), (2, 0));
    let two = begin(&engine(&world, 2), RunMode::Plan, &graph).target(id("toy.e")).target(id("toy.d"));
    let outcomes =
        [("toy.a", Outcome::Unchanged), ("toy.d", Outcome::WillChange), ("toy.e", Outcome::WillChange)];
    assert_eq!(end(two).await.outcomes(), outcomes);
    let target = NodeId::root().child("toys.toy-e");
    let unknown = engine(&world, 2).plan(&graph).target(target.clone()).await.unwrap_err();
    assert_eq!(unknown, EngineError::UnknownTarget { target, close: Vec::new() });
    let unknown = engine(&world, 2).plan(&graph).target(id("toy.ee")).await.unwrap_err();
    let close = vec!["root/toy.e".to_owned(), "root/toy.a".to_owned()];
    assert_eq!(unknown, EngineError::UnknownTarget { target: id("toy.ee"), close });
}

/// Applies four toys restricted by `choose`; `c` waits for `b`, which reads an export of `a`.
async fn check_selection(choose: impl FnOnce(Run) -> Run, expect: &[(&str, Outcome)], left_out: usize) {
    let world = World::new();
    let graph = toys(|toys| {
        let tag = |text: &str| text.parse().unwrap();
        let toys = toys.toy("a", &[], |toy| toy.set("state", "new").tag(tag("slow")));
        let toys = toys.toy("b", &[], |toy| toy.tag(tag("web")).lookup("state", "toy.a.state"));
        let late = |toy: ResourceBuilder| toy.set("state", "new").tag(tag("web:late")).tag(tag("web"));
        toys.toy("c", &["b"], late).fresh("d", &["a"])
    });
    let run = end(choose(begin(&engine(&world, 2), RunMode::Apply, &graph))).await;
    assert_eq!(run.outcomes(), expect);
    assert_eq!(run.summary.left_out, left_out);
    let count = run.events.iter().find_map(|event| match event {
        EventKind::RunStarted { resources, .. } => Some(*resources),
        _ => None,
    });
    assert_eq!(count, Some(expect.len()));
}

#[tokio::test]
async fn tags_choose_and_leave_out() {
    let changed = |name: &'static str| (name, Outcome::Changed);
    let (a, b, c, d) = (changed("toy.a"), changed("toy.b"), changed("toy.c"), changed("toy.d"));
    let id = |name: &str| NodeId::root().child(name);
    let tag = |text: &str| text.parse::<Tag>().unwrap();
    check_selection(|run| run, &[a, b, c, d], 0).await;
    // The selection includes dependencies, which have no tag.
    check_selection(|run| run.tag(tag("web")), &[a, b, c], 1).await;
    check_selection(|run| run.tag(tag("slow")), &[a], 3).await;
    check_selection(|run| run.tag(tag("slow")).target(id("toy.d")), &[a, d], 2).await;
    // Readers of its value are left out; nodes that only wait continue.
    check_selection(|run| run.skip(id("toy.a")), &[c, d], 2).await;
    check_selection(|run| run.skip_tag(tag("slow")), &[c, d], 2).await;
    check_selection(|run| run.skip(id("toy.c")).skip(id("toy.d")), &[a, b], 2).await;
    check_selection(|run| run.tag(tag("web:late")).skip(id("toy.b")), &[a, c], 2).await;
    check_selection(|run| run.target(id("toy.a")).skip_tag(tag("slow")), &[], 4).await;
}

#[tokio::test]
async fn unknown_tags_are_refused() {
    let world = World::new();
    let graph = toys(|toys| toys.toy("a", &[], |toy| toy.tag("web".parse().unwrap())));
    let tag: Tag = "wbe".parse().unwrap();
    let expect = EngineError::UnknownTag { tag: tag.clone(), close: vec!["web".to_owned()] };
    assert_eq!(expect.to_string(), "nothing in this graph has the tag `wbe`; did you mean `web`?");
    let engine = engine(&world, 2);
    assert_eq!(engine.plan(&graph).tag(tag.clone()).await.unwrap_err(), expect);
    assert_eq!(engine.apply(&graph).skip_tag(tag).await.unwrap_err(), expect);
    let skip = NodeId::root().child("toy.b");
    let unknown = EngineError::UnknownTarget { target: skip.clone(), close: vec!["root/toy.a".to_owned()] };
    assert_eq!(engine.plan(&graph).skip(skip).await.unwrap_err(), unknown);
}

/// A sink that panics at its third event.
struct Panics(Arc<AtomicUsize>);

impl EventSink for Panics {
    fn emit(&mut self, _: Event) {
        assert!(self.0.fetch_add(1, Ordering::Relaxed) < 2, "a sink broke");
    }
}

#[tokio::test]
async fn a_sink_that_panics_does_not_end_the_run() {
    let world = World::new();
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]).fresh("c", &["b"]));
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph);
    let calls = Arc::new(AtomicUsize::new(0));
    let mut sink = Panics(Arc::clone(&calls));
    let ended = tokio::spawn(async move { run.sink(&mut sink).await }).await;
    let panic = ended.unwrap_err().into_panic();
    assert_eq!(crate::types::panic_guard::panic_message(&*panic), "a sink broke");
    assert_eq!(calls.load(Ordering::Relaxed), 3, "it is not called again");
    assert_eq!(world.state("c"), "new");
}

/// A sink whose first call blocks until something can be received.
struct Stuck(mpsc::Receiver<()>, usize);

impl EventSink for Stuck {
    fn emit(&mut self, event: Event) {
        if self.1 == 0 {
            self.0.recv().unwrap();
        }
        self.1 += usize::from(!event.kind.is_progress());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sink_that_hangs_does_not_hold_up_the_run() {
    let world = World::new();
    let graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]).fresh("c", &["b"]));
    let run = begin(&engine(&world, 2), RunMode::Apply, &graph);
    let (send, receive) = mpsc::channel();
    let watcher = tokio::spawn({
        let world = Arc::clone(&world);
        async move {
            while world.log().last().is_none_or(|last| last != "check c") || world.state("c") != "new" {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            send.send(()).unwrap();
        }
    });
    let mut sink = Stuck(receive, 0);
    assert_eq!(run.sink(&mut sink).await.unwrap().changed, 3);
    assert_eq!(sink.1, 8, "it gets all, later");
    watcher.await.unwrap();
}
