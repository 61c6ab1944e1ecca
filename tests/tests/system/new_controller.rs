//! Tests of `converge new controller`.
//!
//! The result compiles outside of the workspace without warnings, and its tests pass with each store.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use converge_tests::etcd::Etcd;
use converge_tests::{Said, converge, root, skip};

/// The environment variable with the folder of the programs of external crates.
///
/// Cargo keeps their dependencies next to it.
pub(super) const PROGRAMS: &str = "CONVERGE_TEST_OUTSIDE";

#[test]
fn a_new_controller_passes_its_tests_over_each_store() {
    let test = "a_new_controller_passes_its_tests_over_each_store";
    let Some(programs) = std::env::var_os(PROGRAMS).map(PathBuf::from) else {
        return skip(test, "what crates outside of the workspace need is built by `cargo xtask test`");
    };
    let Some(etcd) = Etcd::start() else {
        return skip(test, "there is no etcd (apt-get install etcd-server)");
    };
    let folder = Folder::new("controller");
    let crate_folder = folder.0.join("music-label");
    let mut new = converge(&["new", "controller", "music-label", "--path"]);
    new.arg(&crate_folder).arg("--source").arg(root());
    assert_eq!(Said::from(new.output().unwrap()).code, Some(0));
    // The locked versions of the workspace are already on this machine.
    fs::copy(root().join("Cargo.lock"), crate_folder.join("Cargo.lock")).unwrap();

    let target = programs.parent().expect("the folder of all programs");
    let mut cargo = clippy(&["test", "--features", "etcd"], &crate_folder, target);
    cargo.env("ETCD_ENDPOINTS", &etcd.address);
    let output = Said::from(cargo.output().unwrap());
    assert_eq!(output.code, Some(0), "{}", output.everything());
    let passed = [
        "controller::tests::parts_are_made_once",
        "types::tests::everything_that_is_wrong_is_said",
        "memory::lifecycle",
        "memory::one_shot",
        "redb::lifecycle",
        "redb::one_shot_with_a_restart",
        "etcd::lifecycle",
        "etcd::one_shot_with_another_server",
    ];
    for name in passed {
        assert!(output.everything().contains(&format!("test {name} ... ok\n")), "{}", output.everything());
    }
}

/// Creates a `cargo clippy` command for a folder.
///
/// Clippy compiles like rustc and reports more.
pub(super) fn clippy(arguments: &[&str], folder: &Path, target: &Path) -> Command {
    let mut cargo = converge_tests::cargo();
    cargo.args(arguments).arg("--offline").arg("--target-dir").arg(target).current_dir(folder);
    cargo.env("RUSTC_WORKSPACE_WRAPPER", Path::new(env!("CARGO")).with_file_name("clippy-driver"));
    cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
    cargo
}

/// A fixed folder outside of the workspace, so that cargo can reuse builds.
///
/// It is removed on drop.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(test: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        root().hash(&mut hasher);
        let folder = std::env::temp_dir().join(format!("converge-new-{test}-{:016x}", hasher.finish()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
