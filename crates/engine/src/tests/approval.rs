//! Tests that the apply of a plan makes the changes that the plan showed, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;
use tokio::join;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use super::law::{graph_of, number, spec};
use super::test_resources::Fails;
use super::*;
use crate::graph::Retry;
use crate::plan::{ApplyPlanError, Mismatch, Plan, Report};
use crate::types::value::{Secret, Value};
use crate::{Key, OnDrift};

async fn planned(world: &Arc<World>, graph: &Arc<Graph>) -> Plan {
    let plan = engine(world, 2).make_plan(graph).await.unwrap();
    // The plan is read back from JSON, as in another process.
    Plan::from_json(&serde_json::to_string(&plan).unwrap()).unwrap()
}

async fn try_apply(
    world: &Arc<World>,
    graph: &Arc<Graph>,
    plan: &Plan,
    on_drift: OnDrift,
) -> Result<Report, ApplyPlanError> {
    engine(world, 2).apply_plan(graph, plan).on_drift(on_drift).await
}

async fn applied(world: &Arc<World>, graph: &Arc<Graph>, plan: &Plan, on_drift: OnDrift) -> Report {
    try_apply(world, graph, plan, on_drift).await.unwrap()
}

fn outcome(report: &Report, name: &str) -> Outcome {
    report.resource(&NodeId::root().child(&format!("toy.{name}"))).unwrap().outcome
}

/// Returns the actions on toys, without checks.
fn effects(world: &World) -> Vec<String> {
    world.log().into_iter().filter(|operation| !operation.starts_with("check")).collect()
}

fn three() -> Arc<Graph> {
    toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]).fresh("c", &[]))
}

#[tokio::test]
async fn what_was_shown_is_done_and_a_second_apply_has_nothing_to_do() {
    let (world, graph) = (World::new(), three());
    let plan = planned(&world, &graph).await;
    assert_eq!(applied(&world, &graph, &plan, OnDrift::Refuse).await.summary.changed, 3);
    let effects_of_first = effects(&world);
    let second_run = applied(&world, &graph, &plan, OnDrift::Refuse).await;
    assert_eq!((second_run.summary.unchanged, effects(&world)), (3, effects_of_first));
}

#[tokio::test]
async fn what_a_plan_left_out_is_left_out() {
    let (world, graph) = (World::new(), three());
    let id = |name: &str| NodeId::root().child(name);
    let plan = engine(&world, 2).make_plan(&graph).target(id("toy.b")).skip(id("toy.a")).await.unwrap();
    let stored = serde_json::to_string(&plan).unwrap();
    let report = applied(&world, &graph, &Plan::from_json(&stored).unwrap(), OnDrift::Refuse).await;
    assert_eq!((report.summary.changed, report.summary.left_out), (1, 2));
    assert_eq!(outcome(&report, "b"), Outcome::Changed);
    assert!(report.resource(&id("toy.a")).is_none());
}

#[tokio::test]
async fn what_a_plan_was_not_about_is_left_alone() {
    let (world, graph) = (World::new(), three());
    let of_b = NodeId::root().child("toy.b");
    let plan = engine(&world, 2).make_plan(&graph).target(of_b.clone()).await.unwrap();
    let stored = serde_json::to_string(&plan).unwrap();
    let report = applied(&world, &graph, &Plan::from_json(&stored).unwrap(), OnDrift::Refuse).await;
    assert_eq!((report.summary.changed, report.summary.failed), (2, 0));
    assert!(report.resource(&NodeId::root().child("toy.c")).is_none());
    // A wider target does not extend the approval.
    let of_c = NodeId::root().child("toy.c");
    let wider_run = engine(&world, 2).apply_plan(&graph, &plan).target(of_c).await.unwrap();
    assert_eq!(outcome(&wider_run, "c"), Outcome::Failed);
    assert_eq!(
        effects(&world).iter().filter(|effect| effect.contains('c')).count(),
        0,
        "{:?}",
        effects(&world)
    );
}

