//! Tests that the documents of plans and reports match their published schema.

use std::fs;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_tests::{json_schema, root};
use serde_json::Value as Json;

fn schema() -> Json {
    let text = fs::read_to_string(root().join("docs/schema/plan.json")).expect("the schema is there");
    serde_json::from_str(&text).expect("it is JSON")
}

fn check(document: &impl serde::Serialize, label: &str) {
    let document = serde_json::to_value(document).expect("it can be written");
    assert_eq!(json_schema::problems(&schema(), &document), [""; 0], "{label}");
}

#[tokio::test]
async fn plans_of_the_sample_modules_fit_the_schema() {
    let registry = converge_resources::registry().expect("the built-in types fit together");
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let mut plan_count = 0;
    for entry in fs::read_dir(root().join("tests/modules")).expect("there are samples") {
        let module = entry.expect("it is a folder").path().join("main.hcl");
        let loaded = Loader::new(&registry).load_file(&module);
        // Samples with required parameters are skipped; the others are enough.
        let Ok(graph) = loaded.into_graph() else { continue };
        let plan = engine.make_plan(&graph).await.expect("it is no ring");
        check(&plan, &module.display().to_string());
        let text = serde_json::to_string(&plan).expect("it can be written");
        assert_eq!(Plan::from_json(&text).expect("it is read back"), plan, "{}", module.display());
        plan_count += plan.report.resources.len();
    }
    assert!(plan_count > 50, "only {plan_count} resources were planned");
}

#[tokio::test]
async fn reports_with_failures_fit_the_schema() {
    let folder = tempfile::tempdir().expect("there is a place");
    let registry = converge_resources::registry().expect("the built-in types fit together");
    let text = r#"
        param "to" { default = "FOLDER" }
        file.content "good" { destination = "{{param `to`}}/a" content = "x" }
        file.content "bad" { destination = "{{param `to`}}/a/b" content = "x" depends = ["file.content.good"] }
        task "never" { check = "false" apply = "true" depends = ["file.content.bad"] }
    "#;
    let text = text.replace("FOLDER", &folder.path().display().to_string());
    let graph =
        Loader::new(&registry).load_text("main.hcl", text.as_str()).into_graph().expect("it is right");
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let report = engine.apply_for_report(&graph).await.expect("it is no ring");
    check(&report, "an apply");
    assert_eq!((report.summary.changed, report.summary.skipped), (1, 1), "{report:?}");
    assert_eq!(report.summary.failed, 1);
}
