//! Tests of `for_each` over values that only a run knows.

use super::test_resources::Fails;
use super::*;
use crate::plan::Plan;
use crate::types::limits::Limits;
use crate::types::value::Value;
use converge_load::Loader;

fn load(text: &str) -> Arc<Graph> {
    let registry = registry();
    let loaded = Loader::new(&registry).load_text("site.hcl", text);
    assert!(loaded.diagnostics.is_empty(), "{text}\n{:#?}", loaded.diagnostics);
    loaded.into_graph().unwrap()
}

/// Returns each resource with its outcome, and the reason if it failed or was skipped.
pub(super) fn told(run: &Ended) -> Vec<String> {
    let line = |event: &EventKind| match event {
        EventKind::ResourceFinished(report) => {
            let reason = report.skipped.as_ref().map(|skipped| skipped.reason.clone());
            let reason = reason.or_else(|| report.failure.as_ref().map(|failure| failure.message.clone()));
            let reason = reason.map_or(String::new(), |why| format!(": {why}"));
            Some(format!("{} {:?}{reason}", report.id.short(), report.outcome))
        }
        _ => None,
    };
    let mut lines: Vec<String> = run.events.iter().filter_map(line).collect();
    lines.sort();
    lines
}

/// Plans and applies two graphs, each in its own world, and checks that their reports agree.
///
/// Returns the worlds.
pub(super) async fn run_alike(graphs: [&Arc<Graph>; 2], parallelism: usize) -> [Arc<World>; 2] {
    let worlds = [World::new(), World::new()];
    for mode in [RunMode::Plan, RunMode::Apply, RunMode::Apply] {
        let mut outcomes = Vec::new();
        for (world, graph) in worlds.iter().zip(graphs) {
            outcomes.push(told(&end(begin(&engine(world, parallelism), mode, graph)).await));
        }
        assert_eq!(outcomes[0], outcomes[1], "{mode:?} with {parallelism}");
    }
    worlds
}

async fn check_in(prepare: impl Fn(&World), mode: RunMode, text: &str, expect: &[&str]) {
    for parallelism in [1, 3] {
        let world = World::new();
        prepare(&world);
        let run = end(begin(&engine(&world, parallelism), mode, &load(text))).await;
        assert_eq!(told(&run), expect, "{text}");
    }
}

async fn check(mode: RunMode, text: &str, expect: &[&str]) {
    check_in(|_| {}, mode, text, expect).await;
}

/// The names are known in a plan.
const KNOWN: &str = r#"
toy "names" { state = "b,a" }
toy "each" {
  for_each = split(",", toy.names.state)
  state    = format("is %s", each.key)
}
"#;

/// The names are unknown in a plan, because they depend on a change.
const LATER: &str = r#"
toy "names" { state = "b,a" }
toy "each" {
  for_each = split(" ", toy.names.out)
  state    = format("is %s", each.key)
}
toy "after" {
  state   = "x"
  depends = ["toy.each"]
}
"#;

#[tokio::test]
async fn what_is_known_in_a_plan_is_shown() {
    check(
        RunMode::Plan,
        KNOWN,
        &["toy.each[\"a\"] WillChange", "toy.each[\"b\"] WillChange", "toy.names WillChange"],
    )
    .await;
}

#[tokio::test]
async fn what_is_not_known_may_change_and_is_found_in_the_apply() {
    check(RunMode::Plan, LATER, &["toy.after WillChange", "toy.each MayChange", "toy.names WillChange"])
        .await;
    let run = plan(&World::new(), &load(LATER), 2).await;
    let [difference] = &run.report("each").differences[..] else { panic!("{:?}", run.report("each")) };
    assert_eq!((&*difference.name, &difference.after), ("for_each", &DiffValue::Unknown));
    assert_eq!(run.report("each").role, Role::ForEach);
    assert_eq!((run.summary.may_change, run.summary.will_change), (1, 2));
    check(
        RunMode::Apply,
        LATER,
        &[
            "toy.after Changed",
            "toy.each[\"names\"] Changed",
            "toy.each[\"of\"] Changed",
            "toy.each[\"out\"] Changed",
            "toy.names Changed",
        ],
    )
    .await;
    let world = World::new();
    let graph = load(LATER);
    let run = apply(&world, &graph, 1).await;
    assert_eq!(world.state("each[\"of\"]"), "is of");
    let instances_of = |event: &EventKind| match event {
        EventKind::InstancesKnown { id, resources, .. } => Some((id.short().to_owned(), *resources)),
        _ => None,
    };
    let instances: Vec<_> = run.events.iter().filter_map(instances_of).collect();
    assert_eq!(instances, [("toy.each".to_owned(), 3)]);
    // The loaded graph is unchanged and can be run again.
    assert_eq!(apply(&world, &graph, 2).await.summary.unchanged, 5);
    let log = world.log();
    assert!(
        log.iter().position(|line| line == "apply after").unwrap()
            > log.iter().position(|line| line == "apply each[\"out\"]").unwrap()
    );
}

