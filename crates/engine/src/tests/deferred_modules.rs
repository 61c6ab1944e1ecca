//! Tests of `for_each` on module calls, over values that only a run knows.

use super::deferred_instances::{run_alike, told};
use super::test_resources::Fails;
use super::*;
use crate::plan::Plan;
use crate::types::limits::Limits;
use converge_load::{Loaded, Loader};
use converge_source::{Memory, Sources};

/// Returns a module loaded with these files.
fn loaded(files: &[(&str, &str)]) -> Loaded {
    let registry = registry();
    let memory = files.iter().fold(Memory::new(), |memory, (name, text)| memory.with(*name, *text));
    Loader::new(&registry).with_sources(Sources::only(memory)).load("main.hcl")
}

fn load(files: &[(&str, &str)]) -> Arc<Graph> {
    let loaded = loaded(files);
    assert!(loaded.diagnostics.is_empty(), "{files:#?}\n{:#?}", loaded.diagnostics);
    loaded.into_graph().unwrap()
}

async fn check(world: &Arc<World>, mode: RunMode, graph: &Arc<Graph>, expect: &[&str]) {
    assert_eq!(told(&end(begin(&engine(world, 2), mode, graph)).await), expect);
}

/// A site: a first dependency, a `switch`, a toy per port, a nested module and outputs.
const SITE: &str = r#"
param "name"  { type = "string" }
param "ports" { default = ["80"] }
param "lang"  { default = "en" }
locals { title = format("site %s", param.name) }
toy "conf" {
  state   = local.title
  depends = ["toy.base"]
}
toy "base" { state = param.name }
switch "lang" {
  case "eq (param `lang`) `es`" "es" {
    toy "hello" { state = "hola" }
  }
  default {
    toy "hello" { state = "hello" }
  }
}
toy "says" { state = toy.hello.state }
pack "port" {
  for_each = param.ports
  state    = format("%s:%s", param.name, each.value)
}
toy "server" {
  state        = toy.conf.state
  on_change_of = ["toy.conf"]
  group        = "one"
  tags         = ["serve"]
}
module "part.hcl" "part" {
  when = param.name != "c"
  params { of = toy.conf.state }
}
output "title" { value = local.title }
output "made"  { value = module.part.output.made }
"#;

const PART: &str = r#"
param "of" { type = "string" }
toy "part" { state = format("part of %s", param.of) }
output "made" { value = toy.part.state }
"#;

const USE: &str = r#"
toy "names" { state = "a,b,c" }
module "site.hcl" "site" {
  for_each = ITEMS
  when     = each.key != "x"
  depends  = ["toy.first"]
  tags     = ["sites"]
  params {
    name  = each.key
    lang  = each.value
    ports = ["80", format("8%s", each.key)]
  }
}
toy "first" { state = "x" }
toy "one"   { state = module.site["a"].output.title }
toy "all"   { state = join(",", [for key, site in module.site : format("%s=%s", key, site.output.title)]) }
toy "inner" { state = module.site["b"].toy.conf.state }
toy "behind" {
  state   = "x"
  depends = ["module.site", "module.site[\"b\"]/toy.conf", "module.site[\"a\"]"]
}
"#;

const WRITTEN: &str = r#"{ a = "es", b = "en", c = "fr" }"#;
const LOOKED_UP: &str = r#"{ for name in split(",", toy.names.state) : name => name == "a" ? "es" : "en" }"#;
/// The names are unknown before an apply.
const LATER: &str = r#"{ for name in split(" ", toy.names.out) : name => "en" }"#;

fn sites(items: &str) -> Arc<Graph> {
    // The output is removed, because the part it reads may not be taken, which a plan does not know.
    let site = SITE.replace("output \"made\"  { value = module.part.output.made }\n", "");
    load(&[("main.hcl", &USE.replace("ITEMS", items)), ("site.hcl", &site), ("part.hcl", PART)])
}

#[tokio::test]
async fn modules_that_are_looked_up_are_the_same_as_those_that_are_written() {
    let (literal, looked_up) = (sites(WRITTEN), sites(LOOKED_UP));
    for parallelism in [1, 2, 8] {
        let [_, other] = run_alike([&literal, &looked_up], parallelism).await;
        assert_eq!(other.state("all"), "a=site a,b=site b,c=site c");
        assert_eq!(other.state("one"), "site a");
        assert_eq!(other.state("inner"), "site b");
        assert_eq!(other.state("module.site[\"a\"]/says"), "hola");
        assert_eq!(other.state("module.site[\"a\"]/part"), "part of site a");
        assert!(!other.were_applied_together("module.site[\"a\"]/server", "module.site[\"b\"]/server"));
        let log = other.log();
        let position_of = |line: &str| {
            log.iter().position(|entry| entry == line).unwrap_or_else(|| panic!("{line}: {log:#?}"))
        };
        for key in ["a", "b", "c"] {
            let toy = |name: &str| position_of(&format!("apply module.site[\"{key}\"]/{name}"));
            assert!(
                position_of("apply first") < toy("base")
                    && toy("base") < toy("conf")
                    && toy("conf") < toy("server")
            );
            assert!(toy("server") < position_of("apply behind"));
        }
    }
}