#[tokio::test]
async fn drift_is_refused_skipped_or_planned_anew() {
    for (on_drift, of_a, of_b, state) in [
        (OnDrift::Refuse, Outcome::Failed, Outcome::Skipped, "by hand"),
        (OnDrift::Skip, Outcome::Unchanged, Outcome::Changed, "by hand"),
        (OnDrift::Replan, Outcome::Changed, Outcome::Changed, "new"),
    ] {
        let (world, graph) = (World::new(), three());
        let plan = planned(&world, &graph).await;
        world.set("a", "by hand");
        let report = applied(&world, &graph, &plan, on_drift).await;
        assert_eq!((outcome(&report, "a"), outcome(&report, "b")), (of_a, of_b), "{on_drift:?}");
        assert_eq!(outcome(&report, "c"), Outcome::Changed, "{on_drift:?}");
        assert_eq!(world.state("a"), state, "{on_drift:?}");
        let a = report.resource(&NodeId::root().child("toy.a")).unwrap();
        let details = format!("{:?}{:?}{:?}", a.failure, a.warnings, a.messages);
        assert!(details.contains("the plan did not show a change of `state`"), "{details}");
        assert_eq!(a.differences.len(), 1, "what was found is told");
    }
}

/// Drift is found before the first attempt changes anything, or between two attempts.
#[tokio::test(start_paused = true)]
async fn what_has_drifted_is_not_tried_again() {
    const DELAY: Duration = Duration::from_mins(1);
    let retry = Retry { attempts: NonZeroU32::new(5).unwrap(), delay: DELAY, backoff: 1.0 };
    let graph = toys(|toys| toys.toy("a", &[], |toy| toy.set("state", "new").retry(retry)));
    for (by_hand, fails, waits) in [(Duration::ZERO, 0, 0), (DELAY / 2, 9, 1)] {
        let world = World::new();
        let plan = planned(&world, &graph).await;
        world.fail("apply a", Fails::Early, fails);
        let began = Instant::now();
        let change = async {
            sleep(by_hand).await;
            world.set("a", "by hand");
        };
        let apply = async {
            yield_now().await;
            applied(&world, &graph, &plan, OnDrift::Refuse).await
        };
        let ((), report) = join!(change, apply);
        let failure = report.resource(&NodeId::root().child("toy.a")).unwrap().failure.clone().unwrap();
        assert!(failure.message.starts_with("it has drifted: "), "{failure:?}");
        assert_eq!((began.elapsed(), world.state("a")), (DELAY * waits, "by hand".to_owned()));
    }
}

#[tokio::test]
async fn what_was_unchanged_is_not_changed() {
    let (world, graph) = (World::new(), three());
    world.set("c", "new");
    let plan = planned(&world, &graph).await;
    world.set("c", "old");
    let report = applied(&world, &graph, &plan, OnDrift::Refuse).await;
    assert_eq!((outcome(&report, "c"), world.state("c").as_str()), (Outcome::Failed, "old"));
}

#[tokio::test]
async fn what_may_change_may() {
    let (world, graph) = (
        World::new(),
        toys(|toys| toys.fresh("a", &[]).toy("b", &["a"], |toy| toy.lookup("state", "toy.a.out"))),
    );
    let plan = planned(&world, &graph).await;
    assert_eq!(outcome(&plan.report, "b"), Outcome::MayChange);
    let report = applied(&world, &graph, &plan, OnDrift::Refuse).await;
    assert_eq!((outcome(&report, "b"), world.state("b").as_str()), (Outcome::Changed, "out of a"));
}

