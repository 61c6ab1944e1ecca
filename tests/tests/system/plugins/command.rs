//! Tests of the command with plugins from a folder, and with plugins that a module names.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use converge_tests::{Said, converge, root, skip, states};
use serde_json::Value;

use super::fixture;

/// Creates a folder that no other user can change.
fn folder() -> tempfile::TempDir {
    fs::create_dir_all(states()).unwrap();
    tempfile::tempdir_in(states()).unwrap()
}

/// Creates a folder with the fixture as a plugin.
fn with_fixture() -> tempfile::TempDir {
    let folder = folder();
    fs::copy(fixture().path, folder.path().join("converge-plugin-fixture")).unwrap();
    folder
}

fn run(arguments: &[&str], folder: &Path) -> Said {
    let mut command = converge(arguments);
    command.current_dir(folder).env("CONVERGE_PLUGIN_PATH", folder);
    Said::from(command.output().unwrap())
}

#[track_caller]
fn says(said: &Said, code: i32, parts: &[&str]) {
    assert_eq!(said.code, Some(code), "{}", said.everything());
    for part in parts {
        assert!(said.everything().contains(part), "no {part:?} in {}", said.everything());
    }
}

#[test]
fn types_of_a_plugin_are_like_others_in_every_command() {
    let folder = with_fixture();
    let at = folder.path();
    let note = at.join("note");
    let module = format!(
        "fixture.note \"a\" {{\n  path = \"{0}\"\n  text = \"hello\"\n  on_change_of = [\"file.content.b\"]\n}}\n\nfile.content \"b\" {{\n  \
         destination = \"{0}.copy\"\n  content     = \"b\"\n}}\n",
        note.display()
    );
    fs::write(at.join("site.hcl"), module).unwrap();
    says(
        &run(&["plugins"], at),
        0,
        &["NAME", "fixture", "fixture.note, fixture.tour, fixture.trouble", "converge-plugin-fixture"],
    );
    let listed = run(&["plugins", "--format", "json"], at);
    let listed: Value = serde_json::from_str(listed.stdout.trim()).unwrap();
    assert_eq!(listed["name"], "fixture");
    assert_eq!(listed["sha256"].as_str().unwrap().len(), 64);
    says(&run(&["docs"], at), 0, &["fixture.note", "A file with a line."]);
    says(&run(&["docs", "fixture.note"], at), 0, &["an absolute path", "The content of the line."]);
    says(&run(&["validate", "site.hcl"], at), 0, &["1 file is valid"]);
    says(&run(&["graph", "site.hcl"], at), 0, &["fixture.note.a"]);
    says(&run(&["plan", "site.hcl"], at), 0, &["fixture.note.a", "hello"]);
    assert!(!note.exists());
    says(&run(&["healthcheck", "site.hcl"], at), 3, &["fixture.note.a"]);
    says(&run(&["apply", "site.hcl"], at), 0, &["written", "2 changed"]);
    assert_eq!(fs::read_to_string(&note).unwrap(), "hello\n");
    says(&run(&["apply", "site.hcl"], at), 0, &["2 unchanged"]);
    // Without the plugin the type is unknown.
    let mut without = converge(&["validate", "site.hcl"]);
    says(
        &Said::from(without.current_dir(at).output().unwrap()),
        1,
        &["unknown resource type `fixture.note`"],
    );
}

#[test]
fn mistakes_of_modules_are_found_by_the_types_of_a_plugin() {
    let folder = with_fixture();
    let at = folder.path();
    fs::write(
        at.join("site.hcl"),
        "fixture.note \"a\" {\n  path = \"note\"\n  txt  = \"hello\"\n  mode = \"9\"\n}\n",
    )
    .unwrap();
    let said = run(&["validate", "site.hcl"], at);
    insta::assert_snapshot!(said.everything());
}

#[test]
fn a_module_names_its_plugin_with_a_checksum() {
    let folder = folder();
    let at = folder.path();
    // The folder is writable by others, so the checksum must match.
    fs::create_dir(at.join("open")).unwrap();
    fs::set_permissions(at.join("open"), fs::Permissions::from_mode(0o777)).unwrap();
    fs::copy(fixture().path, at.join("open/plugin")).unwrap();
    let module = |sha256: &str| {
        let path = at.join("note");
        let text = format!(
            "plugin \"fix\" {{\n  source = \"./open/plugin\"\n  sha256 = \"{sha256}\"\n}}\n\nfixture.note \"a\" {{\n  path = \"{}\"\n}}\n",
            path.display()
        );
        fs::write(at.join("site.hcl"), text).unwrap();
    };
    let converge = |arguments: &[&str]| Said::from(converge(arguments).current_dir(at).output().unwrap());
    module(&"0".repeat(64));
    let refused = converge(&["plan", "site.hcl"]);
    says(&refused, 1, &["is another file than the module names", "site.hcl:1:1"]);
    let (_, found) = refused.stderr.split_once("write sha256 = \"").unwrap();
    module(&found[..64]);
    says(&converge(&["plugins", "site.hcl"]), 0, &["fix"]);
    says(&converge(&["validate", "site.hcl"]), 0, &["1 file is valid"]);
    says(&converge(&["apply", "site.hcl"]), 0, &["1 changed"]);
    assert_eq!(fs::read_to_string(at.join("note")).unwrap(), "nothing\n");
    // A called module may name the same plugin, but no other.
    fs::write(at.join("main.hcl"), "module \"site.hcl\" \"site\" {}\n").unwrap();
    says(&converge(&["plan", "main.hcl"]), 1, &["the plugin `fix` is not started by what is named here"]);
}

