//! A target that changes real modules: lines and words are deleted, repeated, moved and inserted.
//!
//! Most of these texts are nearly valid, which random bytes rarely are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use converge_core::testing::mutate::mutated;

use super::{format, load, parse};

/// The inserted texts.
const PIECES: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "=",
    ",",
    "\"",
    "\n",
    "#",
    "/*",
    "*/",
    "<<EOF\n",
    "EOF\n",
    "{{",
    "}}",
    "${",
    "\\",
    "param",
    "lookup",
    "depends = [\"task.a\"]",
    " ? ",
    " : ",
    "for x in ",
    "each.key",
    "0",
    "-",
    "\r\n",
    ".",
    "é",
    "case \"x\" {",
];

pub(crate) fn run(bytes: &[u8]) {
    static MODULES: LazyLock<Vec<String>> = LazyLock::new(modules);
    let mut bytes = bytes.iter().copied();
    let module = usize::from(bytes.next().unwrap_or(0)) % MODULES.len().max(1);
    let Some(module) = MODULES.get(module) else { return };
    let text = mutated(module, &PIECES, bytes);
    parse::check(&text);
    format::check(&text);
    load::check(&text);
}

/// Returns the modules of the system tests.
fn modules() -> Vec<String> {
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/modules"))];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "hcl") {
                files.push(path);
            }
        }
    }
    // With a fixed order, the same input gives the same text on every machine.
    files.sort();
    let read = |path: &PathBuf| fs::read_to_string(Path::new(path)).ok();
    files.iter().filter_map(read).collect()
}