#[tokio::test]
async fn what_is_not_known_may_change_and_is_found_in_the_apply() {
    let graph = sites(LATER);
    let world = World::new();
    let run = plan(&world, &graph, 2).await;
    assert_eq!(
        told(&run),
        [
            "module.site MayChange",
            "toy.all MayChange",
            "toy.behind WillChange",
            "toy.first WillChange",
            "toy.inner MayChange",
            "toy.names WillChange",
            "toy.one MayChange",
        ]
    );
    let [difference] = &run.report_of("module.site").differences[..] else { panic!("{:?}", told(&run)) };
    assert_eq!((&*difference.name, &difference.after), ("for_each", &DiffValue::Unknown));
    // The apply finds no instances `a` and `b`, so lookups of them fail with an error.
    let run = apply(&world, &graph, 2).await;
    let failed = told(&run).into_iter().filter(|line| line.contains("Failed")).collect::<Vec<_>>();
    assert_eq!(failed.len(), 2, "{failed:#?}");
    assert!(failed[1].contains("there is no instance `a`"), "{failed:#?}");
    assert_eq!(world.state("module.site[\"out\"]/says"), "hello");
    // The loaded graph is unchanged and can be run again.
    assert_eq!(apply(&world, &graph, 1).await.summary.changed, 0);
}

/// The names are known in a plan, and the site is small.
const FEW: &str = r#"
toy "names" { state = "a,b" }
module "site.hcl" "site" {
  for_each = split(",", toy.names.state)
  params { name = each.key }
}
"#;

fn few(main: &str, site: &str) -> Arc<Graph> {
    load(&[
        ("main.hcl", &format!("{FEW}{main}")),
        ("site.hcl", &format!("param \"name\" {{ type = \"string\" }}\n{site}")),
    ])
}

#[tokio::test]
async fn calls_in_calls_are_known_one_after_the_other() {
    let main = r#"
toy "names" { state = "a,b" }
module "outer.hcl" "outer" {
  for_each = split(",", toy.names.state)
  params { name = each.key }
}
toy "deep" { state = module.outer["a"].output.all }
toy "deeper" { state = module.outer["b"]/module.inner["y"]/toy.t["2"].state }
"#
    .replace(
        "module.outer[\"b\"]/module.inner[\"y\"]/toy.t[\"2\"]",
        "module.outer[\"b\"].module.inner[\"y\"].toy.t[\"2\"]",
    );
    let outer = r#"
param "name" { type = "string" }
toy "list" { state = format("x,%s", param.name) }
module "inner.hcl" "inner" {
  for_each = split(",", toy.list.state)
  params {
    of  = param.name
    key = each.key
  }
}
module "inner.hcl" "known" {
  for_each = ["y"]
  params {
    of  = param.name
    key = each.value
  }
}
output "all" { value = join(",", [for key, inner in module.inner : inner.output.it]) }
"#;
    let inner = r#"
param "of"  { type = "string" }
param "key" { type = "string" }
toy "t" {
  for_each = [param.of == "b" ? "2" : "1", "3"]
  state    = format("%s in %s is %s", param.key, param.of, each.key)
}
output "it" { value = format("%s%s", param.of, param.key) }
"#;
    let main = main.replace("inner[\"y\"]", "inner[\"b\"]");
    let graph = load(&[("main.hcl", &main), ("outer.hcl", outer), ("inner.hcl", inner)]);
    for parallelism in [1, 2, 8] {
        let world = World::new();
        let run = apply(&world, &graph, parallelism).await;
        assert_eq!(run.summary.failed, 0, "{:#?}", told(&run));
        // There are two sites with three inner ones of two toys each, and the resources around them.
        assert_eq!(run.summary.changed, 2 * 3 * 2 + 2 + 3, "{:#?}", told(&run));
        assert_eq!(world.state("deep"), "aa,ax");
        assert_eq!(world.state("deeper"), "b in b is 2");
        let second_run = apply(&world, &graph, parallelism).await;
        assert_eq!((second_run.summary.changed, second_run.summary.unchanged), (0, 17));
        let planned = plan(&World::new(), &graph, parallelism).await;
        assert_eq!(
            (planned.summary.will_change, planned.summary.may_change),
            (17, 0),
            "{:#?}",
            told(&planned)
        );
    }
}

