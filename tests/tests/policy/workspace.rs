//! The files of the workspace and cargo's metadata, which the rules inspect.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use converge_tests::root;
use serde_json::Value;

/// Reads a text file by its path from the root.
pub(crate) fn read(path: &Path) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the workspace files that satisfy `wanted`, by their paths from the root, in order.
///
/// Folders that are not source are skipped: names that begin with a dot, and build output, which cargo marks
/// with a file.
pub(crate) fn files(is_match: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace is readable") {
            let entry = entry.expect("an entry is readable");
            let path = entry.path();
            if entry.file_type().expect("an entry has a type").is_dir() {
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                if !hidden && !path.join("CACHEDIR.TAG").exists() {
                    folders.push(path);
                }
            } else {
                let path = path.strip_prefix(root()).expect("it is inside").to_owned();
                if is_match(&path) {
                    paths.push(path);
                }
            }
        }
    }
    paths.sort();
    paths
}

/// Returns a cargo command at the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = converge_tests::cargo();
    command.args(arguments).current_dir(root());
    command
}

/// Returns the cargo metadata of the workspace.
pub(crate) fn metadata() -> Value {
    let output = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata writes JSON")
}

/// Fails if there are violations in `broken`, with advice.
#[track_caller]
pub(crate) fn none(broken: &BTreeSet<String>, rule: &str) {
    let list = broken.iter().fold(String::new(), |mut list, place| {
        let _ = write!(list, "\n  {place}");
        list
    });
    assert!(broken.is_empty(), "{rule}{list}\n");
}
