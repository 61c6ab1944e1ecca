//! The whole system, from outside: the command, real files, real owners.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod crash;
mod host;
mod interrupt;
mod language;
mod mistakes;
mod modules;
mod one_mistake;
mod outside;
mod owner;
mod readme;
mod refresh;
mod secrets;

use std::fs;
use std::path::Path;

use converge_tests::{Said, run};

/// Writes a module into `folder` and gives its path.
fn module(folder: &Path, text: &str) -> String {
    let path = folder.join("module.hcl");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Runs a command on a module in `folder`.
fn converge(folder: &Path, arguments: &[&str], text: &str) -> Said {
    let path = module(folder, text);
    let mut all = arguments.to_vec();
    all.push(&path);
    run(&all)
}

/// The JSON events of a run.
fn events(said: &Said) -> Vec<serde_json::Value> {
    said.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// The report of a resource in a run.
fn report<'a>(events: &'a [serde_json::Value], id: &str) -> &'a serde_json::Value {
    let id = format!("root/{id}");
    events
        .iter()
        .find(|event| event["event"] == "resource-finished" && event["id"] == *id)
        .unwrap_or_else(|| panic!("no report of {id} in {events:#?}"))
}