#[tokio::test]
async fn one_instance_that_fails_leaves_the_others() {
    let graph = few(
        "toy \"after\" {\n  state = \"x\"\n  depends = [\"module.site\"]\n}\n",
        "toy \"one\" { state = param.name }\ntoy \"two\" { state = toy.one.state }\n",
    );
    let world = World::new();
    world.fail("apply module.site[\"a\"]/one", Fails::Early, 1);
    check(
        &world,
        RunMode::Apply,
        &graph,
        &[
            "module.site[\"a\"]/toy.one Failed: the world is against it",
            "module.site[\"a\"]/toy.two Skipped: the world is against it",
            "module.site[\"b\"]/toy.one Changed",
            "module.site[\"b\"]/toy.two Changed",
            "toy.after Skipped: the world is against it",
            "toy.names Changed",
        ],
    )
    .await;
}

#[tokio::test]
async fn refreshes_are_owed_in_an_instance_and_around_it() {
    let site = r#"
toy "conf" { state = param.name }
toy "server" {
  state        = ""
  list         = [param.name]
  on_change_of = ["toy.conf", "toy.shared"]
}
toy "inner" {
  state        = ""
  list         = [param.name]
  on_change_of = ["toy.conf"]
}
"#;
    let main = r#"
toy "shared" { state = "new" }
toy "all" {
  state        = ""
  on_change_of = ["module.site"]
}
"#;
    let graph = few(main, site);
    let (world, journal) = (World::new(), "/srv/state/converge");
    let engine = || engine(&world, 2).with_journal(journal);
    let planned = end(begin(&engine(), RunMode::Plan, &graph)).await;
    let refresh = |run: &Ended, id: &str| -> Option<String> {
        let refresh = run.report_of(id).differences.iter().find(|difference| difference.refresh)?;
        match &refresh.after {
            DiffValue::Known(why) => Some(why.clone()),
            other => panic!("{other:?}"),
        }
    };
    let (server, inner) = ("module.site[\"a\"]/toy.server", "module.site[\"a\"]/toy.inner");
    assert_eq!(
        refresh(&planned, server).as_deref(),
        Some("because toy.shared, module.site[\"a\"]/toy.conf will change")
    );
    assert_eq!(refresh(&planned, "toy.all").as_deref(), Some("because module.site will change"));
    world.fail("check module.site[\"a\"]/server", Fails::Early, 1);
    world.fail("refresh module.site[\"a\"]/inner", Fails::Early, 1);
    let first = end(begin(&engine(), RunMode::Apply, &graph)).await;
    let outcome = |run: &Ended, id: &str| run.report_of(id).outcome;
    assert_eq!(outcome(&first, server), Outcome::Failed);
    assert_eq!(outcome(&first, inner), Outcome::Failed);
    assert_eq!(outcome(&first, "module.site[\"b\"]/toy.server"), Outcome::Changed);
    assert_eq!(outcome(&first, "toy.all"), Outcome::Skipped);
    // The next run makes the pending refreshes, even if the change was inside an instance.
    let second = end(begin(&engine(), RunMode::Apply, &graph)).await;
    assert!(refresh(&second, server).unwrap().contains("pending since"), "{:?}", refresh(&second, server));
    assert_eq!(outcome(&second, server), Outcome::Changed);
    assert_eq!(outcome(&second, inner), Outcome::Changed, "{:#?}", told(&second));
    assert_eq!(outcome(&second, "toy.all"), Outcome::Changed, "{:#?} {:#?}", told(&first), told(&second));
    let third = end(begin(&engine(), RunMode::Apply, &graph)).await;
    assert_eq!(third.summary.changed, 0, "{:#?}", told(&third));
}

/// Checks the resources that a partial plan works on.
async fn check_chosen(run: Run, expect: &[&str]) {
    let lines = told(&end(run).await);
    let names: Vec<&str> =
        lines.iter().map(|line| line.strip_suffix(" WillChange").unwrap_or(line)).collect();
    assert_eq!(names, expect);
}

