//! Crates outside of the workspace, as strangers write them: those in `tests/external_crates`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use converge_tests::{Said, root, skip, states};

/// The environment variable with the folder of their programs, which `cargo xtask test` builds first.
const PROGRAMS: &str = "CONVERGE_TEST_OUTSIDE";

/// Returns the program of a crate.
///
/// If it is missing, the test is skipped.
fn program(test: &str, name: &str) -> Option<Command> {
    let Some(folder) = std::env::var_os(PROGRAMS) else {
        skip(test, "the crates outside of the workspace are built by `cargo xtask test`");
        return None;
    };
    Some(Command::new(PathBuf::from(folder).join(name)))
}

#[test]
fn a_crate_with_one_dependency_has_a_resource_that_modules_use() {
    let test = "a_crate_with_one_dependency_has_a_resource_that_modules_use";
    let Some(mut program) = program(test, "one-dependency") else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = program.env("OUTSIDE_DIR", folder.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "marker.outside Changed\nmarker.outside Unchanged\n");
    assert_eq!(fs::read_to_string(folder.path().join("marker")).unwrap(), "made for outside\n");
}

#[test]
fn a_crate_is_a_plugin_by_one_line() {
    let test = "a_crate_is_a_plugin_by_one_line";
    let Some(program) = program(test, "plugin") else { return };
    let folder = tempfile::tempdir_in(fs::create_dir_all(states()).map(|()| states()).unwrap()).unwrap();
    fs::copy(program.get_program(), folder.path().join("converge-plugin-marker")).unwrap();
    fs::write(
        folder.path().join("site.hcl"),
        "marker \"own\" {\n  path = \"marker\"\n  for  = \"plugin\"\n}\n",
    )
    .unwrap();
    for (arguments, code, expect) in [
        (["plugins", "--format", "json"].as_slice(), 0, "\"version\":\"0.2.0\""),
        (&["docs", "marker"], 0, "The person or purpose for which the file is created."),
        (&["plan", "site.hcl"], 0, "made for plugin"),
        (&["apply", "site.hcl"], 0, "1 changed"),
        (&["apply", "site.hcl"], 0, "1 unchanged"),
    ] {
        let mut command = converge_tests::converge(arguments);
        command.current_dir(folder.path()).env("CONVERGE_PLUGIN_PATH", folder.path());
        let output = Said::from(command.output().unwrap());
        assert_eq!(output.code, Some(code), "{}", output.everything());
        assert!(output.everything().contains(expect), "no {expect:?} in {}", output.everything());
    }
    assert_eq!(fs::read_to_string(folder.path().join("marker")).unwrap(), "made for plugin\n");
}

#[test]
fn a_stranger_walks_each_chapter_of_the_guide_to_controllers() {
    let test = "a_stranger_walks_each_chapter_of_the_guide_to_controllers";
    let Some(mut program) = program(test, "guide") else { return };
    let output = Said::from(program.output().unwrap());
    assert_eq!(output.code, Some(0), "{}", output.everything());
    let guide = fs::read_to_string(root().join("converge-controller/docs/guide.md")).unwrap();
    // The entries of the table of contents: `1. [Types](#types)`.
    let entries = guide.lines().filter_map(|line| line.split_once(". [")?.1.split_once("](#"));
    let chapters: Vec<&str> = entries.map(|(title, _)| title).collect();
    assert_eq!(output.stdout.lines().collect::<Vec<_>>(), chapters);
}

#[test]
fn a_crate_has_stored_types_of_proto_files() {
    let test = "a_crate_has_stored_types_of_proto_files";
    let Some(mut program) = program(test, "proto-types") else { return };
    let output = Said::from(program.output().unwrap());
    assert_eq!(output.code, Some(0), "{}", output.everything());
    let expect = "first of shop.v1.Order: tea\n\
                  shop.v1.Order/default/default/second is not valid: items[0].name is empty\n";
    assert_eq!(output.stdout, expect);
}

