//! Tests that the model host and this machine give equal answers to the scenarios.

use std::path::Path;
use std::process::Command;

use converge_core::system::LocalSystem;
use converge_tests::{Said, is_root, scenarios, skip};

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(work)
}

#[test]
fn on_the_model() {
    let (server, folder) = (scenarios::server(), Path::new("/srv/stories"));
    let model = scenarios::model(folder, &server);
    let lines = block_on(scenarios::run_all(&model, folder, &server, true));
    assert_eq!(scenarios::differences(&lines), "");
    assert!(lines.len() > 100, "{}", lines.len());
}

#[test]
fn in_a_folder_of_this_machine() {
    if !is_root() {
        return skip("stories in a folder", "owners are changed by root");
    }
    let (server, folder) = (scenarios::server(), tempfile::tempdir().expect("a folder"));
    let lines = block_on(scenarios::run_all(&LocalSystem::new(), folder.path(), &server, false));
    assert_eq!(scenarios::differences(&lines), "");
}

/// Runs on small disks in a mount namespace that ends with the program.
#[test]
fn on_disks_of_this_machine() {
    const TEST: &str = "stories on disks";
    if !is_root() {
        return skip(TEST, "mounting a disk needs root");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let run = |script: &str| -> Said {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", script]).current_dir(folder.path());
        command.env("STORIES", env!("CARGO_BIN_EXE_scenarios"));
        command.output().map_or_else(
            |error| Said { code: None, stdout: String::new(), stderr: error.to_string() },
            Said::from,
        )
    };
    let possible = run("mount -t tmpfs -o size=64k stories .");
    if possible.code != Some(0) {
        return skip(TEST, &format!("a disk cannot be mounted here: {}", possible.everything()));
    }
    let output = run(&format!("{}exec \"$STORIES\" \"$PWD\" disks", scenarios::DISKS));
    assert_eq!(output.code, Some(0), "{}", output.everything());
}
