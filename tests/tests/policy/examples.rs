//! Rules for the examples: cargo finds each one, and each runs unchanged and succeeds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use converge_tests::etcd::Etcd;
use converge_tests::{programs, root, skip};

use crate::workspace::{files, metadata, none, read};

/// The default address of etcd.
const USUAL_ETCD: &str = "http://127.0.0.1:2379";

/// Returns the names and files of the examples that cargo knows.
pub(crate) fn examples() -> BTreeMap<String, PathBuf> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list");
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().expect("a list"));
    let examples = targets.filter(|target| target["kind"][0] == "example").map(|target| {
        let path = Path::new(target["src_path"].as_str().expect("a path"));
        let path = path.strip_prefix(root()).expect("it is inside the workspace");
        (target["name"].as_str().expect("a name").to_owned(), path.to_owned())
    });
    examples.collect()
}

#[test]
fn every_example_is_registered() {
    let registered: BTreeSet<PathBuf> = examples().into_values().collect();
    let missing = files(|path| {
        let rust = path.extension().is_some_and(|extension| extension == "rs");
        let parts: Vec<_> = path.iter().collect();
        // An example is `examples/lesson.rs`, `examples/examples/lesson.rs`, or a folder with a `main.rs`;
        // other files are modules.
        let beside_main = || path.parent().is_some_and(|folder| root().join(folder).join("main.rs").exists());
        let lesson = path.ends_with("main.rs") || parts.len() <= 3 && !beside_main();
        rust && lesson
            && parts[0] == "examples"
            && parts[1] != "src"
            && parts[1] != "labels"
            && !registered.contains(path)
    });
    let missing = missing.iter().map(|path| path.display().to_string()).collect();
    none(&missing, "cargo does not know these files as examples; name them in examples/Cargo.toml");
}

#[test]
fn every_example_runs() {
    let folder = programs().join("examples");
    let etcd = Etcd::start();
    let mut broken = BTreeSet::new();
    for (name, source) in examples() {
        let Some(mut arguments) = arguments(&name, &read(&source)) else {
            broken.insert(format!("{name}: {} does not say how it is run", source.display()));
            continue;
        };
        // The example uses the default address of etcd, which the test replaces.
        if let Some(address) = arguments.iter_mut().find(|argument| *argument == USUAL_ETCD) {
            let Some(etcd) = &etcd else {
                skip(&format!("example {name}"), "there is no etcd (apt-get install etcd-server)");
                continue;
            };
            address.clone_from(&etcd.address);
        }
        let output = Command::new(folder.join(&name)).args(arguments).current_dir(root()).output();
        match output {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                broken.insert(format!("{name}: {}\n{error}", output.status));
            }
            Err(error) => {
                broken.insert(format!("{name}: {error}"));
            }
        }
    }
    none(&broken, "an example runs as its source says, and ends with success: cargo run --example NAME");
}

/// Returns the arguments after `--` in the command that an example documents.
fn arguments(name: &str, source: &str) -> Option<Vec<String>> {
    let command = format!("//! Run it with `cargo run --example {name}");
    let rest = source.lines().find_map(|line| line.strip_prefix(&command)?.strip_suffix("`."))?;
    Some(rest.split_whitespace().skip_while(|word| *word == "--").map(str::to_owned).collect())
}

#[test]
fn examples_are_run_as_they_say() {
    let check = |source: &str, expect: Option<&[&str]>| {
        let expect = expect.map(|words| words.iter().map(ToString::to_string).collect());
        assert_eq!(arguments("own", source), expect, "{source}");
    };
    check("//! Text.\n//!\n//! Run it with `cargo run --example own`.\n", Some(&[]));
    check("//! Run it with `cargo run --example own -- plan a.hcl`.\n", Some(&["plan", "a.hcl"]));
    check("//! Run it with `cargo run --example other`.\n", None);
}

/// Returns the number in the first line of a lesson: `//! Lesson 7: zero values.`
fn lesson(source: &str) -> Option<usize> {
    source.strip_prefix("//! Lesson ")?.split_once(':')?.0.parse().ok()
}

#[test]
fn lessons_have_an_order() {
    let mut numbers: Vec<usize> = examples().values().filter_map(|source| lesson(&read(source))).collect();
    numbers.sort_unstable();
    let expect: Vec<_> = (1..=numbers.len()).collect();
    assert!(numbers.len() > 20 && numbers == expect, "`//! Lesson N: ...` has each number once: {numbers:?}");
}

/// Each section of the original's guide has a lesson.
#[test]
fn each_section_of_the_originals_guide_has_a_lesson_with_a_resource_of_its_own() {
    let guide = read(Path::new("converge-core/docs/guide.md"));
    let (_, table) = guide.split_once("\n# Lessons\n").expect("the guide has a table of lessons");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|row| row.split(" | ").collect())
        .collect();
    let sections = [
        "Contributing Resources",
        "Check and Apply",
        "Task Status",
        "Dealing with Errors",
        "Task",
        "Exporting Values",
        "Semantics of Exported Fields",
        "Preparer",
        "Zero Values",
        "Struct Tags",
        "The Renderer",
        "Registering",
    ];
    let examples = examples();
    let mut broken = BTreeSet::new();
    for section in sections {
        let row = rows.iter().find(|row| row[0].split([',', ';', ':']).any(|part| part.trim() == section));
        let name = row.and_then(|row| row.get(2)).map(|name| name.trim_matches('`'));
        let source = name.and_then(|name| examples.get(name)).map(|source| read(source));
        if !source.is_some_and(|source| source.contains("\nimpl Task for ")) {
            broken.insert(format!("{section}: {name:?} is no example with a resource of its own"));
        }
    }
    for name in rows.iter().skip(1).filter_map(|row| row.get(2)?.strip_prefix('`')?.strip_suffix('`')) {
        if !examples.contains_key(name) {
            broken.insert(format!("{name} is no example"));
        }
    }
    none(&broken, "the table of lessons in converge-core/docs/guide.md leads to a lesson for each section");
}

/// The template may forbid more, because tests of this workspace run servers and wait.
#[test]
fn a_new_resource_may_do_no_more_than_those_here() {
    let list = |path: &str| {
        let text = read(Path::new(path));
        let (_, list) = text.split_once("disallowed-methods").expect("there is a list");
        list.lines().filter(|line| line.contains("path =")).map(str::to_owned).collect::<Vec<_>>()
    };
    let of_new = list("converge-cli/src/commands/new/template/resource/clippy.toml");
    let missing: Vec<_> = list("clippy.toml").into_iter().filter(|row| !of_new.contains(row)).collect();
    assert_eq!(missing, [""; 0], "what is refused here is refused in the crates of `converge new resource`");
}

#[test]
fn the_demo_is_tested_as_a_new_crate_is() {
    for file in ["etcd.rs", "memory.rs", "redb.rs"] {
        let new = Path::new("converge-cli/src/commands/new/template/controller/tests/controllers").join(file);
        let demo = Path::new("examples/labels/tests/controllers").join(file);
        assert_eq!(
            read(&demo),
            read(&new).replace("sample-crate", "converge-demo"),
            "{} is that of `converge new controller`",
            demo.display()
        );
    }
}