#[tokio::test]
async fn a_part_of_it_can_be_chosen() {
    let site = "toy \"one\" { state = param.name }\ntoy \"two\" {\n  state = toy.one.state\n  tags = [\"t\"]\n}\ntoy \"three\" { state = \"x\" }\ntoy \"each\" {\n  for_each = split(\",\", format(\"k,%s\", toy.one.state))\n  state = each.key\n}\n";
    let graph = few("", site);
    let id = |path: &str| format!("root/{path}").parse::<NodeId>().unwrap();
    let plan_run = || begin(&engine(&World::new(), 2), RunMode::Plan, &graph);
    let a = |name: &str| format!("module.site[\"a\"]/toy.{name}");
    check_chosen(
        plan_run().target(id("module.site[\"a\"]")),
        &[&a("each[\"a\"]"), &a("each[\"k\"]"), &a("one"), &a("three"), &a("two"), "toy.names"],
    )
    .await;
    check_chosen(plan_run().target(id(&a("two"))), &[&a("one"), &a("two"), "toy.names"]).await;
    check_chosen(plan_run().target(id(&a("each[\"k\"]"))), &[&a("each[\"k\"]"), &a("one"), "toy.names"])
        .await;
    check_chosen(
        plan_run().target(id(&a("each"))).skip(id(&a("each[\"k\"]"))),
        &[&a("each[\"a\"]"), &a("one"), "toy.names"],
    )
    .await;
    let b = |name: &str| format!("module.site[\"b\"]/toy.{name}");
    check_chosen(
        plan_run().tag("t".parse().unwrap()),
        &[&a("one"), &a("two"), &b("one"), &b("two"), "toy.names"],
    )
    .await;
    check_chosen(
        plan_run().target(id("module.site")).skip(id("module.site[\"b\"]")).skip_tag("t".parse().unwrap()),
        &[&a("each[\"a\"]"), &a("each[\"k\"]"), &a("one"), &a("three"), "toy.names"],
    )
    .await;
    // Readers of its value are left out too.
    check_chosen(
        plan_run().target(id("module.site[\"a\"]")).skip(id(&a("one"))),
        &[&a("three"), "toy.names"],
    )
    .await;
    check_chosen(plan_run().skip(id("module.site")), &["toy.names"]).await;
    let missing = told(&end(plan_run().target(id("module.site[\"z\"]/toy.one"))).await);
    assert_eq!(
        missing[0],
        "module.site Failed: the run targets `module.site[\"z\"]`, but `for_each` has no such entry"
    );
    // An id that is in no instance is not a valid target.
    let unknown = begin(&engine(&World::new(), 2), RunMode::Plan, &graph).target(id(&a("nothing")));
    let error = unknown.sink(&mut |_: Event| {}).await.unwrap_err().to_string();
    assert!(error.contains("nothing"), "{error}");
}

#[tokio::test]
async fn what_a_plan_showed_is_what_is_applied() {
    let small = few(
        "",
        "toy \"one\" { state = param.name }\ntoy \"each\" {\n  for_each = split(\" \", toy.one.out)\n  state = each.key\n}\n",
    );
    for (graph, changed) in [(&small, 9), (&sites(LATER), 0)] {
        let world = World::new();
        let plan = engine(&world, 2).make_plan(graph).await.unwrap();
        let plan = Plan::from_json(&serde_json::to_string(&plan).unwrap()).unwrap();
        let report = engine(&world, 2).apply_plan(graph, &plan).await.unwrap();
        let failed: Vec<_> = report
            .resources
            .iter()
            .filter(|entry| entry.outcome == Outcome::Failed)
            .map(|entry| entry.id.short())
            .collect();
        if changed > 0 {
            assert_eq!((report.summary.changed, &failed[..]), (changed, &[][..]));
        } else {
            // The keys that the module names do not exist.
            assert_eq!(failed, ["toy.inner", "toy.one"]);
        }
        assert!(report.resources.iter().all(|entry| !entry.resource_type.is_empty()));
    }
}

#[tokio::test]
async fn a_plan_of_a_part_is_applied_to_that_part() {
    let site = "toy \"one\" { state = param.name }\ntoy \"two\" {\n  state = \"x\"\n  tags = [\"t\"]\n}\n";
    let graph = few("toy \"other\" { state = \"x\" }\n", site);
    let node_id = || "root/module.site[\"a\"]/toy.one".parse::<NodeId>().unwrap();
    let check = async |narrow: fn(Run<Plan>, NodeId) -> Run<Plan>, expect: &[&str]| {
        let world = World::new();
        let plan = narrow(engine(&world, 2).make_plan(&graph), node_id()).await.unwrap();
        let plan = Plan::from_json(&serde_json::to_string(&plan).unwrap()).unwrap();
        let report = engine(&world, 2).apply_plan(&graph, &plan).await.unwrap();
        let lines = report.resources.iter().map(|entry| format!("{} {:?}", entry.id.short(), entry.outcome));
        assert_eq!(lines.collect::<Vec<_>>(), expect);
    };
    check(Run::target, &["module.site[\"a\"]/toy.one Changed", "toy.names Changed"]).await;
    let tagged =
        ["module.site[\"a\"]/toy.two Changed", "module.site[\"b\"]/toy.two Changed", "toy.names Changed"];
    check(|run, _| run.tag("t".parse().unwrap()), &tagged).await;
    let rest = [
        "module.site[\"a\"]/toy.two Changed",
        "module.site[\"b\"]/toy.one Changed",
        "module.site[\"b\"]/toy.two Changed",
        "toy.names Changed",
        "toy.other Changed",
    ];
    check(Run::skip, &rest).await;
}

