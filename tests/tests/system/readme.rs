//! Tests of the commands in the README and of the modules in `examples`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use converge_tests::documents::{blocks, commands};
use converge_tests::{Said, converge, is_root, programs, root, run, skip};

use crate::run::private;

/// Applies an example twice in a temporary folder; the second apply must have nothing to do.
#[track_caller]
fn apply(folder: &Path, example: &str, params: &[&str]) -> String {
    let apply = || {
        let output = converge(&["apply", "--color", "never"])
            .args(params)
            .arg(root().join("examples").join(example))
            .env("TMPDIR", folder)
            .env("HOME", folder.join("home"))
            .current_dir(root())
            .output()
            .unwrap();
        let report = Said::from(output);
        assert_eq!(report.code, Some(0), "{report:?}");
        report.stdout
    };
    let first = apply();
    let second = apply();
    assert!(second.contains("0 changed"), "{second}");
    first
}

#[test]
fn the_first_command_makes_its_files_and_has_nothing_to_do_the_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = apply(folder.path(), "hello.hcl", &[]);
    let greeting = folder.path().join("converge-hello/hello.txt");
    assert_eq!(fs::read_to_string(&greeting).unwrap(), "Hello, World!\n");
    assert_eq!(fs::metadata(&greeting).unwrap().permissions().mode() & 0o7777, 0o644);
    for changed in ["file.directory.greetings", "file.content.greeting", "file.mode.greeting", "task.stamp"] {
        assert!(first.contains(changed), "{changed} in {first}");
    }
}

#[test]
fn the_site_is_made_of_a_switch_and_a_module_for_each_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = |name: &str| fs::read_to_string(folder.path().join("converge-site").join(name)).unwrap();
    apply(folder.path(), "site/main.hcl", &[]);
    assert_eq!(page("map.txt"), "about.html: About us\nindex.html: Home\n");
    assert_eq!(page("index.html"), "<!doctype html>\n<title>Home</title>\n<h1>Hello from Home</h1>\n");
    apply(folder.path(), "site/main.hcl", &["-p", "lang=french"]);
    assert_eq!(
        page("about.html"),
        "<!doctype html>\n<title>About us</title>\n<h1>Bonjour from About us</h1>\n"
    );
}

#[test]
fn the_service_reads_its_configuration_again_when_that_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| fs::read_to_string(folder.path().join("converge-service").join(name)).unwrap();
    apply(folder.path(), "service.hcl", &[]);
    assert_eq!(file("tries"), "try\ntry\n");
    apply(folder.path(), "service.hcl", &["-p", "port=9000"]);
    let old = r#"{"port":8080,"workers":2}"#;
    let new = r#"{"port":9000,"workers":4}"#;
    assert_eq!(file("config.json"), new);
    assert_eq!(file("reloads.log"), format!("{old}\n{new}\n"));
    assert_eq!(file("tries"), "try\ntry\n");
}

/// Runs the commands about a module in order, with the module of the README.
///
/// It writes to a temporary folder instead of `/srv`.
#[test]
fn the_commands_of_the_readme_do_what_is_said_beside_them() {
    if !is_root() {
        skip("the_commands_of_the_readme_do_what_is_said_beside_them", "its module changes an owner");
        return;
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let modules = blocks(&readme, "hcl");
    let module = modules.first().expect("a module");
    let folder = private();
    let text = module.replace("/srv", &folder.path().display().to_string());
    fs::write(folder.path().join("motd.hcl"), text).unwrap();
    let sh = |line: &str| {
        // The program that draws the graph may not be installed.
        let line = line.split(" | ").next().unwrap_or_default();
        let path = format!("{}:{}", programs().display(), std::env::var("PATH").unwrap());
        let converge = converge(&[]);
        let variables = converge.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(folder.path()).env("PATH", path).envs(variables);
        let output = Said::from(shell.output().unwrap());
        // A skipped resource of the previous apply is a warning.
        let expect = if line.starts_with("converge healthcheck") { 3 } else { 0 };
        assert_eq!(output.code, Some(expect), "{line}: {output:?}");
        output.stdout
    };
    let lines = commands(&readme);
    let outputs: Vec<(&str, String)> = lines
        .iter()
        .filter(|line| line.starts_with("converge ") && line.contains("motd"))
        .map(|line| (line.split(" #").next().unwrap_or_default().trim(), sh(line)))
        .collect();
    let output_for = |command: &str| -> &str {
        let entry = outputs.iter().find(|(line, _)| line.starts_with(command));
        let Some((_, expected_output)) = entry else { panic!("README.md has no `{command}`") };
        expected_output
    };
    assert!(
        output_for("converge plan motd.hcl")
            .contains("Plan: 3 to change, 1 may change, 0 failed, 1 unchanged")
    );
    assert!(
        output_for("converge apply -p").contains("3 changed, 0 failed"),
        "{}",
        output_for("converge apply -p")
    );
    assert!(output_for("converge validate").contains("valid"), "{}", output_for("converge validate"));
    assert!(output_for("converge graph").starts_with("digraph"));
    assert!(output_for("converge explain").contains("file.owner.motd"));
    assert!(output_for("converge healthcheck").contains("Health: warning: 0 errors, 2 warnings"));
    // The previous apply skipped one name.
    assert!(output_for("converge plan --out").contains("welcome[\"grace\"]"));
    assert!(output_for("converge show").starts_with("plan of motd.hcl, made in "));
    assert!(output_for("converge apply motd.plan").contains("0 failed"));
    let welcome = fs::read_to_string(folder.path().join("welcome-grace")).unwrap();
    assert_eq!(welcome, "Welcome, grace.\n");
    assert!(sh("converge apply motd.hcl").contains("0 changed"));
}

#[test]
fn exit_codes_are_as_documented() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    let path = folder.path().join("module.hcl");
    let text =
        format!("file.content \"f\" {{\n  destination = \"{}\"\n  content = \"x\"\n}}\n", file.display());
    fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    let check = |arguments: &[&str], code| {
        let output = run(&[arguments, &[&path]].concat());
        assert_eq!(output.code, Some(code), "{arguments:?}: {output:?}");
    };
    check(&["plan"], 0);
    check(&["plan", "--detailed-exitcode"], 2);
    check(&["apply"], 0);
    check(&["plan", "--detailed-exitcode"], 0);
    check(&["validate"], 0);
    check(&["plan", "-p", "nope=1"], 1);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    check(&["apply"], 1);
}
