//! Tests of the waits in reports.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::manual_graphs::{ManualGraph, value};
use super::test_resources::Gate;
use super::*;
use crate::graph::{Attribute, Input};
use crate::plan::Report;
use crate::sdk::resource::Preparer as _;
use crate::state::Locks;
use crate::{LockWait, Waited};

const LONG: Duration = Duration::from_secs(30);

/// Returns the waits of a resource, in seconds.
fn waited(run: &Ended, name: &str) -> Vec<String> {
    shown(&run.report(name).waited)
}

fn shown(waited: &[Waited]) -> Vec<String> {
    let format_wait = |waited: &Waited| {
        let Waited { lock, name, held_by, elapsed } = waited;
        format!("{lock:?} {} of {held_by:?}: {}s", name.as_deref().unwrap_or("-"), elapsed.as_secs_f64())
    };
    waited.iter().map(format_wait).collect()
}

/// Keeps the operation at the gate for a time, during which others wait for it.
async fn hold(gate: &Gate, time: Duration) {
    gate.reached().await;
    sleep(time).await;
    gate.open();
}

#[tokio::test(start_paused = true)]
async fn a_report_tells_for_what_a_resource_waited_and_how_long() {
    let group = toys(|toys| {
        let member = |toy: ResourceBuilder| toy.set("state", "new").group("deploy");
        toys.toy("a", &[], member).toy("b", &[], member)
    });
    let state = Input { kind: value("new"), span: None };
    let field = Toy::schema().field("state").unwrap().0;
    let attributes = Arc::new(vec![Attribute { field, input: state, name_span: None }]);
    let copies = ["toy.a", "toy.b"].into_iter().fold(ManualGraph::new(), |hand, name| {
        hand.node(name, Role::Resource, |node| node.attributes = Arc::clone(&attributes))
    });
    for (graph, expect) in [
        (group, "Group deploy of ThisRun: 30s"),
        (toys(|toys| toys.specials(&["one.a", "one_more.b"])), "Type one of ThisRun: 30s"),
        (copies.build(), "Duplicate - of ThisRun: 30s"),
    ] {
        let world = World::new();
        let gate = world.gate("apply a");
        let run = start(&world, &graph, 2, &Stop::new());
        hold(&gate, LONG).await;
        let run = run.await.unwrap();
        assert_eq!(waited(&run, "a"), [""; 0], "it has what it needs at once");
        assert_eq!(waited(&run, "b"), [expect]);
        assert!(run.report("b").elapsed < LONG, "to wait is not to work");
    }
}