#[tokio::test]
async fn a_stopped_apply_goes_on() {
    let (world, graph) = (World::new(), three());
    let plan = planned(&world, &graph).await;
    world.fail("apply b", Fails::Late, 1);
    let first = applied(&world, &graph, &plan, OnDrift::Refuse).await;
    assert_eq!((outcome(&first, "a"), outcome(&first, "b")), (Outcome::Changed, Outcome::Failed));
    let second = applied(&world, &graph, &plan, OnDrift::Refuse).await;
    // A resource that failed after its change took effect is done.
    assert_eq!((second.summary.unchanged, second.summary.is_success()), (3, true));
}

#[tokio::test]
async fn only_a_refresh_that_was_shown_is_made() {
    let graph = || {
        toys(|toys| toys.fresh("a", &[]).toy("b", &[], |toy| toy.set("state", "new").on_change_of("toy.a")))
    };
    let world = World::new();
    world.set("b", "new");
    let graph = graph();
    let plan = planned(&world, &graph).await;
    assert_eq!(outcome(&plan.report, "b"), Outcome::WillChange);
    let report = applied(&world, &graph, &plan, OnDrift::Refuse).await;
    assert_eq!(outcome(&report, "b"), Outcome::Changed);
    assert!(effects(&world).contains(&"refresh b".to_owned()));
    // A plan that found nothing to do refreshes nothing, even if an earlier resource has drifted.
    let plan = planned(&world, &graph).await;
    world.set("a", "by hand");
    let report = applied(&world, &graph, &plan, OnDrift::Skip).await;
    assert_eq!((outcome(&report, "a"), outcome(&report, "b")), (Outcome::Unchanged, Outcome::Unchanged));
}

#[tokio::test]
async fn what_a_plan_is_of_must_be_the_same() {
    let world = World::new();
    let plan = planned(&world, &three()).await;
    let other_graph = toys(|toys| toys.fresh("a", &[]).fresh("b", &[]).fresh("c", &[]));
    let error = try_apply(&world, &other_graph, &plan, OnDrift::Replan).await.unwrap_err();
    assert_eq!(error, ApplyPlanError::Differs { mismatches: vec![Mismatch::Graph] });
    let other_graph = toys(|toys| toys.special("one.a", &[], |toy| toy));
    let error = try_apply(&world, &other_graph, &plan, OnDrift::Replan).await.unwrap_err();
    assert!(
        error.to_string().contains("the type `one` has changed; the type `toy` has changed")
            || error.to_string().contains("the type `toy` has changed; the type `one` has changed"),
        "{error}"
    );
    let mut json = serde_json::to_value(&plan).unwrap();
    json["basis"]["converge"] = "9.9.9".into();
    let newer = Plan::from_json(&json.to_string()).unwrap();
    let error = try_apply(&world, &three(), &newer, OnDrift::Refuse).await.unwrap_err();
    assert!(error.to_string().contains("it was made by converge 9.9.9"), "{error}");
    assert_eq!(effects(&world), [""; 0]);
}

#[tokio::test]
async fn modules_and_parameters_are_named_and_secrets_are_compared_without_being_kept() {
    let world = World::new();
    let registry = registry();
    let module = r#"
        param "name" { default = "x" }
        param "password" { sensitive = true }
        toy "a" { state = "{{param `name`}}" secret = "{{param `password`}}" }
    "#;
    let load = |module: &str, name: &str, password: &str| {
        let loader = converge_load::Loader::new(&registry).with_param("name", name);
        loader.with_param("password", password).load_text("main.hcl", module).into_graph().unwrap()
    };
    let graph = load(module, "y", "correct-horse-battery");
    let plan = planned(&world, &graph).await;
    assert!(!serde_json::to_string(&plan).unwrap().contains("correct-horse"));
    let params: Vec<_> = plan.params().collect();
    assert_eq!(params, [("name", Some(&Value::string("y"))), ("password", None)]);

    let mismatches = async |graph: &Arc<Graph>| match try_apply(&world, graph, &plan, OnDrift::Skip).await {
        Err(ApplyPlanError::Differs { mismatches }) => mismatches,
        other => panic!("{other:?}"),
    };
    let param = |name: &str| Mismatch::Param { name: name.to_owned() };
    assert_eq!(mismatches(&load(module, "z", "correct-horse-battery")).await, [param("name")]);
    assert_eq!(mismatches(&load(module, "y", "another-long-password")).await, [param("password")]);
    let edited = format!("{module}\n# later");
    let source = Mismatch::Source { name: "main.hcl".to_owned() };
    assert_eq!(mismatches(&load(&edited, "y", "correct-horse-battery")).await, [source]);
    assert_eq!(effects(&world), [""; 0]);
    assert_eq!(applied(&world, &graph, &plan, OnDrift::Refuse).await.summary.changed, 1);
}

