//! Tests of plans and reports as values.

use super::*;
use crate::Stage;
use crate::plan::{DocumentError, ExportError, Plan, Recorder, Report};
use crate::sdk::status::StatusLevel;
use crate::types::value::{Secret, Value};

async fn make_plan(world: &Arc<World>, graph: &Arc<Graph>) -> Plan {
    engine(world, 2).make_plan(graph).await.unwrap()
}

async fn report(world: &Arc<World>, graph: &Arc<Graph>) -> Report {
    engine(world, 2).apply_for_report(graph).await.unwrap()
}

fn id(name: &str) -> NodeId {
    NodeId::root().child(&format!("toy.{name}"))
}

/// Returns a graph with a secret, an unknown value, a failure and a skipped resource.
fn graph() -> Arc<Graph> {
    toys(|toys| {
        let secret = Value::Secret(Secret::new(Box::new(Value::string("hunter2-and-more"))));
        toys.toy("a", &[], |toy| toy.set("state", "new").set("secret", secret))
            .toy("b", &[], |toy| toy.lookup("state", "toy.a.out"))
            .toy("c", &[], |toy| toy.set("state", "new").set("mood", Mood::FailsCheck.word()))
            .fresh("d", &["c"])
    })
}

#[tokio::test]
async fn a_plan_keeps_what_values_are_and_is_read_back() {
    let (world, graph) = (World::new(), graph());
    let plan = make_plan(&world, &graph).await;
    let [before, after] = {
        let secret = &plan.resource(&id("a")).unwrap().differences[0];
        assert_eq!((secret.name.as_str(), secret.field.as_deref()), ("secret", Some("secret")));
        [secret.before.clone(), secret.after.clone()]
    };
    assert_eq!([before, after], [DiffValue::Secret, DiffValue::Secret]);
    assert_eq!(plan.resource(&id("b")).unwrap().differences[0].after, DiffValue::Unknown);
    let failed = plan.resource(&id("c")).unwrap();
    assert_eq!((failed.outcome, failed.level), (Outcome::Failed, StatusLevel::Fatal));
    assert_eq!(failed.failure.as_ref().map(|failure| failure.stage), Some(Stage::Check));
    assert_eq!(plan.resource(&id("d")).unwrap().skipped.as_ref().map(|skip| &skip.cause), Some(&id("c")));
    assert_eq!(plan.report.summary.failed, 1);

    let text = serde_json::to_string_pretty(&plan).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(Plan::from_json(&text).unwrap(), plan);
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
}

#[tokio::test]
async fn a_report_names_what_was_changed() {
    let world = World::new();
    world.set("z", "new");
    let toys = toys(|toys| {
        let toys = toys.fresh("z", &[]).fresh("b", &[]).fresh("a", &["b"]);
        toys.moody("c", &[], Mood::FailsCheck).fresh("d", &["c"])
    });
    let names = |report: &Report| report.changed().map(|resource| resource.id.clone()).collect::<Vec<_>>();
    assert_eq!(names(&make_plan(&world, &toys).await.report), []);
    let first = report(&world, &toys).await;
    assert_eq!((names(&first), first.summary.changed), (vec![id("a"), id("b")], 2));
    assert_eq!(names(&report(&world, &toys).await), []);
}

#[tokio::test]
async fn a_report_is_what_the_events_said() {
    let (world, graph) = (World::new(), graph());
    let mut recorder = Recorder::new(&graph);
    engine(&world, 1).apply(&graph).sink(&mut recorder).await.unwrap();
    let report = recorder.finish().unwrap();
    assert_eq!(report.mode, RunMode::Apply);
    assert_eq!(report.resource(&id("a")).unwrap().outcome, Outcome::Changed);
    assert_eq!(report.resource(&id("a")).unwrap().resource_type, "toy");
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(Report::from_json(&text).unwrap(), report);
    assert!(Recorder::new(&graph).finish().is_none());
}

#[tokio::test]
async fn exports_have_types() {
    let (world, graph) = (World::new(), graph());
    let planned = make_plan(&world, &graph).await.report;
    let applied = report(&world, &graph).await;
    assert_eq!(applied.export::<String>(&id("a"), "Out").unwrap(), "out of a");
    assert_eq!(applied.export::<u64>(&id("a"), "status.code").unwrap(), 7);
    assert_eq!(planned.export::<String>(&id("a"), "state").unwrap(), "new");
    let out = "out".to_owned();
    let error = planned.export::<String>(&id("a"), "out").unwrap_err();
    let ExportError::NoExport { id: of, name, known } = &error else { panic!("{error:?}") };
    assert!((of, name) == (&id("a"), &out) && known.contains(&"state".to_owned()), "{error}");
    let error = applied.export::<String>(&id("z"), "out").unwrap_err();
    assert!(matches!(error, ExportError::NoResource { id: of, .. } if of == id("z")));
}