#[tokio::test]
async fn there_are_not_more_than_there_may_be() {
    let main =
        FEW.replace("split(\",\", toy.names.state)", "range(length(split(\",\", toy.names.state)) * 250)");
    let site = "param \"name\" {}\ntoy \"one\" { state = tostring(param.name) }\n";
    let graph = load(&[("main.hcl", &main), ("site.hcl", site)]);
    let limits = Limits { resources: 1000, ..Limits::default() };
    let run = end(begin(&engine(&World::new(), 2).with_limits(limits), RunMode::Plan, &graph)).await;
    let failure = run.report_of("module.site").failure.as_ref().unwrap();
    assert_eq!(failure.message, "more than 1000 resources, with the instances of this `for_each`");
    assert!(failure.diagnostics.iter().all(|diagnostic| diagnostic.span().is_some()));
    let run = end(begin(&engine(&World::new(), 2), RunMode::Plan, &graph)).await;
    assert_eq!(run.summary.will_change, 501);
}

#[tokio::test]
async fn keys_may_be_anything() {
    let keys = [
        "[each.key]",
        "a/b",
        "a\\\"]",
        "x[\\\"y\\\"]",
        "ü ",
        "..",
        "root",
        "a/b/toy.one",
        "case.default",
        "\\\\",
    ];
    let listed: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
    let main = format!(
        "toy \"names\" {{ state = \"x\" }}\nmodule \"site.hcl\" \"site\" {{\n  for_each = toy.names.state == \"x\" ? [{}] : []\n  \
         params {{ name = each.key }}\n}}\ntoy \"all\" {{ state = join(\",\", [for key, site in module.site : key == site.output.it ? \"same\" : key]) }}\n",
        listed.join(", ")
    );
    let site = "param \"name\" { type = \"string\" }\ntoy \"one\" { state = param.name }\n\
                toy \"each\" {\n  for_each = split(\"#\", format(\"%s#k\", toy.one.state))\n  state = each.key\n}\n\
                output \"it\" { value = toy.one.state }\n";
    let graph = load(&[("main.hcl", &main), ("site.hcl", site)]);
    let world = World::new();
    let run = apply(&world, &graph, 2).await;
    assert_eq!((run.summary.changed, run.summary.failed), (3 * keys.len() + 2, 0), "{:#?}", told(&run));
    assert_eq!(world.state("all"), vec!["same"; keys.len()].join(","));
    assert_eq!(apply(&world, &graph, 1).await.summary.changed, 0);
    // Each resource can be found by its id alone.
    for line in told(&run).iter().filter(|line| line.ends_with("/toy.one Changed")) {
        let id: NodeId = format!("root/{}", line.strip_suffix(" Changed").unwrap()).parse().unwrap();
        let chosen = end(begin(&engine(&World::new(), 2), RunMode::Plan, &graph).target(id.clone())).await;
        assert_eq!(told(&chosen), [format!("{} WillChange", id.short()), "toy.names WillChange".to_owned()]);
    }
}

#[tokio::test]
async fn what_is_interrupted_leaves_no_half_of_them() {
    let graph = few("", "toy \"one\" { state = param.name }\ntoy \"two\" { state = toy.one.state }\n");
    let (world, stop) = (World::new(), Stop::new());
    let gate = world.gate("apply module.site[\"a\"]/one");
    let run = start(&world, &graph, 1, &stop);
    gate.reached().await;
    stop.raise();
    settle().await;
    gate.open();
    let run = run.await.unwrap();
    assert_eq!(
        told(&run),
        [
            "module.site[\"a\"]/toy.one Changed",
            "module.site[\"a\"]/toy.two NotRun",
            "module.site[\"b\"]/toy.one NotRun",
            "module.site[\"b\"]/toy.two NotRun",
            "toy.names Changed",
        ]
    );
    assert_eq!(apply(&world, &graph, 2).await.summary.changed, 3);
}