#[tokio::test]
async fn a_collection_that_is_looked_up_is_the_same_as_one_that_is_written() {
    let rest = r#"
  state    = format("is %s of %s", each.key, each.value)
  group    = "one"
  when     = each.key != "c"
  depends  = ["toy.first"]
}
toy "first" { state = "x" }
toy "one"   { state = toy.each["a"].state }
toy "all"   { state = join(",", [for key, toy in toy.each : format("%s=%s", key, toy.state)]) }
pack "p" {
  for_each = ITEMS
  state    = each.key
}
toy "behind" {
  state   = "x"
  depends = ["pack.p", "toy.each[\"b\"]"]
}
toy "names" { state = "a,b,c" }
"#;
    let items = "{ a = \"1\", b = \"2\", c = \"3\" }";
    let later = "{ for at, name in split(\",\", toy.names.state) : name => tostring(at + 1) }";
    let module =
        |items: &str| format!("toy \"each\" {{\n  for_each = {items}{}", rest.replace("ITEMS", items));
    let (literal, looked_up) = (load(&module(items)), load(&module(later)));
    for parallelism in [1, 2, 8] {
        let [one, other] = run_alike([&literal, &looked_up], parallelism).await;
        assert_eq!(one.state("all"), "a=is a of 1,b=is b of 2");
        assert_eq!(other.state("all"), "a=is a of 1,b=is b of 2");
        assert!(!other.were_applied_together("each[\"a\"]", "each[\"b\"]"));
        // Instances that are ready at the same time form one batch.
        assert!(other.log().contains(&"batch p[\"a\"],p[\"b\"],p[\"c\"]".to_owned()), "{:?}", other.log());
    }
}

#[tokio::test]
async fn nothing_is_a_collection_too() {
    let text = &KNOWN.replace(
        "split(\",\", toy.names.state)",
        "[for name in split(\",\", toy.names.state) : name if name == \"z\"]",
    );
    check(RunMode::Plan, text, &["toy.names WillChange"]).await;
    let text = &format!("{text}toy \"after\" {{\n  state = \"x\"\n  depends = [\"toy.each\"]\n}}\n");
    check(RunMode::Apply, text, &["toy.after Changed", "toy.names Changed"]).await;
}

#[tokio::test]
async fn a_wrong_collection_is_an_error_of_the_resource() {
    for (items, message) in [
        ("toy.names.state", "`for_each` must be a list of texts, or a map, not a string"),
        (
            "[for x in split(\",\", toy.names.state) : { k = x }]",
            "`for_each` must be a list of texts, or a map, not a list of records",
        ),
        (
            "[for x in split(\",\", toy.names.state) : true]",
            "`for_each` must be made of texts, not a bool\n`for_each` must be made of texts, not a bool",
        ),
        ("concat([\"b\"], split(\",\", toy.names.state))", "`b` is twice in `for_each`"),
        ("split(\",\", toy.names.state)[7]", "the index 7 is out of range: the length is 2"),
    ] {
        let text = LATER.replace("split(\" \", toy.names.out)", items);
        let run = apply(&World::new(), &load(&text), 2).await;
        let report = run.report("each");
        assert_eq!((report.outcome, report.role), (Outcome::Failed, Role::ForEach), "{items}");
        let failure = report.failure.as_ref().unwrap();
        assert!(failure.message.contains(message), "{items}: {}", failure.message);
        assert!(failure.diagnostics.iter().all(|diagnostic| diagnostic.span().is_some()), "{items}");
        assert_eq!(run.report("after").outcome, Outcome::Skipped, "{items}");
        assert_eq!((run.summary.failed, run.summary.changed), (1, 1), "{items}");
    }
}

