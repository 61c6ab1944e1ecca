//! Tests that a plugin file has a trusted owner and is not replaced between check and start.

use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use converge_core::Registry;
use converge_core::plugin::{Plugin, PluginFile, PluginOrigin, PluginSearch};

use super::{LONG, TYPE, begins, file, folder, write};

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_file_that_others_could_change_is_not_run() {
    let folder = folder();
    let path_of = |name: &str| folder.path().join(name);
    let script = begins(TYPE);
    write(&path_of("good"), &script, 0o755);
    write(&path_of("group"), &script, 0o775);
    write(&path_of("others"), &script, 0o757);
    write(&path_of("unrunnable"), &script, 0o644);
    std::fs::create_dir(path_of("dir")).unwrap();
    std::fs::create_dir(path_of("open")).unwrap();
    write(&path_of("open/in-open"), &script, 0o755);
    set_mode(&path_of("open"), 0o777);
    symlink(path_of("open/in-open"), path_of("link-to-open")).unwrap();
    symlink(path_of("good"), path_of("link-to-good")).unwrap();
    symlink(path_of("good"), path_of("open/link-in-open")).unwrap();
    let mut report = String::new();
    let names = [
        "good",
        "link-to-good",
        "group",
        "others",
        "unrunnable",
        "dir",
        "none",
        "open/in-open",
        "link-to-open",
        "open/link-in-open",
    ];
    for name in names {
        let verdict = match Plugin::start(file(path_of(name)), LONG) {
            Ok(_) => "is run".to_owned(),
            Err(error) => {
                let help = error.problem.help().map(|help| format!("; {help}")).unwrap_or_default();
                format!("{error}{help}").replace(&folder.path().display().to_string(), "..")
            }
        };
        writeln!(report, "{name}: {verdict}").unwrap();
    }
    insta::assert_snapshot!(report);
}

#[test]
fn a_file_with_a_checksum_is_run_wherever_it_is() {
    let folder = folder();
    let path = folder.path().join("plugin");
    set_mode(folder.path(), 0o777);
    write(&path, &begins(TYPE), 0o757);
    let start = |sha256: &str, version: Option<&str>| {
        let origin = PluginOrigin::Pinned { sha256: sha256.to_owned() };
        let file = PluginFile {
            name: "a".to_owned(),
            path: path.clone(),
            origin,
            version: version.map(str::to_owned),
        };
        Plugin::start(file, LONG).map_err(|error| {
            let help = error.problem.help().map(|help| format!("; {help}")).unwrap_or_default();
            format!("{error}{help}").replace(&path.display().to_string(), "FILE")
        })
    };
    let message = start(&"0".repeat(64), None).map(drop).unwrap_err();
    let (_, right) = message.split_once("SHA-256 is ").unwrap();
    let right = right.get(..64).unwrap().to_owned();
    let zeros = "0".repeat(64);
    assert_eq!(
        message,
        format!(
            "the plugin `a` (FILE) does not match its hash: its SHA-256 is {right}, not {zeros}; if this is the right file, write sha256 = \"{right}\""
        )
    );
    assert_eq!(start(&right, None).unwrap().sha256(), right);
    assert_eq!(start(&right.to_uppercase(), Some("1.0")).unwrap().version(), "1.0");
    assert_eq!(
        start(&right, Some("2.0")).map(drop).unwrap_err(),
        "the plugin `a` (FILE) has version 1.0, but the module requires 2.0; write version = \"1.0\", or install the other one"
    );
    assert_eq!(
        start("12", None).map(drop).unwrap_err(),
        "the plugin `a` (FILE) has no SHA-256 `12`: that is 64 hexadecimal digits; `sha256sum FILE` prints it"
    );
}

#[tokio::test]
async fn what_runs_is_what_was_hashed_also_when_it_is_started_again() {
    let folder = folder();
    let path = folder.path().join("converge-plugin-a");
    write(&path, &(begins(TYPE) + "read -r prepare\nexit 6\n"), 0o755);
    let plugin = Plugin::start(file(path.clone()), LONG).unwrap();
    let registry = plugin.add_to(Registry::new()).unwrap();
    // Somebody replaces the file.
    write(&path, "#!/bin/sh\nexit 99\n", 0o755);
    let model = std::sync::Arc::new(converge_core::system::ModelSystem::new());
    let cx = converge_core::testing::plan_context(&model);
    for _ in 0..2 {
        let resource = registry.get("a.b").unwrap().from_values(Vec::new()).unwrap();
        let result = resource.prepare_any(&cx, &converge_core::testing::FakeRenderer::new()).await;
        assert_eq!(result.err().unwrap().to_string(), "the plugin `bad` ended with exit code 6");
    }
    plugin.end();
}

#[test]
fn types_have_one_owner() {
    let folder = folder();
    let path_of = |name: &str| folder.path().join(name);
    for name in ["converge-plugin-one", "converge-plugin-two", "converge-plugin-two~", "other"] {
        write(&path_of(name), &begins(TYPE), 0o755);
    }
    let (plugins, problems) = PluginSearch::new().folder(folder.path()).folder(folder.path()).find();
    assert_eq!(problems, []);
    let names: Vec<_> = plugins.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    let started: Vec<Plugin> = plugins.into_iter().map(|file| Plugin::start(file, LONG).unwrap()).collect();
    let registry = started[0].add_to(Registry::new()).unwrap();
    let conflict = started[1].add_to(registry).unwrap_err();
    assert_eq!(
        conflict.to_string().replace(&folder.path().display().to_string(), ".."),
        "the plugin `two` (../converge-plugin-two) has the type `a.b`, which already comes from the plugin `one` \
         (../converge-plugin-one)"
    );
    assert_eq!(conflict.problem.help().unwrap(), "remove one of the two: a type has one owner");
}