#[test]
fn a_crate_has_the_whole_command_with_a_resource_of_its_own() {
    let test = "a_crate_has_the_whole_command_with_a_resource_of_its_own";
    let Some(program) = program(test, "command") else { return };
    let folder = tempfile::tempdir().unwrap();
    let module = "marker \"own\" {\n  path = \"marker\"\n}\n\nfile.content \"built-in\" {\n  \
                  destination = \"copy\"\n  content     = \"{{lookup `marker.own.text`}}\"\n}\n";
    fs::write(folder.path().join("site.hcl"), module).unwrap();
    let check = |arguments: &[&str], code: i32, expect: &[&str]| {
        let mut command = Command::new(program.get_program());
        command
            .args(arguments)
            .current_dir(folder.path())
            .env("CONVERGE_STATE_DIR", states().join("whole-command"));
        let output = Said::from(command.output().unwrap());
        assert_eq!(output.code, Some(code), "{}", output.everything());
        for phrase in expect {
            assert!(output.everything().contains(phrase), "no {phrase:?} in {}", output.everything());
        }
    };

    check(&["validate", "site.hcl"], 0, &["1 file is valid"]);
    // A type that does not declare what it manages may change anything.
    let changes =
        ["+ marker.own  will change", "~ file.content.built-in  may change, depending on marker.own"];
    check(&["plan", "--detailed-exitcode", "site.hcl"], 2, &changes);
    check(&["apply", "site.hcl"], 0, &["2 changed"]);
    assert_eq!(fs::read_to_string(folder.path().join("copy")).unwrap(), "made for nobody\n");
    check(&["plan", "--detailed-exitcode", "site.hcl"], 0, &["2 unchanged"]);

    check(&["docs", "marker"], 0, &["A file that says for whom it was made.", "default \"nobody\""]);
    check(&["docs"], 0, &["marker", "file.content"]);

    let plugin = "plugin \"acme\" {\n  source = \"./converge-plugin-acme\"\n  sha256 = \"e3b0\"\n}\n";
    fs::write(folder.path().join("plugin.hcl"), plugin).unwrap();
    let message = "plugin.hcl names the plugin `acme`, and this command was built without plugins: build it with the feature `plugins`";
    check(&["validate", "plugin.hcl"], 1, &[message]);

    // A type that is not built in is known by name, and the error names the missing feature. This command
    // only has two families.
    for family in
        converge_resources::FAMILIES.iter().filter(|family| !["file", "shell"].contains(&family.feature))
    {
        let types = family.types.iter().map(|name| format!("{name} \"it\" {{}}\n"));
        fs::write(folder.path().join("absent.hcl"), types.collect::<String>()).unwrap();
        let mut expect: Vec<String> =
            family.types.iter().map(|name| format!("`{name}` is not part of this program")).collect();
        expect.push(format!(
            "this program was built without the feature `{}` of converge-resources",
            family.feature
        ));
        let expect: Vec<&str> = expect.iter().map(String::as_str).collect();
        check(&["validate", "absent.hcl"], 1, &expect);
    }
}

/// The first command of the README enables exactly the features that its example needs.
#[test]
fn the_features_of_the_first_command_are_enough_for_its_example() {
    let test = "the_features_of_the_first_command_are_enough_for_its_example";
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let first = readme.lines().find(|line| line.starts_with("cargo run")).unwrap();
    let expect =
        "cargo run -p converge-cli --no-default-features --features file,shell -- apply examples/hello.hcl";
    assert_eq!(first, expect);
    let manifest = fs::read_to_string(root().join("tests/external_crates/command/manifest.toml")).unwrap();
    assert!(manifest.contains("default-features = false, features = [\"file\", \"shell\"] }"), "{manifest}");
    let Some(mut program) = program(test, "command") else { return };
    let folder = tempfile::tempdir().unwrap();
    program.args(["apply", "examples/hello.hcl"]).current_dir(root()).env("TMPDIR", folder.path());
    let output =
        Said::from(program.env("CONVERGE_STATE_DIR", states().join("first-command")).output().unwrap());
    assert_eq!(output.code, Some(0), "{}", output.everything());
    let greeting = folder.path().join("converge-hello/hello.txt");
    assert_eq!(fs::read_to_string(greeting).unwrap(), "Hello, World!\n");
}

#[test]
fn the_guide_shows_the_command_that_is_tested() {
    let guide = fs::read_to_string(root().join("converge-core/docs/guide/shipping.md")).unwrap();
    let main = fs::read_to_string(root().join("tests/external_crates/command/main.rs")).unwrap();
    let (_, code) = main.split_once("\n\n").unwrap();
    assert!(guide.contains(code), "the chapter on shipping has no:\n{code}");
}
