//! Tests of module outputs.

use super::*;
use crate::graph::ParamOrigin;
use crate::plan::{Plan, Report};
use crate::{OutputReport, OutputValue};
use converge_load::{GivenParam, Loader};

fn load(text: &str) -> Arc<Graph> {
    let registry = registry();
    let secret = GivenParam::new("secret", "hunter2-and-more", ParamOrigin::Code);
    let loader = Loader::new(&registry);
    let loader = if text.contains("param \"secret\"") { loader.with_given(secret) } else { loader };
    let module = loader.load_text("site.hcl", text);
    assert!(module.diagnostics.is_empty(), "{:#?}", module.diagnostics);
    module.into_graph().unwrap()
}

/// Returns the outputs of a run from its events.
async fn outputs(world: &Arc<World>, mode: RunMode, graph: &Arc<Graph>) -> Vec<OutputReport> {
    let run = run_with(engine(world, 2), mode, graph, &Stop::new()).await;
    assert!(matches!(run.events.last(), Some(EventKind::RunFinished { .. })));
    let outputs_told = run.events.into_iter().filter_map(|event| match event {
        EventKind::Output(output) => Some(output),
        _ => None,
    });
    outputs_told.collect()
}

fn lines(outputs: &[OutputReport]) -> Vec<String> {
    outputs.iter().map(|output| format!("{} {:?}", output.name, output.value)).collect()
}

const TEXT: &str = r#"
param "secret" { sensitive = true }
toy "a" { state = "new" }
output "known" { value = [upper("x"), 1] }
output "later" { value = { a = toy.a.out } }
output "secret" { value = format("%s!", param.secret) }
output "marked" {
  value       = toy.a.state
  description = "What a has."
  sensitive   = true
}
"#;

#[tokio::test]
async fn they_are_told_at_the_end() {
    let (world, graph) = (World::new(), load(TEXT));
    let plan = outputs(&world, RunMode::Plan, &graph).await;
    let known_line = "known Known([\"X\", 1])";
    assert_eq!(lines(&plan), [known_line, "later Unknown", "marked Sensitive", "secret Sensitive"]);
    assert_eq!(plan[2].description.as_deref(), Some("What a has."));
    let apply = outputs(&world, RunMode::Apply, &graph).await;
    assert_eq!(lines(&apply)[0], known_line);
    assert_eq!(apply[1].value.known().map(ToString::to_string), Some("{a = \"out of a\"}".to_owned()));
}

#[tokio::test]
async fn of_what_failed_there_is_none() {
    let text = "toy \"a\" {\n  state = \"new\"\n  mood = \"fails check\"\n}\noutput \"of\" { value = toy.a.state }\noutput \"other\" { value = 1 }";
    let text = text.replace("fails check", Mood::FailsCheck.word().as_str().unwrap());
    let lines_told = outputs(&World::new(), RunMode::Apply, &load(&text)).await;
    assert_eq!(lines(&lines_told), ["of Missing", "other Known(1)"]);
}

#[tokio::test]
async fn reports_keep_them_and_are_read_back() {
    let (world, graph) = (World::new(), load(TEXT));
    let plan = engine(&world, 2).make_plan(&graph).await.unwrap();
    assert_eq!(plan.report.outputs, outputs(&world, RunMode::Plan, &graph).await);
    let text = serde_json::to_string(&plan).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(Plan::from_json(&text).unwrap(), plan);
    // A document of an earlier version has no outputs.
    let text = serde_json::to_string(&engine(&world, 2).apply_for_report(&graph).await.unwrap()).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    document.as_object_mut().unwrap().remove("outputs");
    document["version"] = "1.1".into();
    assert_eq!(Report::from_json(&document.to_string()).unwrap().outputs, []);
}

#[tokio::test]
async fn a_run_of_a_part_tells_those_that_it_is_about() {
    let (world, graph) = (World::new(), load(TEXT));
    let skipped = engine(&world, 2).plan(&graph).skip(NodeId::root().child("toy.a"));
    let mut events = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::Output(output) = event.kind {
            events.push(output.name);
        }
    };
    skipped.sink(&mut sink).await.unwrap();
    // Readers of a value that is left out are left out too.
    assert_eq!(events, ["known", "secret"]);
}

/// Outputs of modules in separate files, looked up by the caller.
#[tokio::test]
async fn modules_give_them_to_their_callers() {
    let folder = tempfile::tempdir().unwrap();
    let called = "param \"p\" {}\noutput \"state\" { value = param.p }\n";
    let inner = "param \"p\" { default = \"d\" }\ntoy \"t\" { state = param.p }\noutput \"state\" { value = toy.t.state }\noutput \"later\" { value = toy.t.out }\n";
    let main = r#"
module "in.hcl" "one" {
  params { p = "first" }
}
module "each.hcl" "many" {
  for_each = ["k", "l"]
  params { p = each.key }
}
module "each.hcl" "not" {
  when = false
  params { p = "never" }
}
toy "x" { state = module.one.output.state }
toy "y" { state = module.many["l"].output.state }
toy "z" { state = join(",", [for m in module.many : m.output.state]) }
toy "w" { state = "{{lookup `module.one.output.later`}}" }
output "all" { value = module.one.output }
"#;
    #[expect(clippy::disallowed_methods, reason = "tests make the files that they load")]
    for (name, text) in [("each.hcl", called), ("in.hcl", inner), ("main.hcl", main)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let registry = registry();
    let loaded = Loader::new(&registry).load_file(&folder.path().join("main.hcl"));
    assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    let (world, graph) = (World::new(), loaded.into_graph().unwrap());
    let outputs_told = outputs(&world, RunMode::Apply, &graph).await;
    assert_eq!(["x", "y", "z", "w"].map(|name| world.state(name)), ["first", "l", "k,l", "out of t"],);
    let text = outputs_told[0].value.known().map(ToString::to_string);
    assert_eq!(text.as_deref(), Some("{later = \"out of t\", state = \"first\"}"));
    assert_eq!(outputs_told.len(), 1);
    assert!(matches!(outputs_told[0].value, OutputValue::Known(_)));
}
