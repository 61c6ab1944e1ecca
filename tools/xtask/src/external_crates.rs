//! The build of crates outside of the workspace, which a test runs.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use crate::cargo;
use crate::error::Error;

/// The environment variable that tells the test the folder of the programs.
pub(crate) const PROGRAMS: &str = "CONVERGE_TEST_OUTSIDE";

/// The folders in `tests/external_crates`, named as their packages.
const CRATES: [&str; 5] = ["one-dependency", "command", "guide", "proto-types", "plugin"];

/// Builds the crates in `tests/external_crates` as a stranger would: in a folder that is not in the
/// workspace, with paths to what they depend on. They are a workspace of their own there, so that what
/// they share is built once. Gives the folder that holds the programs.
pub(crate) fn build(target: &Path) -> Result<PathBuf, Error> {
    let root = cargo::root();
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    // The path is always the same, so that cargo can reuse builds.
    let folder = env::temp_dir().join(format!("converge-outside-{:016x}", hasher.finish()));
    let target = target.join("outside");
    for name in CRATES {
        let (from, to) = (root.join("tests/external_crates").join(name), folder.join(name));
        let copy = |from: &Path, to: &Path| fs::copy(from, to).map_err(Error::at(from)).map(drop);
        for part in ["src", "proto"] {
            fs::create_dir_all(to.join(part)).map_err(Error::at(&to))?;
        }
        for entry in fs::read_dir(&from).map_err(Error::at(&from))? {
            let file = entry.map_err(Error::at(&from))?.path();
            let Some(file_name) = file.file_name() else { continue };
            if file_name == "manifest.toml" {
                // The manifest has another name in this repository, because cargo would take it for a member
                // of the workspace.
                let text = fs::read_to_string(&file).map_err(Error::at(&file))?;
                let text = text.replace("@root@", &root.display().to_string());
                let manifest = to.join("Cargo.toml");
                fs::write(&manifest, text).map_err(Error::at(&manifest))?;
            } else {
                copy(&file, &to.join(part_of(&file)).join(file_name))?;
            }
        }
        copy(&root.join("tests/external_crates/marker.rs"), &to.join("src/marker.rs"))?;
    }
    let manifest = folder.join("Cargo.toml");
    let text = format!("[workspace]\nresolver = \"3\"\nmembers = {CRATES:?}\n");
    fs::write(&manifest, text).map_err(Error::at(&manifest))?;
    // The locked versions of the workspace are already on this machine.
    let lock = folder.join("Cargo.lock");
    fs::copy(root.join("Cargo.lock"), &lock).map_err(Error::at(&lock))?;
    let mut build = cargo::command(&["build", "--quiet", "--offline", "--workspace", "--target-dir"]);
    build.arg(&target).current_dir(&folder).env("CARGO_PROFILE_DEV_DEBUG", "0");
    cargo::run(build)?;
    fs::remove_dir_all(&folder).map_err(Error::at(&folder))?;
    Ok(target.join("debug"))
}

/// Returns the folder of a file inside its crate.
fn part_of(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("proto") => "proto",
        _ if file.ends_with("build.rs") => "",
        _ => "src",
    }
}
