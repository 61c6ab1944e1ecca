//! Crates outside of the workspace, which a test runs.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use crate::cargo;
use crate::error::Error;

/// Tells the test which folder holds the programs.
pub(crate) const PROGRAMS: &str = "CONVERGE_TEST_OUTSIDE";

/// The folders in `tests/outside`, named as their packages.
const CRATES: [&str; 2] = ["one-dependency", "command"];

/// Builds the crates in `tests/outside`, each as a stranger would: in a folder that is not in the workspace, with paths to
/// what it depends on. Gives the folder that holds the programs.
pub(crate) fn build(target: &Path) -> Result<PathBuf, Error> {
    let root = cargo::root();
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    // The same path each time, so that cargo knows what it has built.
    let folder = env::temp_dir().join(format!("converge-outside-{:016x}", hasher.finish()));
    let target = target.join("outside");
    for name in CRATES {
        let (from, to) = (root.join("tests/outside").join(name), folder.join(name));
        let copy = |from: &Path, to: &Path| fs::copy(from, to).map_err(Error::at(from)).map(drop);
        let sources = to.join("src");
        fs::create_dir_all(&sources).map_err(Error::at(&sources))?;
        // Not named Cargo.toml in the workspace, where cargo would take it for a member.
        let manifest = from.join("manifest.toml");
        let text = fs::read_to_string(&manifest).map_err(Error::at(&manifest))?;
        let text = text.replace("@root@", &root.display().to_string());
        let manifest = to.join("Cargo.toml");
        fs::write(&manifest, text).map_err(Error::at(&manifest))?;
        copy(&from.join("main.rs"), &sources.join("main.rs"))?;
        copy(&root.join("tests/outside/marker.rs"), &sources.join("marker.rs"))?;
        // The versions that the workspace has, which are there already.
        copy(&root.join("Cargo.lock"), &to.join("Cargo.lock"))?;
        let mut build = cargo::command(&["build", "--quiet", "--offline", "--target-dir"]);
        build.arg(&target).current_dir(&to).env("CARGO_PROFILE_DEV_DEBUG", "0");
        cargo::run(build)?;
    }
    fs::remove_dir_all(&folder).map_err(Error::at(&folder))?;
    Ok(target.join("debug"))
}