#[tokio::test]
async fn secrets_are_not_among_the_exports() {
    let (world, secret) = (World::new(), "correct-horse-battery");
    let value = || Value::Secret(Secret::new(Box::new(Value::string(secret))));
    let graph = toys(|toys| toys.toy("a", &[], |toy| toy.set("state", value()).set("secret", value())));
    let applied = report(&world, &graph).await;
    assert_eq!(world.state("a"), secret);
    assert!(applied.export::<String>(&id("a"), "state").is_err());
    assert!(!serde_json::to_string(&applied).unwrap().contains(secret));
}

#[tokio::test]
async fn plans_tell_how_they_differ() {
    let world = World::new();
    world.set("same", "new");
    let before =
        toys(|toys| toys.fresh("gone", &[]).fresh("other", &[]).fresh("same", &[]).fresh("done", &[]));
    let earlier = make_plan(&world, &before).await;
    assert!(earlier.diff(&earlier).is_empty());
    world.set("done", "new");
    world.set("other", "old");
    let after =
        toys(|toys| toys.fresh("fresh", &[]).fresh("other", &[]).fresh("same", &[]).fresh("done", &[]));
    let later = make_plan(&world, &after).await;
    let diff = later.diff(&earlier);
    let names = |results: &[&crate::plan::ResourceResult]| {
        results.iter().map(|result| result.id.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((names(&diff.new), names(&diff.gone)), (vec!["toy.fresh".into()], vec!["toy.gone".into()]));
    let changed: Vec<_> = diff
        .changed
        .iter()
        .map(|changed| (changed.after.id.name(), changed.before.outcome, changed.after.outcome))
        .collect();
    let expect = [
        ("toy.done", Outcome::WillChange, Outcome::Unchanged),
        ("toy.other", Outcome::WillChange, Outcome::WillChange),
    ];
    assert_eq!(changed, expect);
}

#[tokio::test]
async fn other_documents_are_refused_by_name() {
    let plan = make_plan(&World::new(), &graph()).await;
    let text = serde_json::to_string(&plan).unwrap();
    let error = |text: &str| Plan::from_json(text).unwrap_err();
    let plan_with = |name: &str, value: serde_json::Value| {
        let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json[name] = value;
        json.to_string()
    };
    assert!(matches!(error(&text[..text.len() / 2]), DocumentError::NotJson(_)));
    assert!(matches!(error("param \"a\" {}"), DocumentError::NotJson(_)));
    assert!(matches!(error("{}"), DocumentError::Foreign { found: None, .. }));
    let report = serde_json::to_string(&plan.report).unwrap();
    assert!(
        matches!(error(&report), DocumentError::Foreign { found: Some(found), .. } if found == "converge-report")
    );
    let newer = error(&plan_with("version", "2.0".into()));
    assert_eq!(newer, DocumentError::OtherVersion { found: "2.0".to_owned() });
    assert!(newer.to_string().contains("this converge reads version 1.2"), "{newer}");
    // Fields that a later version adds are ignored.
    assert_eq!(Plan::from_json(&plan_with("version", "1.7".into())).unwrap(), plan);
    assert!(matches!(error(&plan_with("version", 1.into())), DocumentError::Damaged(_)));
    assert!(matches!(error(&plan_with("resources", "none".into())), DocumentError::Damaged(_)));
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["resources"][0]["id"] = "toy.a".into();
    assert!(error(&json.to_string()).to_string().contains("does not begin with `root`"));
}

#[test]
fn ids_are_parsed() {
    for valid in ["root", "root/toy.a", r#"root/module.x["a/b\"]"]/toy.a"#, "root/toy.é"] {
        assert_eq!(valid.parse::<NodeId>().unwrap().as_str(), valid);
    }
    for (invalid, reason) in [
        ("", "begin"),
        ("toy.a", "begin"),
        ("rooted/toy.a", "begin"),
        ("root/", "empty"),
        ("root//toy.a", "empty"),
        (r#"root/toy.a["x"#, "no end"),
        (r#"root/toy.a["x""#, "no end"),
        ("root/toy.\n", "control"),
    ] {
        let error = invalid.parse::<NodeId>().unwrap_err().to_string();
        assert!(error.contains(reason), "{invalid}: {error}");
    }
}
