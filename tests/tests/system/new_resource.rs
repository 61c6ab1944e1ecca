//! Tests of `converge new resource` and `converge new module`.
//!
//! The results are formatted, compile outside of the workspace without warnings, pass their tests, and work
//! as described.

use std::fs;
use std::path::{Path, PathBuf};

use converge_tests::{Said, converge, root, skip, states};

use super::new_controller::{Folder, PROGRAMS, clippy};

fn new(kind: &str, name: &str, folder: &Path, extra: &[&str]) -> Said {
    let mut command = converge(&["new", kind, name, "--path"]);
    Said::from(command.arg(folder).args(extra).output().expect("it starts"))
}

/// Creates a new crate with the locked versions of the workspace, which are already on this machine.
fn new_resource(name: &str, folder: &Folder) -> PathBuf {
    let path = folder.path().join(name);
    new("resource", name, &path, &["--source", root().to_str().expect("it is UTF-8")]).success();
    fs::copy(root().join("Cargo.lock"), path.join("Cargo.lock")).expect("it is copied");
    path
}

#[test]
fn a_new_resource_is_tested_and_used() {
    let test = "new_resource::a_new_resource_is_tested_and_used";
    let Some(programs) = std::env::var_os(PROGRAMS).map(PathBuf::from) else {
        return skip(test, "what crates outside of the workspace need is built by `cargo xtask test`");
    };
    let folder = Folder::new("resource");
    let path = new_resource("web-banner", &folder);
    let target = programs.parent().expect("the folder of all programs");
    let output = Said::from(clippy(&["test"], &path, target).output().unwrap());
    assert_eq!(output.code, Some(0), "{}", output.everything());
    let passed = [
        "resource::tests::laws::check_changes_nothing",
        "resource::tests::laws::a_stopped_apply_is_finished_by_the_next",
        "resource::tests::another_text_is_replaced",
        "nothing_is_said_of_what_is_right",
        "mistakes_are_said_with_their_places",
    ];
    for name in passed {
        assert!(output.everything().contains(&format!("test {name} ... ok\n")), "{}", output.everything());
    }

    // The steps of the generated README.
    let state = states().join("web-banner");
    let run = |arguments: &[&str]| {
        let mut cargo = clippy(&["run", "--quiet", "--features", "command"], &path, target);
        cargo.arg("--").args(arguments).env("CONVERGE_STATE_DIR", &state).env("TMPDIR", folder.path());
        Said::from(cargo.output().unwrap()).success()
    };
    let docs = run(&["docs", "web_banner"]).stdout;
    assert!(docs.contains("Text of the file.") && docs.contains("/etc/welcome.txt"), "{docs}");
    assert!(run(&["plan", "samples/right.hcl"]).everything().contains("web_banner.welcome  will change"));
    let apply = || run(&["apply", "-p", "who=Ada", "samples/right.hcl"]).everything();
    assert!(apply().contains("1 changed"));
    assert!(apply().contains("0 changed"));
    assert_eq!(fs::read_to_string(folder.path().join("web-banner.txt")).unwrap(), "Hello, Ada!\n");
}

#[test]
fn a_new_resource_is_formatted_whatever_it_is_called() {
    let folder = Folder::new("formatted");
    for name in ["ab", "web-banner", &format!("a{}", "-long-name".repeat(3)), &"a".repeat(40)] {
        let path = new_resource(name, &folder);
        let output =
            Said::from(converge_tests::cargo().args(["fmt", "--check"]).current_dir(&path).output().unwrap());
        assert_eq!(output.code, Some(0), "{name}: {}", output.everything());
    }
}

#[test]
fn what_reaches_around_the_system_is_named() {
    let test = "new_resource::what_reaches_around_the_system_is_named";
    let Some(programs) = std::env::var_os(PROGRAMS).map(PathBuf::from) else {
        return skip(test, "what crates outside of the workspace need is built by `cargo xtask test`");
    };
    let folder = Folder::new("around");
    let path = new_resource("web-banner", &folder);
    let source = path.join("src/resource.rs");
    let before = fs::read_to_string(&source).unwrap();
    let changed =
        before.replace("files.remove_file(path).await?", "std::fs::remove_file(&self.path).unwrap_or(())");
    assert_ne!(before, changed);
    fs::write(&source, changed).unwrap();
    let target = programs.parent().expect("the folder of all programs");
    let output = Said::from(clippy(&["check"], &path, target).output().unwrap());
    assert_ne!(output.code, Some(0));
    for phrase in ["use of a disallowed method `std::fs::remove_file`", "use cx.system().files()"] {
        assert!(output.everything().contains(phrase), "no {phrase:?} in {}", output.everything());
    }
}

#[test]
fn a_name_that_modules_have_is_refused() {
    let folder = Folder::new("taken");
    for (name, expect) in [
        ("module", "`module` is already a name in modules"),
        ("unarchive", "`unarchive` is already a name in modules"),
        ("param", "`param` is already a name in modules"),
        ("status", "`Status` is the name of something that the new crate uses"),
        ("converge-core", "is a word of Rust, or the name of a crate that is needed"),
    ] {
        let output = new("resource", name, &folder.path().join("x"), &["--git", "https://example.org"]);
        assert_eq!(output.code, Some(1), "{name}");
        assert!(output.stderr.contains(expect), "no {expect:?} in {}", output.stderr);
    }
    // The names on crates.io belong to others, so there is no default source.
    let output = new("resource", "web-banner", &folder.path().join("x"), &[]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("--source <DIR>|--git <URL>|--registry <NAME>"), "{}", output.stderr);
    assert!(!folder.path().join("x").exists());
}

#[test]
fn a_new_module_is_used_as_it_says() {
    let folder = Folder::new("module");
    let path = folder.path().join("web-site");
    new("module", "web-site", &path, &[]).success();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = converge(arguments);
        command.current_dir(&path).env("CONVERGE_STATE_DIR", states().join("web-site"));
        Said::from(command.env("TMPDIR", &temporary).output().unwrap())
    };
    run(&["fmt", "--check", "main.hcl", "samples/site.hcl", "samples/wrong.hcl"]).success();
    run(&["validate", "samples/site.hcl"]).success();
    let output = run(&["validate", "samples/wrong.hcl"]);
    assert_eq!(output.code, Some(1));
    for phrase in ["parameter `folder`: the folder begins with /", "main.hcl has no parameter `whom`"] {
        assert!(output.stderr.contains(phrase), "no {phrase:?} in {}", output.stderr);
    }
    assert!(run(&["apply", "samples/site.hcl"]).success().everything().contains("2 changed"));
    assert!(run(&["apply", "samples/site.hcl"]).success().everything().contains("0 changed"));
    assert_eq!(fs::read_to_string(temporary.join("web-site/greeting.txt")).unwrap(), "Hello, Ada!\n");
}