/// Runs `second` while another run holds its lock for [`LONG`].
async fn beside(
    first: &Arc<Graph>,
    second: &Arc<Graph>,
    world: &Arc<World>,
    wait: LockWait,
    stop: &Stop,
) -> Ended {
    let locks = Locks::new();
    let gate = world.gate("apply x");
    let spawn = |graph: &Arc<Graph>, stop: Stop| -> JoinHandle<Ended> {
        let engine = engine(world, 4).with_locks(locks.clone()).with_lock_wait(wait);
        let graph = Arc::clone(graph);
        tokio::spawn(async move { run_with(engine, RunMode::Apply, &graph, &stop).await })
    };
    let first = spawn(first, Stop::new());
    gate.reached().await;
    let second = spawn(second, stop.clone());
    sleep(LONG).await;
    gate.open();
    assert_eq!(first.await.unwrap().summary.changed, 1);
    second.await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn waits_for_other_runs_are_told_of_all_who_wait() {
    let (world, stop) = (World::new(), Stop::new());
    let first = toys(|toys| toys.specials(&["one.x"]));
    // All members of a batch wait, not only the last one to join it.
    let second = toys(|toys| toys.specials(&["one.a", "pack.b", "pack.c", "pack.d", "two.e"]));
    let run = beside(&first, &second, &world, LockWait::Forever, &stop).await;
    assert_eq!(run.summary.changed, 5);
    for name in ["a", "b", "c", "d"] {
        assert_eq!(waited(&run, name), ["Type one of AnotherRun: 30s"], "{name}");
        let wait_line = format!("{name} waits for Type one of AnotherRun");
        assert_eq!(run.progress().iter().filter(|line| line.ends_with(&wait_line)).count(), 1, "{name}");
    }
    assert_eq!(waited(&run, "e"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_given_up_is_told_as_long_as_it_was() {
    let graph = |name| toys(|toys| toys.toy(name, &[], |toy| toy.set("state", "new").group("g")));
    let at_most = LockWait::AtMost(Duration::from_secs(7));
    let run = beside(&graph("x"), &graph("b"), &World::new(), at_most, &Stop::new()).await;
    assert_eq!(run.report("b").outcome, Outcome::Failed);
    assert_eq!(waited(&run, "b"), ["Group g of AnotherRun: 7s"]);

    let stop = Stop::new();
    let raise = tokio::spawn({
        let stop = stop.clone();
        async move {
            sleep(Duration::from_secs(3)).await;
            stop.raise()
        }
    });
    // Running work may take its time to finish, which is not a wait of others.
    let world = World::new();
    let slow = world.gate("apply a");
    let second = toys(|toys| toys.fresh("a", &[]).toy("b", &[], |toy| toy.set("state", "new").group("g")));
    let holder = tokio::spawn(async move { hold(&slow, Duration::from_secs(20)).await });
    let run = beside(&graph("x"), &second, &world, LockWait::Forever, &stop).await;
    raise.await.unwrap();
    holder.await.unwrap();
    assert_eq!((run.report("a").outcome, run.report("b").outcome), (Outcome::Changed, Outcome::NotRun));
    assert_eq!(waited(&run, "b"), ["Group g of AnotherRun: 3s"]);
}

#[tokio::test(start_paused = true)]
async fn who_comes_behind_others_again_has_waited_once() {
    // `b` is ready again when `c` ends; `a` is ready by then too and comes first.
    let graph = toys(|toys| {
        let member = |toy: ResourceBuilder| toy.set("state", "new").group("g");
        toys.toy("c", &[], member).toy("d", &[], member).fresh("x", &[]).toy("a", &["x"], member)
    });
    let world = World::new();
    let [c, x, a] = ["apply c", "apply x", "apply a"].map(|operation| world.gate(operation));
    let run = start(&world, &graph, 4, &Stop::new());
    c.reached().await;
    x.reached().await;
    sleep(LONG).await;
    // Both are released in one step, so that both are ready when the coordinator looks.
    x.open();
    c.open();
    hold(&a, LONG).await;
    let run = run.await.unwrap();
    assert_eq!(run.summary.changed, 4);
    assert_eq!(waited(&run, "d"), ["Group g of ThisRun: 60s"]);
    assert_eq!(waited(&run, "c"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn waits_are_in_documents_and_without_secrets() {
    let graph = toys(|toys| {
        let member =
            |toy: ResourceBuilder| toy.set("state", "new").set("secret", "hunter2").group("of-hunter2");
        toys.toy("a", &[], member).toy("b", &[], member)
    });
    let world = World::new();
    let gate = world.gate("apply a");
    let run = engine(&world, 2).apply_for_report(&graph).spawn();
    hold(&gate, Duration::from_millis(1500)).await;
    let report = run.await.unwrap();
    let b = &report.resources[1];
    assert_eq!(shown(&b.waited), ["Group of-(sensitive) of ThisRun: 1.5s"]);
    let mut document = serde_json::to_value(&report).unwrap();
    let expect = serde_json::json!([
        { "lock": "group", "name": "of-(sensitive)", "held_by": "this-run", "elapsed_seconds": 1.5 },
    ]);
    assert_eq!((&document["version"], &document["resources"][1]["waited"]), (&"1.2".into(), &expect));
    assert_eq!(Report::from_json(&document.to_string()).unwrap(), report);
    assert_eq!(b.to_report().waited, b.waited);
    // A document of an earlier version has no waits.
    document["version"] = "1.0".into();
    document["resources"][1].as_object_mut().unwrap().remove("waited");
    assert_eq!(Report::from_json(&document.to_string()).unwrap().resources[1].waited, []);
}