#[test]
fn a_secret_of_a_graph_in_rust_counts() {
    let graph = |secret: &str| {
        let secret = Value::Secret(Secret::new(Box::new(Value::string(secret))));
        toys(|toys| toys.toy("a", &[], |toy| toy.set("state", "new").set("secret", secret)))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let world = World::new();
        let plan = planned(&world, &graph("the-first-of-them")).await;
        let error = try_apply(&world, &graph("the-other-of-them"), &plan, OnDrift::Refuse).await.unwrap_err();
        assert_eq!(error, ApplyPlanError::Differs { mismatches: vec![Mismatch::Graph] });
    });
}

#[test]
fn each_plan_has_a_key_of_its_own() {
    let keys: Vec<Key> = (0..3).map(|_| Key::random().unwrap()).collect();
    assert!(keys[0] != keys[1] && keys[1] != keys[2]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Some toys are as declared when the plan is made, and some are changed by hand after it.
    #[test]
    fn nothing_is_done_that_was_not_shown(
        specs in prop::collection::vec(spec(), 1..30),
        states in prop::collection::vec((0..3_usize, 0..6_usize), 30),
        skip in any::<bool>(),
    ) {
        const STATES: [&str; 3] = ["new", "old", "older"];
        let graph = graph_of(&specs);
        let world = World::new();
        let names: Vec<String> = (0..specs.len()).map(number).collect();
        for (name, (before, _)) in names.iter().zip(&states) {
            world.set(name, STATES[*before]);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let plan = runtime.block_on(planned(&world, &graph));
        for (name, (_, hand)) in names.iter().zip(&states) {
            if let Some(state) = STATES.get(*hand) {
                world.set(name, state);
            }
        }
        let states_before: BTreeMap<&String, String> = names.iter().map(|name| (name, world.state(name))).collect();
        prop_assert_eq!(effects(&world), [""; 0]);
        let on_drift = if skip { OnDrift::Skip } else { OnDrift::Refuse };
        let report = runtime.block_on(applied(&world, &graph, &plan, on_drift));
        let touched: BTreeSet<String> = effects(&world)
            .iter()
            .filter_map(|operation| operation.split(' ').nth(1).map(str::to_owned))
            .collect();
        for (name, (before, _)) in names.iter().zip(&states) {
            let outcome_in_plan = outcome(&plan.report, name);
            let is_unchanged = states_before[name] == STATES[*before];
            if touched.contains(name) {
                let was_shown = outcome_in_plan == Outcome::WillChange && is_unchanged || outcome_in_plan == Outcome::MayChange;
                prop_assert!(was_shown, "{name} was {outcome_in_plan:?}, and was changed from {}", states_before[name]);
            } else {
                prop_assert_eq!(&world.state(name), &states_before[name]);
                prop_assert!(outcome(&report, name) != Outcome::Changed);
            }
        }
        // Completed changes are not made again.
        let second_report = runtime.block_on(applied(&world, &graph, &plan, on_drift));
        let changed = report.resources.iter().filter(|resource| resource.outcome == Outcome::Changed);
        for resource in changed {
            let later = second_report.resource(&resource.id).unwrap();
            prop_assert!(later.outcome != Outcome::Changed, "{}", later.id);
        }
    }
}