#[tokio::test]
async fn secrets_are_no_keys() {
    let text = r#"
param "p" {
  default   = "hidden,words"
  sensitive = true
}
toy "names" { state = "x" }
toy "each" {
  for_each = split(",", join(toy.names.state, [param.p]))
  state    = "y"
}
"#;
    let run = apply(&World::new(), &load(text), 1).await;
    assert_eq!(
        run.report("each").failure.as_ref().unwrap().message,
        "a secret cannot be given to `for_each`"
    );
    assert!(!format!("{:?}", run.events).contains("hidden"));
}

#[tokio::test]
async fn there_are_not_more_than_there_may_be() {
    let graph = load(
        &KNOWN.replace("split(\",\", toy.names.state)", "range(length(split(\",\", toy.names.state)) * 500)"),
    );
    let limits = Limits { resources: 1001, ..Limits::default() };
    let run = end(begin(&engine(&World::new(), 2).with_limits(limits), RunMode::Plan, &graph)).await;
    let failure = run.report("each").failure.as_ref().unwrap();
    assert_eq!(failure.message, "more than 1001 resources, with the instances of this `for_each`");
    let run = end(begin(&engine(&World::new(), 2), RunMode::Plan, &graph)).await;
    assert_eq!(run.summary.will_change, 1001);
}

#[tokio::test]
async fn refreshes_go_in_both_directions() {
    let text = r#"
toy "names" { state = "a,b" }
toy "conf"  { state = "new" }
toy "each" {
  for_each     = split(",", toy.names.state)
  state        = ""
  on_change_of = ["toy.conf"]
}
toy "all" {
  state        = ""
  on_change_of = ["toy.each"]
}
"#;
    let graph = load(text);
    let (world, journal) = (World::new(), "/srv/state/converge");
    let engine = || engine(&world, 2).with_journal(journal);
    let planned = end(begin(&engine(), RunMode::Plan, &graph)).await;
    assert_eq!(planned.refresh("each[\"a\"]"), Some("because toy.conf will change"));
    assert_eq!(planned.refresh("all"), Some("because toy.each will change"));
    // One failure leaves the refresh pending for all, because it was recorded before the instances existed.
    world.fail("check each[\"a\"]", Fails::Early, 1);
    let first = end(begin(&engine(), RunMode::Apply, &graph)).await;
    assert_eq!(first.report("each[\"a\"]").outcome, Outcome::Failed);
    assert_eq!(first.refresh("each[\"b\"]"), Some("because toy.conf changed"));
    assert_eq!(first.report("all").outcome, Outcome::Skipped);
    let second = end(begin(&engine(), RunMode::Apply, &graph)).await;
    assert!(
        second.refresh("each[\"a\"]").unwrap().contains("toy.conf"),
        "{:?}",
        second.refresh("each[\"a\"]")
    );
    assert_eq!(second.report("all").outcome, Outcome::Changed);
    assert_eq!(end(begin(&engine(), RunMode::Apply, &graph)).await.summary.unchanged, 5);
}

#[tokio::test]
async fn behind_a_gate_it_is_handled_as_all_else() {
    let text = r#"
toy "first" { state = "a,b" }
switch "s" {
  case "PREDICATE" "yes" {
    toy "each" {
      for_each = split(",", toy.first.state)
      state    = each.key
    }
  }
}
toy "reads" { state = toy.each["a"].state }
"#;
    let with_predicate = |predicate: &str| text.replace("PREDICATE", predicate);
    check(
        RunMode::Plan,
        &with_predicate("eq (lookup `toy.first.out`) `x`"),
        &["switch.s/case.yes/toy.each MayChange: whether `case \"yes\"` of `switch.s` is taken is known after apply: it waits for toy.first.out", "toy.first WillChange", "toy.reads MayChange"],
    )
    .await;
    check(
        RunMode::Apply,
        &with_predicate("eq (lookup `toy.first.state`) `a,b`"),
        &[
            "switch.s/case.yes/toy.each[\"a\"] Changed",
            "switch.s/case.yes/toy.each[\"b\"] Changed",
            "toy.first Changed",
            "toy.reads Changed",
        ],
    )
    .await;
    let run = apply(&World::new(), &load(&with_predicate("eq (lookup `toy.first.state`) `x`")), 2).await;
    assert_eq!(run.report("each").outcome, Outcome::NotTaken);
    assert_eq!(run.report("reads").outcome, Outcome::Failed);
}

