//! The messages for programs that use the engine in a wrong way: each file in `tests/ui` holds one mistake and is named for it, and
//! the `.stderr` beside it holds what the compiler says. What can only be seen when the program runs is below.
//!
//! The messages belong to the toolchain that `rust-version` names. After a change of it or of a message, write them anew
//! with `TRYBUILD=overwrite cargo test -p converge-core --all-features --test mistakes`, and read each changed file.

use std::sync::Arc;

use converge_core::prelude::embed::*;

#[test]
fn mistakes_of_embedders_are_explained_by_the_compiler() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

fn says(error: &impl std::fmt::Display, expect: &str) {
    assert!(error.to_string().contains(expect), "{error}");
}

#[test]
fn names_that_are_none_say_why() {
    says(&"task.build".parse::<NodeId>().unwrap_err(), "it does not begin with `root`");
    says(&"root/".parse::<NodeId>().unwrap_err(), "a part of it is empty");
    says(
        &"a tenant".parse::<Owner>().unwrap_err(),
        "\"a tenant\" cannot name an owner: ' ' is none of the letters",
    );
}

#[test]
fn a_module_with_mistakes_is_refused_with_its_places() {
    let registry = Registry::new().with_absent("docker.image", "the feature `docker`");
    let loaded =
        Loader::new(&registry).load_text("main.hcl", "docker.image \"x\" {}\nparam \"y\" { defalt = 1 }\n");
    let error = loaded.into_graph().unwrap_err();
    says(&error, "main.hcl:1:1");
    says(&error, "the feature `docker`");
    says(&error, "main.hcl:2:");
    says(&error, "default");
}

fn graph() -> Result<Arc<Graph>, LoadError> {
    let registry = Registry::new();
    Loader::new(&registry).load_text("main.hcl", "param \"port\" { default = 80 }\n").into_graph()
}

#[tokio::test]
async fn what_a_report_does_not_have_is_named() {
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let plan = engine.make_plan(&graph().unwrap()).await.unwrap();
    let id: NodeId = "root/task.build".parse().unwrap();
    let error = plan.report.export::<u64>(&id, "revision").unwrap_err();
    says(&error, "there is no resource root/task.build in the report");
}

#[tokio::test]
async fn a_plan_of_another_version_says_which_one_is_read() {
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let plan = engine.make_plan(&graph().unwrap()).await.unwrap();
    let mut document = serde_json::to_value(&plan).unwrap();
    document["version"] = "9.0".into();
    let error = Plan::from_json(&document.to_string()).unwrap_err();
    says(&error, "it has version 9.0 of the document");
}

/// What a panic says.
fn panics(wrong: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let Err(panic) = std::panic::catch_unwind(wrong) else { return String::new() };
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[test]
fn a_run_outside_of_a_runtime_says_what_is_missing() {
    let said = panics(|| drop(Engine::new(Arc::new(LocalSystem::new())).plan(&graph().unwrap()).spawn()));
    says(&said, "must be called from the context of a Tokio 1.x runtime");
}

#[tokio::test]
async fn a_run_that_blocks_in_a_runtime_says_what_is_wrong() {
    let said = panics(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // The runtime itself could not be dropped here either.
        let runtime = std::mem::ManuallyDrop::new(runtime);
        let engine = Engine::new(Arc::new(LocalSystem::new()));
        let _ = runtime.block_on(engine.plan(&graph().unwrap()).into_future());
    });
    says(&said, "Cannot start a runtime from within a runtime");
}
