//! Modules in files, and commands on them.

use std::fs;
use std::path::Path;

use converge_tests::{Said, run, states};
use tempfile::TempDir;

/// A temporary folder that nobody else can write to, so that a state may be in it.
pub(crate) fn private() -> TempDir {
    let states = states();
    fs::create_dir_all(&states).unwrap();
    tempfile::tempdir_in(states).unwrap()
}

/// Writes a module into `folder` and gives its path.
pub(crate) fn module(folder: &Path, text: &str) -> String {
    let path = folder.join("module.hcl");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Runs a command on a module in `folder`.
pub(crate) fn converge(folder: &Path, arguments: &[&str], text: &str) -> Said {
    let path = module(folder, text);
    let mut all = arguments.to_vec();
    all.push(&path);
    run(&all)
}
