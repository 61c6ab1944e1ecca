//! The whole system, from outside: the command, real files, real owners.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod crash;
mod https;
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
