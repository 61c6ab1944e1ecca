//! Helpers that write modules to files and run commands on them.

use std::fs;
use std::path::Path;

use converge_tests::{Said, run, states};
use tempfile::TempDir;

/// Creates a temporary folder that is not writable by others, so that it may contain a state.
pub(crate) fn private() -> TempDir {
    let states = states();
    fs::create_dir_all(&states).unwrap();
    tempfile::tempdir_in(states).unwrap()
}

/// Writes a module to `folder` and returns its path.
pub(crate) fn module(folder: &Path, text: &str) -> String {
    let path = folder.join("module.hcl");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Runs a command on a module in `folder`.
pub(crate) fn converge(folder: &Path, arguments: &[&str], text: &str) -> Said {
    let path = module(folder, text);
    let mut all_arguments = arguments.to_vec();
    all_arguments.push(&path);
    run(&all_arguments)
}
