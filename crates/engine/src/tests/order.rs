//! Tests of order, parallelism, groups and cycles.

use super::*;
use crate::EngineError;

#[tokio::test]
async fn with_one_worker_the_smallest_ready_resource_is_next() {
    let world = World::new();
    // The end of `z` makes `a` ready, which then comes before `zz`.
    let graph = toys(|toys| {
        toys.fresh("a", &["z"])
            .fresh("b", &["a"])
            .fresh("y", &[])
            .fresh("z", &[])
            .fresh("zz", &[])
            .fresh("c", &["b", "y"])
    });
    let run = plan(&world, &graph, 1).await;
    let order = ["y", "z", "a", "b", "c", "zz"];
    let expect: Vec<String> = order
        .iter()
        .flat_map(|name| [format!("start toy.{name}"), format!("WillChange toy.{name}")])
        .collect();
    assert_eq!(run.lines(), expect);
    assert!(matches!(
        run.events.first(),
        Some(EventKind::RunStarted { resources: 6, mode: RunMode::Plan, .. })
    ));
    assert!(matches!(run.events.last(), Some(EventKind::RunFinished { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_many_run_at_once_as_allowed() {
    let world = World::new();
    let names = ["a", "b", "c", "d", "e"];
    let gates = names.map(|name| world.gate(&format!("check {name}")));
    let graph = toys(|toys| names.iter().fold(toys, |toys, name| toys.fresh(name, &[])));
    let task = tokio::spawn({
        let (world, graph) = (world.clone(), graph.clone());
        async move { plan(&world, &graph, 3).await }
    });
    // The first three are at their gates at the same time.
    for gate in &gates[..3] {
        gate.reached().await;
    }
    gates.iter().for_each(test_resources::Gate::open);
    let run = task.await.unwrap();
    assert_eq!(run.summary.will_change, 5);
    assert_eq!(world.most_running(), 3);
}

#[tokio::test]
async fn a_long_job_does_not_delay_others() {
    let world = World::new();
    let slow = world.gate("check a");
    let last = world.gate("check z");
    let graph = toys(|toys| {
        (0..500)
            .fold(toys.fresh("a", &[]).fresh("z", &["b499"]), |toys, at| toys.fresh(&format!("b{at}"), &[]))
    });
    let task = tokio::spawn({
        let (world, graph) = (world.clone(), graph.clone());
        async move { plan(&world, &graph, 2).await }
    });
    slow.reached().await;
    // Everything else ends while `a` is still at its gate.
    last.reached().await;
    last.open();
    slow.open();
    assert_eq!(task.await.unwrap().summary.will_change, 502);
}

#[tokio::test]
async fn members_of_a_group_never_apply_together() {
    let world = World::new();
    let graph = toys(|toys| {
        ["a", "b", "c", "d"].iter().fold(toys.fresh("x", &[]), |toys, name| {
            toys.toy(name, &[], |toy| toy.set("state", "new").group("apt"))
        })
    });
    // The first member and the resource outside are held together; the other members must wait.
    let (a, x) = (world.gate("apply a"), world.gate("apply x"));
    let task = tokio::spawn({
        let (world, graph) = (world.clone(), graph.clone());
        async move { apply(&world, &graph, 8).await }
    });
    a.reached().await;
    x.reached().await;
    a.open();
    x.open();
    assert_eq!(task.await.unwrap().summary.changed, 5);
    assert!(world.were_together("a", "x"));
    for (first, second) in [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")] {
        assert!(!world.were_together(first, second), "{first} and {second}");
    }
}

#[tokio::test]
async fn groups_along_dependencies_do_not_deadlock() {
    // Two crossing groups, and a chain within one group.
    let graph = toys(|toys| {
        let member = |toy: ResourceBuilder, group: &str| toy.set("state", "new").group(group);
        toys.toy("a", &["d"], |toy| member(toy, "one"))
            .toy("b", &["a"], |toy| member(toy, "two"))
            .toy("c", &["b"], |toy| member(toy, "one"))
            .toy("d", &[], |toy| member(toy, "one"))
            .toy("e", &[], |toy| member(toy, "two"))
    });
    for parallelism in [1, 2, 8] {
        let world = World::new();
        assert_eq!(apply(&world, &graph, parallelism).await.summary.changed, 5);
    }
}

#[tokio::test]
async fn a_plan_takes_no_locks() {
    let world = World::new();
    let member = |toy: ResourceBuilder| toy.set("state", "new").group("apt");
    let graph = toys(|toys| toys.toy("a", &[], member).toy("b", &[], member));
    let gates = ["check a", "check b"].map(|operation| world.gate(operation));
    let task = tokio::spawn({
        let (world, graph) = (world.clone(), graph.clone());
        async move { plan(&world, &graph, 2).await }
    });
    for gate in &gates {
        gate.reached().await;
    }
    gates.iter().for_each(test_resources::Gate::open);
    assert_eq!(task.await.unwrap().summary.will_change, 2);
}

#[tokio::test]
async fn an_empty_graph_is_a_run() {
    let run = apply(&World::new(), &Arc::default(), 4).await;
    assert_eq!(run.events.len(), 2);
    assert!(run.summary.is_success());
}

#[tokio::test]
async fn a_cycle_is_an_error_before_anything_starts() {
    let world = World::new();
    let graph = Arc::new(unchecked_graph(&[(0, 1), (1, 2), (2, 0), (3, 0)], 5));
    let mut events = Vec::new();
    let result = engine(&world, 2).apply(&graph).sink(&mut |event| events.push(event)).await;
    let error = result.unwrap_err();
    assert!(matches!(&error, EngineError::Cycles { cycles } if cycles.len() == 1 && cycles[0].len() == 3));
    assert_eq!(
        error.to_string(),
        "resources wait for each other: toy.000000 -> toy.000001 -> toy.000002 -> toy.000000"
    );
    assert_eq!(events, []);
    assert!(world.log().is_empty());
}
