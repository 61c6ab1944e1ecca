//! Tests of locks that runs share, and of the separation of owners.

use std::time::Duration;

use tokio::task::JoinHandle;

use super::*;
use crate::state::{Holder, Locks, State};
use crate::{EngineError, LockWait};
use converge_load::ResourceBuilder;
use converge_system::testing::private_folder;

const BLUE: &str = "blue";
const GREEN: &str = "green";

fn spawn(engine: Engine, graph: &Arc<Graph>) -> JoinHandle<Ended> {
    let graph = Arc::clone(graph);
    tokio::spawn(async move { run_with(engine, RunMode::Apply, &graph, &Stop::new()).await })
}

/// Returns an engine for this owner with these locks.
fn sharing(world: &Arc<World>, owner: &str, locks: &Locks) -> Engine {
    engine(world, 2).with_owner(owner.parse().unwrap()).with_locks(locks.clone())
}

/// Whether the second run waits for the work of the first.
async fn waits(first: (&str, &Arc<Graph>), second: (&str, &Arc<Graph>), locks: [&Locks; 2]) -> bool {
    let world = World::new();
    let gate = world.gate("apply a");
    let first = spawn(sharing(&world, first.0, locks[0]), first.1);
    gate.reached().await;
    let second = spawn(sharing(&world, second.0, locks[1]), second.1);
    settle().await;
    let waits = world.state("b").is_empty();
    assert_eq!(second.is_finished(), !waits);
    gate.open();
    assert_eq!(first.await.unwrap().summary.changed, 1);
    assert_eq!(second.await.unwrap().summary.changed, 1);
    assert_eq!(world.were_applied_together("a", "b"), !waits);
    waits
}

#[tokio::test]
async fn types_share_locks_and_owners_their_groups() {
    let locks = Locks::new();
    let shared_locks = [&locks, &locks];
    let separate_locks = [&Locks::new(), &Locks::new()];
    let typed = |name| toys(|toys| toys.specials(&[name]));
    let (a, b) = (typed("one.a"), typed("one_more.b"));
    assert!(waits((BLUE, &a), (BLUE, &b), shared_locks).await);
    assert!(waits((BLUE, &a), (GREEN, &b), shared_locks).await, "there is one such thing on a machine");
    assert!(!waits((BLUE, &a), (BLUE, &b), separate_locks).await);
    assert!(!waits((BLUE, &a), (BLUE, &typed("two.b")), shared_locks).await);
    let grouped = |name, group| toys(|toys| toys.special(name, &[], |toy| toy.group(group)));
    let (a, b) = (grouped("toy.a", "deploy"), grouped("toy.b", "deploy"));
    assert!(waits((BLUE, &a), (BLUE, &b), shared_locks).await);
    assert!(!waits((BLUE, &a), (GREEN, &b), shared_locks).await, "groups belong to an owner");
    assert!(!waits((BLUE, &a), (BLUE, &b), separate_locks).await);
    assert!(!waits((BLUE, &a), (BLUE, &grouped("toy.b", "other")), shared_locks).await);
    // A group does not conflict with a type lock of the same name.
    assert!(!waits((BLUE, &typed("one.a")), (BLUE, &grouped("toy.b", "one")), shared_locks).await);
}

