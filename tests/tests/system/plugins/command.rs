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
fn says(output: &Said, code: i32, parts: &[&str]) {
    assert_eq!(output.code, Some(code), "{}", output.everything());
    for phrase in parts {
        assert!(output.everything().contains(phrase), "no {phrase:?} in {}", output.everything());
    }
}

#[test]
fn types_of_a_plugin_are_like_others_in_every_command() {
    let folder = with_fixture();
    let folder_path = folder.path();
    let note = folder_path.join("note");
    let module = format!(
        "fixture.note \"a\" {{\n  path = \"{0}\"\n  text = \"hello\"\n  on_change_of = [\"file.content.b\"]\n}}\n\nfile.content \"b\" {{\n  \
         destination = \"{0}.copy\"\n  content     = \"b\"\n}}\n",
        note.display()
    );
    fs::write(folder_path.join("site.hcl"), module).unwrap();
    says(
        &run(&["plugins"], folder_path),
        0,
        &["NAME", "fixture", "fixture.note, fixture.tour, fixture.trouble", "converge-plugin-fixture"],
    );
    let listed = run(&["plugins", "--format", "json"], folder_path);
    let listed: Value = serde_json::from_str(listed.stdout.trim()).unwrap();
    assert_eq!(listed["name"], "fixture");
    assert_eq!(listed["sha256"].as_str().unwrap().len(), 64);
    says(&run(&["docs"], folder_path), 0, &["fixture.note", "A file with a line."]);
    says(&run(&["docs", "fixture.note"], folder_path), 0, &["an absolute path", "The content of the line."]);
    says(&run(&["validate", "site.hcl"], folder_path), 0, &["1 file is valid"]);
    says(&run(&["graph", "site.hcl"], folder_path), 0, &["fixture.note.a"]);
    says(&run(&["plan", "site.hcl"], folder_path), 0, &["fixture.note.a", "hello"]);
    assert!(!note.exists());
    says(&run(&["healthcheck", "site.hcl"], folder_path), 3, &["fixture.note.a"]);
    says(&run(&["apply", "site.hcl"], folder_path), 0, &["written", "2 changed"]);
    assert_eq!(fs::read_to_string(&note).unwrap(), "hello\n");
    says(&run(&["apply", "site.hcl"], folder_path), 0, &["2 unchanged"]);
    // Without the plugin the type is unknown.
    let mut without_plugin = converge(&["validate", "site.hcl"]);
    says(
        &Said::from(without_plugin.current_dir(folder_path).output().unwrap()),
        1,
        &["unknown resource type `fixture.note`"],
    );
}

#[test]
fn mistakes_of_modules_are_found_by_the_types_of_a_plugin() {
    let folder = with_fixture();
    let folder_path = folder.path();
    fs::write(
        folder_path.join("site.hcl"),
        "fixture.note \"a\" {\n  path = \"note\"\n  txt  = \"hello\"\n  mode = \"9\"\n}\n",
    )
    .unwrap();
    let output = run(&["validate", "site.hcl"], folder_path);
    insta::assert_snapshot!(output.everything());
}

#[test]
fn a_module_names_its_plugin_with_a_checksum() {
    let folder = folder();
    let folder_path = folder.path();
    // The folder is writable by others, so the checksum must match.
    fs::create_dir(folder_path.join("open")).unwrap();
    fs::set_permissions(folder_path.join("open"), fs::Permissions::from_mode(0o777)).unwrap();
    fs::copy(fixture().path, folder_path.join("open/plugin")).unwrap();
    let module = |sha256: &str| {
        let path = folder_path.join("note");
        let text = format!(
            "plugin \"fix\" {{\n  source = \"./open/plugin\"\n  sha256 = \"{sha256}\"\n}}\n\nfixture.note \"a\" {{\n  path = \"{}\"\n}}\n",
            path.display()
        );
        fs::write(folder_path.join("site.hcl"), text).unwrap();
    };
    let converge =
        |arguments: &[&str]| Said::from(converge(arguments).current_dir(folder_path).output().unwrap());
    module(&"0".repeat(64));
    let refused = converge(&["plan", "site.hcl"]);
    says(&refused, 1, &["does not match its hash", "site.hcl:1:1"]);
    let (_, checksum) = refused.stderr.split_once("write sha256 = \"").unwrap();
    module(&checksum[..64]);
    says(&converge(&["plugins", "site.hcl"]), 0, &["fix"]);
    says(&converge(&["validate", "site.hcl"]), 0, &["1 file is valid"]);
    says(&converge(&["apply", "site.hcl"]), 0, &["1 changed"]);
    assert_eq!(fs::read_to_string(folder_path.join("note")).unwrap(), "nothing\n");
    // A called module may name the same plugin, but no other.
    fs::write(folder_path.join("main.hcl"), "module \"site.hcl\" \"site\" {}\n").unwrap();
    says(&converge(&["plan", "main.hcl"]), 1, &["the plugin `fix` is not started from this module"]);
}