#[test]
fn a_check_changes_nothing_and_what_ends_is_named() {
    let folder = with_fixture();
    let at = folder.path();
    let check = |how: &str, command: &str, parts: &[&str]| {
        let module =
            format!("fixture.trouble \"it\" {{\n  how  = \"{how}\"\n  path = \"{}/x\"\n}}\n", at.display());
        fs::write(at.join("site.hcl"), module).unwrap();
        says(&run(&[command, "site.hcl"], at), 1, parts);
    };
    let refused =
        "the plugin `fixture` asked for `files.write` in check, which must change nothing: that was refused";
    check("write-in-check", "plan", &[refused]);
    check("write-in-check", "apply", &[refused]);
    assert!(!at.join("x").exists());
    check("panic", "plan", &["the fixture panics"]);
    check("exit", "plan", &["the plugin `fixture` ended with exit code 3"]);
    check("fail", "plan", &["looking at it: it is wrong"]);
    check("exit-in-apply", "apply", &["the plugin `fixture` ended with exit code 4"]);
    assert_eq!(fs::read_to_string(at.join("x")).unwrap(), "begun");
    // The next apply completes the remaining work.
    fs::write(
        at.join("site.hcl"),
        format!("fixture.trouble \"it\" {{\n  how  = \"no\"\n  path = \"{}/x\"\n}}\n", at.display()),
    )
    .unwrap();
    says(&run(&["apply", "site.hcl"], at), 0, &["1 changed"]);
    // The printed text of a resource is no message of the protocol.
    fs::write(at.join("site.hcl"), "fixture.trouble \"it\" { how = \"print\" }\n").unwrap();
    says(&run(&["plan", "site.hcl"], at), 0, &["1 unchanged"]);
}

/// Returns the plugin process that a process has started.
fn child_of(parent: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).ok()?;
    let of_tasks = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let all = of_tasks.chain([children]).collect::<Vec<_>>().join(" ");
    all.split_whitespace().next()?.parse().ok()
}

fn waits_until<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "it never came");
        std::thread::yield_now();
    }
}

fn is_alive(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

#[test]
fn kill_9_of_the_plugin_in_an_apply_and_of_its_host() {
    let folder = with_fixture();
    let at = folder.path();
    let module = format!(
        "fixture.trouble \"it\" {{\n  how  = \"hang-in-apply\"\n  path = \"{}/x\"\n}}\n",
        at.display()
    );
    fs::write(at.join("site.hcl"), module).unwrap();
    let start = || {
        drop(fs::remove_file(at.join("x")));
        let mut command = converge(&["apply", "site.hcl"]);
        command.current_dir(at).env("CONVERGE_PLUGIN_PATH", at);
        let host = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        waits_until(|| at.join("x").exists().then_some(()));
        let plugin = waits_until(|| child_of(host.id()));
        (host, plugin)
    };
    let kill = |process: u32| {
        assert!(Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success());
    };

    let (host, plugin) = start();
    kill(plugin);
    let said = Said::from(host.wait_with_output().unwrap());
    says(&said, 1, &["the plugin `fixture` was ended by signal 9"]);

    let (mut host, plugin) = start();
    kill(host.id());
    host.wait().unwrap();
    waits_until(|| (!is_alive(plugin)).then_some(()));
}

#[test]
fn the_plugin_in_python_is_run_as_its_file_says() {
    let test = "the_plugin_in_python_is_run_as_its_file_says";
    if Command::new("python3").arg("--version").output().is_err() {
        return skip(test, "there is no python3");
    }
    let folder = folder();
    let at = folder.path();
    let example = root().join("examples/plugin-python");
    for name in ["converge-plugin-greeting", "site.hcl"] {
        fs::copy(example.join(name), at.join(name)).unwrap();
    }
    let path = format!("path={}", at.join("greeting").display());
    says(&run(&["plugins"], at), 0, &["greeting", "1.0.0"]);
    says(&run(&["docs", "greeting"], at), 0, &["Who is greeted."]);
    says(&run(&["plan", "-p", &path, "site.hcl"], at), 0, &["greeting.you", "Hello, Ada!"]);
    assert!(!at.join("greeting").exists());
    says(&run(&["apply", "-p", &path, "site.hcl"], at), 0, &["greeted", "1 changed"]);
    assert_eq!(fs::read_to_string(at.join("greeting")).unwrap(), "Hello, Ada!\nHello, Ada!\n");
    says(&run(&["apply", "-p", &path, "site.hcl"], at), 0, &["1 unchanged"]);
    // An invalid field is reported at load time, and a secret is never shown.
    fs::write(at.join("bad.hcl"), "greeting \"a\" { path = \"/x\", times = 11 }").unwrap();
    says(&run(&["validate", "bad.hcl"], at), 1, &["out of range"]);
    let secret = format!("greeting \"a\" {{ path = \"{}/s\", secret = \"hunter22\" }}", at.display());
    fs::write(at.join("secret.hcl"), secret).unwrap();
    let said = run(&["apply", "secret.hcl"], at);
    says(&said, 0, &["(sensitive)"]);
    assert!(!said.everything().contains("hunter22"), "{}", said.everything());
    assert!(fs::read_to_string(at.join("s")).unwrap().contains("hunter22"));
}
