//! Tests of what the documents of this crate claim about its tests.

mod consul;
mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

fn manifest() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the texts between backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns the names of all functions of this crate, and of other tests that its documents name.
fn functions() -> io::Result<BTreeSet<String>> {
    let folders = [
        "src",
        "tests",
        "../converge-derive/src/stored_types",
        "../converge-server/src",
        "../examples/labels/src",
        "../examples/labels/tests",
        "../tests/tests/policy",
    ];
    let mut names = BTreeSet::new();
    for folder in folders {
        add_functions(&manifest().join(folder), &mut names)?;
    }
    Ok(names)
}

fn add_functions(folder: &Path, functions: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            add_functions(&path, functions)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let names = text.split("fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next());
            functions.extend(names.map(str::to_owned));
        }
    }
    Ok(())
}