#[test]
fn a_check_changes_nothing_and_what_ends_is_named() {
    let folder = with_fixture();
    let folder_path = folder.path();
    let check = |how: &str, command: &str, parts: &[&str]| {
        let module = format!(
            "fixture.trouble \"it\" {{\n  how  = \"{how}\"\n  path = \"{}/x\"\n}}\n",
            folder_path.display()
        );
        fs::write(folder_path.join("site.hcl"), module).unwrap();
        says(&run(&[command, "site.hcl"], folder_path), 1, parts);
    };
    let refused = "the plugin `fixture` requested `files.write` in check, which must not change anything: that was refused";
    check("write-in-check", "plan", &[refused]);
    check("write-in-check", "apply", &[refused]);
    assert!(!folder_path.join("x").exists());
    check("panic", "plan", &["the fixture panics"]);
    check("exit", "plan", &["the plugin `fixture` ended with exit code 3"]);
    check("fail", "plan", &["looking at it: it is wrong"]);
    check("exit-in-apply", "apply", &["the plugin `fixture` ended with exit code 4"]);
    assert_eq!(fs::read_to_string(folder_path.join("x")).unwrap(), "begun");
    // The next apply completes the remaining work.
    fs::write(
        folder_path.join("site.hcl"),
        format!("fixture.trouble \"it\" {{\n  how  = \"no\"\n  path = \"{}/x\"\n}}\n", folder_path.display()),
    )
    .unwrap();
    says(&run(&["apply", "site.hcl"], folder_path), 0, &["1 changed"]);
    // The printed text of a resource is not a message of the protocol.
    fs::write(folder_path.join("site.hcl"), "fixture.trouble \"it\" { how = \"print\" }\n").unwrap();
    says(&run(&["plan", "site.hcl"], folder_path), 0, &["1 unchanged"]);
}

/// Returns the plugin process that a process has started.
fn child_of(parent: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).ok()?;
    let of_tasks = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let processes = of_tasks.chain([children]).collect::<Vec<_>>().join(" ");
    processes.split_whitespace().next()?.parse().ok()
}

fn waits_until<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(item) = poll() {
            return item;
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
    let folder_path = folder.path();
    let module = format!(
        "fixture.trouble \"it\" {{\n  how  = \"hang-in-apply\"\n  path = \"{}/x\"\n}}\n",
        folder_path.display()
    );
    fs::write(folder_path.join("site.hcl"), module).unwrap();
    let start = || {
        drop(fs::remove_file(folder_path.join("x")));
        let mut command = converge(&["apply", "site.hcl"]);
        command.current_dir(folder_path).env("CONVERGE_PLUGIN_PATH", folder_path);
        let host = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        waits_until(|| folder_path.join("x").exists().then_some(()));
        let plugin = waits_until(|| child_of(host.id()));
        (host, plugin)
    };
    let kill = |process: u32| {
        assert!(Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success());
    };

    let (host, plugin) = start();
    kill(plugin);
    let output = Said::from(host.wait_with_output().unwrap());
    says(&output, 1, &["the plugin `fixture` was ended by signal 9"]);

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
    let folder_path = folder.path();
    let example = root().join("examples/plugin-python");
    for name in ["converge-plugin-greeting", "site.hcl"] {
        fs::copy(example.join(name), folder_path.join(name)).unwrap();
    }
    let path = format!("path={}", folder_path.join("greeting").display());
    says(&run(&["plugins"], folder_path), 0, &["greeting", "1.0.0"]);
    says(&run(&["docs", "greeting"], folder_path), 0, &["Who is greeted."]);
    says(&run(&["plan", "-p", &path, "site.hcl"], folder_path), 0, &["greeting.you", "Hello, Ada!"]);
    assert!(!folder_path.join("greeting").exists());
    says(&run(&["apply", "-p", &path, "site.hcl"], folder_path), 0, &["greeted", "1 changed"]);
    assert_eq!(fs::read_to_string(folder_path.join("greeting")).unwrap(), "Hello, Ada!\nHello, Ada!\n");
    says(&run(&["apply", "-p", &path, "site.hcl"], folder_path), 0, &["1 unchanged"]);
    // An invalid field is reported at load time, and a secret is never shown.
    fs::write(folder_path.join("bad.hcl"), "greeting \"a\" { path = \"/x\", times = 11 }").unwrap();
    says(&run(&["validate", "bad.hcl"], folder_path), 1, &["out of range"]);
    let secret =
        format!("greeting \"a\" {{ path = \"{}/s\", secret = \"hunter22\" }}", folder_path.display());
    fs::write(folder_path.join("secret.hcl"), secret).unwrap();
    let output = run(&["apply", "secret.hcl"], folder_path);
    says(&output, 0, &["(sensitive)"]);
    assert!(!output.everything().contains("hunter22"), "{}", output.everything());
    assert!(fs::read_to_string(folder_path.join("s")).unwrap().contains("hunter22"));
}
