//! Rules about the examples: each is found by cargo, runs as it stands, and ends well.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{files, metadata, none, programs, root};

/// The examples that cargo knows: name and file.
pub(crate) fn examples() -> BTreeMap<String, PathBuf> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list");
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().expect("a list"));
    let examples = targets.filter(|target| target["kind"][0] == "example").map(|target| {
        let path = Path::new(target["src_path"].as_str().expect("a path"));
        let path = path.strip_prefix(root()).expect("it is inside the workspace");
        (target["name"].as_str().expect("a name").to_owned(), path.to_owned())
    });
    examples.collect()
}

#[test]
fn every_example_is_registered() {
    let registered: BTreeSet<PathBuf> = examples().into_values().collect();
    let missing = files(|path| {
        let rust = path.extension().is_some_and(|extension| extension == "rs");
        let parts: Vec<_> = path.iter().collect();
        // `examples/lesson.rs`, `examples/examples/lesson.rs`, or a folder with a `main.rs`; the rest are modules.
        let lesson = parts.len() <= 3 || path.ends_with("main.rs");
        rust && lesson && parts[0] == "examples" && parts[1] != "src" && !registered.contains(path)
    });
    let missing = missing.iter().map(|path| path.display().to_string()).collect();
    none(&missing, "cargo does not know these files as examples; name them in examples/Cargo.toml");
}

#[test]
fn every_example_runs() {
    let folder = programs().join("examples");
    let mut broken = BTreeSet::new();
    for name in examples().into_keys() {
        let output = Command::new(folder.join(&name)).current_dir(root()).output();
        match output {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                broken.insert(format!("{name}: {}\n{error}", output.status));
            }
            Err(error) => {
                broken.insert(format!("{name}: {error}"));
            }
        }
    }
    none(&broken, "an example runs without arguments and ends with success: cargo run --example NAME");
}
