//! A crate outside of the workspace, with a resource of its own.

use std::fs;

use converge_tests::{programs, root};

#[test]
fn a_crate_with_one_dependency_has_a_resource_that_modules_use() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = root().join("tests/outside-crate");
    let core = root().join("converge-core").display().to_string();
    fs::create_dir(folder.path().join("src")).unwrap();
    // Not named Cargo.toml in the workspace, where cargo would take it for a member.
    let manifest = fs::read_to_string(fixture.join("manifest.toml")).unwrap().replace("@core@", &core);
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::copy(fixture.join("main.rs"), folder.path().join("src/main.rs")).unwrap();
    // The versions that the workspace has: this test needs no registry.
    fs::copy(root().join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();

    let output = converge_tests::cargo()
        .args(["run", "--quiet", "--offline"])
        .current_dir(folder.path())
        // Beside the build of the workspace, so that a second run builds nothing again.
        .env("CARGO_TARGET_DIR", programs().join("outside-crate"))
        .env("OUTSIDE_DIR", folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "marker.outside Changed\nmarker.outside Unchanged\n");
    assert_eq!(fs::read_to_string(folder.path().join("marker")).unwrap(), "made for outside\n");
}
