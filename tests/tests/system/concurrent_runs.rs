//! Tests of concurrent runs of one module.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_tests::{converge, with_default_signals};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::run::private;

const RUNS: usize = 40;
const PROCESSES: usize = 8;

/// A file with other content, a folder with files, and a task that must not run twice.
const MODULE: &str = r#"
file.content "page" {
  destination = "DIR/page"
  content     = "one page\n"
  mode        = "0640"
}
file.directory "parts" { destination = "DIR/parts" }
file.content "part" {
  for_each    = toset(["a", "b", "c", "d"])
  destination = "DIR/parts/{{each.key}}"
  content     = "part\n"
}
task "count" {
  check = "test -e DIR/counted"
  apply = "echo once >> DIR/count; touch DIR/counted"
}
"#;

fn site() -> TempDir {
    let folder = private();
    let text = MODULE.replace("DIR", &folder.path().display().to_string());
    fs::write(folder.path().join("main.hcl"), text).unwrap();
    fs::write(folder.path().join("page"), "another page\n").unwrap();
    folder
}

fn is_converged(folder: &Path) {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("page"), "one page\n");
    for part_name in ["a", "b", "c", "d"] {
        assert_eq!(read(&format!("parts/{part_name}")), "part\n");
    }
    let names: Vec<_> = fs::read_dir(folder.join("parts")).unwrap().collect();
    assert_eq!(names.len(), 4, "nothing is left behind: {names:?}");
}

/// Starts all runs at once on all processors.
fn apply_at_once(engine: &Engine, folder: &Path) -> Vec<Summary> {
    let registry = converge_resources::registry().unwrap();
    let graph = Loader::new(&registry).load_file(&folder.join("main.hcl")).into_graph().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut runs = JoinSet::new();
        for _ in 0..RUNS {
            let (engine, graph) = (engine.clone(), Arc::clone(&graph));
            runs.spawn(async move { engine.apply(&graph).await.unwrap() });
        }
        runs.join_all().await
    })
}

#[test]
fn applies_of_one_process_with_a_state_come_one_after_the_other() {
    let folder = site();
    let state = State::create(folder.path().join("state")).unwrap();
    let engine = Engine::new(Arc::new(LocalSystem::new())).with_state_folder(state.clone());
    let summaries = apply_at_once(&engine, folder.path());
    assert_eq!(summaries.iter().filter(|summary| summary.changed > 0).count(), 1, "{summaries:?}");
    assert!(summaries.iter().all(|summary| summary.failed == 0), "{summaries:?}");
    is_converged(folder.path());
    assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap(), "once\n");
    assert_eq!(state.holder(), None);
}

#[test]
fn applies_of_one_process_without_a_state_end_converged_too() {
    let folder = site();
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let summaries = apply_at_once(&engine, folder.path());
    assert!(summaries.iter().all(|summary| summary.failed == 0), "{summaries:?}");
    is_converged(folder.path());
}

/// A graph does not need the text from which it was loaded.
#[test]
fn a_graph_is_run_again_and_again_without_its_text() {
    let folder = site();
    let registry = converge_resources::registry().unwrap();
    let module = folder.path().join("main.hcl");
    let graph = Loader::new(&registry).load_file(&module).into_graph().unwrap();
    fs::remove_file(module).unwrap();
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let outcomes = async || {
            let plan = engine.make_plan(&graph).await.unwrap();
            let resources = plan.report.resources;
            resources.into_iter().map(|resource| (resource.id, resource.outcome)).collect::<Vec<_>>()
        };
        let first = outcomes().await;
        assert!(first.iter().any(|(_, outcome)| *outcome == Outcome::WillChange), "{first:?}");
        assert_eq!(outcomes().await, first);
        let summary = engine.apply(&graph).await.unwrap();
        assert_eq!((summary.failed, summary.unchanged), (0, 0), "{summary:?}");
        let last = outcomes().await;
        assert!(last.iter().all(|(_, outcome)| *outcome == Outcome::Unchanged), "{last:?}");
    });
    is_converged(folder.path());
}

#[test]
fn applies_of_many_processes_come_one_after_the_other() {
    let folder = site();
    let apply = || {
        let mut command = converge(&["apply", "--format", "json", "main.hcl"]);
        let command =
            command.current_dir(folder.path()).env("CONVERGE_STATE_DIR", folder.path().join("state"));
        with_default_signals(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let processes: Vec<_> = (0..PROCESSES).map(|_| apply()).collect();
    let outputs: Vec<_> = processes.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for output in &outputs {
        assert!(output.status.success(), "{output:?}");
    }
    let changed = |output: &&std::process::Output| {
        String::from_utf8_lossy(&output.stdout).contains("\"outcome\":\"changed\"")
    };
    assert_eq!(outputs.iter().filter(changed).count(), 1, "{outputs:?}");
    is_converged(folder.path());
    assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap(), "once\n");
}