#[tokio::test]
async fn a_check_before_the_change_of_another_run_is_repeated() {
    let (world, locks) = (World::new(), Locks::new());
    let gate = world.gate("apply a");
    let run = |name| toys(|toys| toys.specials(&[name]));
    let first = spawn(sharing(&world, BLUE, &locks), &run("one.a"));
    gate.reached().await;
    let second = spawn(sharing(&world, GREEN, &locks), &run("one_more.b"));
    settle().await;
    // The state changes as if a package was installed as a dependency of another.
    world.set("b", "new");
    gate.open();
    assert_eq!(first.await.unwrap().summary.changed, 1);
    assert_eq!(second.await.unwrap().report("b").outcome, Outcome::Unchanged);
    assert!(!world.log().contains(&"apply b".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_does_not_get_its_lock_says_for_which() {
    let long = Duration::from_mins(5);
    for (kind, group, lock_name) in [("one", None, "lock `one`"), ("toy", Some("deploy"), "group `deploy`")] {
        for (wait, expect) in [(LockWait::Never, Duration::ZERO), (LockWait::AtMost(long), long)] {
            let (world, locks) = (World::new(), Locks::new());
            let gate = world.gate("apply a");
            let run = |name: &str| {
                toys(|toys| {
                    toys.special(&format!("{kind}.{name}"), &[], |toy| {
                        group.into_iter().fold(toy, ResourceBuilder::group)
                    })
                })
            };
            let first = spawn(sharing(&world, BLUE, &locks), &run("a"));
            gate.reached().await;
            let began = tokio::time::Instant::now();
            let second = spawn(sharing(&world, BLUE, &locks).with_lock_wait(wait), &run("b")).await.unwrap();
            assert_eq!(began.elapsed(), expect);
            let failure = second.report("b").failure.clone().unwrap();
            assert_eq!(
                failure.message,
                format!("timed out waiting for the {lock_name}, which another run holds")
            );
            gate.open();
            assert_eq!(first.await.unwrap().summary.changed, 1);
            // A lock that was not obtained is not held.
            let third = spawn(sharing(&world, BLUE, &locks).with_lock_wait(wait), &run("b")).await.unwrap();
            assert_eq!(third.summary.changed, 1);
        }
    }
}

#[tokio::test]
async fn who_waits_for_another_run_can_be_stopped() {
    for raises in [1, 2] {
        let (world, locks) = (World::new(), Locks::new());
        let gate = world.gate("apply a");
        let graph = |name| toys(|toys| toys.specials(&[name]));
        let first = spawn(sharing(&world, BLUE, &locks), &graph("one.a"));
        gate.reached().await;
        let (second, interrupt) = (sharing(&world, GREEN, &locks), Stop::new());
        let second = tokio::spawn({
            let (graph, interrupt) = (graph("one.b"), interrupt.clone());
            async move { run_with(second, RunMode::Apply, &graph, &interrupt).await }
        });
        settle().await;
        assert!(!second.is_finished());
        (0..raises).for_each(|_| {
            interrupt.raise();
        });
        assert_eq!(second.await.unwrap().report("b").outcome, Outcome::NotRun);
        gate.open();
        assert_eq!(first.await.unwrap().summary.changed, 1);
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_gives_its_locks_back() {
    let (world, locks) = (World::new(), Locks::new());
    let gate = world.gate("apply a");
    let graph = |name| toys(|toys| toys.special(name, &[], |toy| toy.group("deploy")));
    let first = spawn(sharing(&world, BLUE, &locks), &graph("one.a"));
    gate.reached().await;
    let second = spawn(sharing(&world, BLUE, &locks), &graph("one.b"));
    settle().await;
    assert!(!second.is_finished());
    first.abort();
    assert_eq!(second.await.unwrap().summary.changed, 1);
    assert!(!world.log().contains(&"apply a".to_owned()));
}

#[tokio::test]
async fn runs_that_share_locks_and_groups_do_not_deadlock() {
    let graph = toys(|toys| {
        let kinds = ["one", "pack", "card", "two", "one_more"];
        (0..30_usize).fold(toys, |toys, at| {
            let group = if at % 2 == 0 { "even" } else { "odd" };
            toys.special(&format!("{}.n{at:02}", kinds[at * 7 % 5]), &[], |toy| toy.group(group))
        })
    });
    for parallelism in [1, 2, 16] {
        let (world, locks) = (World::new(), Locks::new());
        let runs: Vec<_> = (0..12)
            .map(|index| {
                let owner = [BLUE, GREEN][index % 2].parse().unwrap();
                spawn(engine(&world, parallelism).with_owner(owner).with_locks(locks.clone()), &graph)
            })
            .collect();
        for run in runs {
            let summary = run.await.unwrap().summary;
            assert_eq!(summary.changed + summary.unchanged, 30, "{summary:?}");
        }
        assert!((0..30).all(|index| world.state(&format!("n{index:02}")) == "new"));
    }
}

fn state() -> (tempfile::TempDir, State) {
    let executable = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(private_folder(executable.parent().unwrap()).unwrap()).unwrap();
    let state = State::create(folder.path().join("state")).unwrap();
    (folder, state)
}

#[tokio::test]
async fn applies_of_one_owner_come_one_after_the_other_and_know_nothing_of_others() {
    let (_folder, state) = state();
    let world = World::new();
    let gate = world.gate("apply a");
    let engine_of = |owner: Option<&str>| {
        let engine = engine(&world, 2).with_state_folder(state.clone());
        owner.into_iter().fold(engine, |engine, owner| engine.with_owner(owner.parse().unwrap()))
    };
    let fresh = |name| toys(|toys| toys.fresh(name, &[]));
    let first = spawn(engine_of(Some(BLUE)), &fresh("a"));
    gate.reached().await;
    let is_running = |run: &Ended| matches!(run.events[0], EventKind::RunStarted { .. });
    for (name, owner) in [("c", Some(GREEN)), ("d", None)] {
        let run = spawn(engine_of(owner), &fresh(name)).await.unwrap();
        assert!(is_running(&run) && run.summary.changed == 1, "{:?}", run.events);
        let plan = run_with(engine_of(owner), RunMode::Plan, &fresh(name), &Stop::new()).await;
        assert!(is_running(&plan), "{:?}", plan.events);
    }
    let plan = run_with(engine_of(Some(BLUE)), RunMode::Plan, &fresh("b"), &Stop::new()).await;
    assert!(matches!(plan.events[0], EventKind::ApplyUnderWay { .. }), "{:?}", plan.events);
    let blue = engine_of(Some(BLUE));
    let refused = blue.apply(&fresh("b")).lock_wait(LockWait::Never).await.unwrap_err();
    assert!(matches!(refused, EngineError::Locked { holder: Holder::Run { .. }, .. }), "{refused}");
    let second = spawn(engine_of(Some(BLUE)), &fresh("b"));
    settle().await;
    assert!(!second.is_finished());
    gate.open();
    assert_eq!(first.await.unwrap().summary.changed, 1);
    let second = second.await.unwrap();
    assert!(
        matches!(second.events[0], EventKind::Waiting { holder: Holder::Run { .. } }),
        "{:?}",
        second.events
    );
    assert_eq!(second.summary.changed, 1);
}

#[tokio::test]
async fn the_lock_of_a_dropped_apply_is_free_when_its_workers_have_stopped() {
    let (_folder, state) = state();
    let world = World::new();
    let gate = world.gate("apply a");
    let graph = toys(|toys| toys.fresh("a", &[]));
    let first = spawn(engine(&world, 2).with_state_folder(state.clone()), &graph);
    gate.reached().await;
    first.abort();
    let second = spawn(engine(&world, 2).with_state_folder(state.clone()), &graph);
    gate.reached().await;
    gate.open();
    let second = second.await.unwrap();
    assert_eq!(second.summary.changed, 1);
    assert_eq!(state.holder(), None);
    assert!(!world.were_applied_together("a", "a"));
}

/// A refresh that is pending for one owner is not made by another.
///
/// This holds with a journal folder and with a state folder.
#[tokio::test]
async fn owners_do_not_see_what_is_owed_to_others() {
    let (_folder, state) = state();
    for journal in [None, Some("/srv/refreshes")] {
        let world = World::new();
        let engine_of = |owner: Option<&str>| {
            let engine = match journal {
                Some(journal) => engine(&world, 1).with_journal(journal),
                None => engine(&world, 1).with_state_folder(state.clone()),
            };
            owner.into_iter().fold(engine, |engine, owner| engine.with_owner(owner.parse().unwrap()))
        };
        let graph = toys(|toys| toys.fresh("a", &[]).toy("b", &[], |toy| toy.on_change_of("toy.a")));
        // The change is made, and its refresh fails.
        world.fail("refresh b", test_resources::Fails::Early, 1);
        let run = run_with(engine_of(Some(BLUE)), RunMode::Apply, &graph, &Stop::new()).await;
        assert_eq!(run.report("b").outcome, Outcome::Failed, "{:?}", run.report("b"));
        for owner in [Some(GREEN), None] {
            let plan = run_with(engine_of(owner), RunMode::Plan, &graph, &Stop::new()).await;
            assert_eq!(plan.report("b").outcome, Outcome::Unchanged, "{owner:?}");
            let run = run_with(engine_of(owner), RunMode::Apply, &graph, &Stop::new()).await;
            assert_eq!(run.report("b").outcome, Outcome::Unchanged, "{owner:?}");
        }
        let run = run_with(engine_of(Some(BLUE)), RunMode::Apply, &graph, &Stop::new()).await;
        assert_eq!(run.report("b").outcome, Outcome::Changed, "it was owed all the time");
    }
}