#[tokio::test]
async fn an_instance_that_fails_fails_what_waits_for_all() {
    check_in(
        |world| world.fail("apply each[\"out\"]", Fails::Early, 1),
        RunMode::Apply,
        LATER,
        &[
            "toy.after Skipped: the world is against it",
            "toy.each[\"names\"] Changed",
            "toy.each[\"of\"] Changed",
            "toy.each[\"out\"] Failed: the world is against it",
            "toy.names Changed",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_part_of_it_can_be_chosen() {
    let graph = load(KNOWN);
    let id = |name: &str| NodeId::root().child(name);
    let a = || id("toy.each").instance("a");
    let names = |run: Ended| told(&run);
    let plan_run = || begin(&engine(&World::new(), 2), RunMode::Plan, &graph);
    assert_eq!(
        names(end(plan_run().target(a())).await),
        ["toy.each[\"a\"] WillChange", "toy.names WillChange"]
    );
    assert_eq!(names(end(plan_run().target(id("toy.each")).target(a())).await).len(), 3);
    assert_eq!(
        names(end(plan_run().skip(a())).await),
        ["toy.each[\"b\"] WillChange", "toy.names WillChange"]
    );
    assert_eq!(names(end(plan_run().skip(id("toy.each"))).await), ["toy.names WillChange"]);
    assert_eq!(names(end(plan_run().target(id("toy.names"))).await), ["toy.names WillChange"]);
    let missing = names(end(plan_run().target(id("toy.each").instance("z"))).await);
    assert_eq!(
        missing[0],
        "toy.each Failed: the run targets `toy.each[\"z\"]`, but `for_each` has no such entry"
    );
    let tagged = load(&KNOWN.replace("state    = format", "tags     = [\"t\"]\n  state    = format"));
    let run = begin(&engine(&World::new(), 2), RunMode::Plan, &tagged);
    assert_eq!(end(run.skip_tag("t".parse().unwrap())).await.summary.left_out, 0);
    let run = begin(&engine(&World::new(), 2), RunMode::Plan, &tagged);
    assert_eq!(names(end(run.tag("t".parse().unwrap())).await).len(), 3);
}

#[tokio::test]
async fn what_a_plan_showed_is_what_is_applied() {
    let world = World::new();
    let (literal, later) = (load(KNOWN), load(LATER));
    // The plan knew the instances.
    let plan = engine(&world, 2).make_plan(&literal).await.unwrap();
    let plan = Plan::from_json(&serde_json::to_string(&plan).unwrap()).unwrap();
    let report = engine(&world, 2).apply_plan(&literal, &plan).await.unwrap();
    assert_eq!((report.summary.changed, report.summary.failed), (3, 0));
    let instance = report.resources.iter().find(|entry| entry.id.short() == "toy.each[\"a\"]").unwrap();
    assert_eq!((instance.resource_type.as_str(), &instance.exports["state"]), ("toy", &Value::from("is a")));
    // The plan did not know the instances, and reported that.
    let world = World::new();
    let plan = engine(&world, 2).make_plan(&later).await.unwrap();
    let report = engine(&world, 2).apply_plan(&later, &plan).await.unwrap();
    assert_eq!((report.summary.changed, report.summary.failed), (5, 0));
    assert_eq!(report.resources.iter().filter(|entry| entry.resource_type == "toy").count(), 5);
}

#[tokio::test]
async fn what_is_to_finish_makes_no_instances() {
    let (world, stop) = (World::new(), Stop::new());
    let gate = world.gate("apply names");
    let run = start(&world, &load(LATER), 2, &stop);
    gate.reached().await;
    stop.raise();
    settle().await;
    gate.open();
    let run = run.await.unwrap();
    assert_eq!(told(&run), ["toy.after NotRun", "toy.each NotRun", "toy.names Changed"]);
}
