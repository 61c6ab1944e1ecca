//! Rules for the Markdown files at the root.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use converge_tests::documents::commands;
use converge_tests::programs;

use crate::examples::examples;
use crate::workspace::{metadata, none, read};

/// A dependency of a documented command.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Chore(String),
    Example(String),
    Package(String),
    /// A command of the `converge` program, with the words up to the first option or path.
    Converge(Vec<String>),
}

/// Returns the dependencies of a command from this workspace.
///
/// Commands of other programs have none.
fn needs(command: &str) -> Vec<Need> {
    let command = command.split(" #").next().unwrap_or_default();
    let words: Vec<&str> =
        command.split_whitespace().skip_while(|word| word.contains('=') || *word == "sudo").collect();
    match words[..] {
        ["cargo", "xtask", chore, ..] => vec![Need::Chore(chore.to_owned())],
        ["cargo", ..] => {
            let own_words: Vec<&str> = words.iter().copied().take_while(|word| *word != "--").collect();
            let after = |flag: &str| {
                own_words.iter().skip_while(|word| **word != flag).nth(1).map(ToString::to_string)
            };
            // A program that is installed from elsewhere is not checked.
            let target = own_words
                .get(1)
                .is_some_and(|verb| ["run", "test", "build", "check", "doc", "bench"].contains(verb));
            if !target {
                return Vec::new();
            }
            let package = after("-p").or_else(|| after("--package")).map(Need::Package);
            package.into_iter().chain(after("--example").map(Need::Example)).collect()
        }
        [program, ref rest @ ..] if program == "converge" || program.ends_with("/converge") => {
            let word = |word: &&&str| {
                word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
            };
            vec![Need::Converge(rest.iter().take(1).take_while(word).map(ToString::to_string).collect())]
        }
        _ => Vec::new(),
    }
}

#[test]
fn commands_of_the_documents_exist() {
    let packages: BTreeSet<String> = metadata()["packages"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|package| package["name"].as_str().expect("a name").to_owned())
        .collect();
    let examples = examples();
    let programs = programs();
    let mut broken = BTreeSet::new();
    for document in ["README.md", "CONTRIBUTING.md"] {
        let commands = commands(&read(Path::new(document)));
        assert!(!commands.is_empty(), "{document} shows no command in a ```sh block");
        for command in commands {
            for need in needs(&command) {
                let exists = match &need {
                    // `--help` checks that the task exists without running it.
                    Need::Chore(chore) => answers(programs.join("xtask"), &[chore, "--help"]),
                    Need::Example(name) => examples.contains_key(name),
                    Need::Package(name) => packages.contains(name),
                    Need::Converge(words) => {
                        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
                        answers(programs.join("converge"), &words)
                    }
                };
                if !exists {
                    broken.insert(format!("{document}: `{command}` needs {need:?}"));
                }
            }
        }
    }
    none(&broken, "a command in a document must work as it is written");
}

fn answers(program: impl AsRef<Path>, arguments: &[&str]) -> bool {
    let output = Command::new(program.as_ref()).args(arguments).output();
    output.unwrap_or_else(|error| panic!("{}: {error}", program.as_ref().display())).status.success()
}

#[test]
fn the_test_command_is_the_same_everywhere() {
    let command = "cargo xtask test";
    for document in ["README.md", "CONTRIBUTING.md"] {
        assert!(
            commands(&read(Path::new(document))).iter().any(|line| line == command),
            "{document}: no `{command}`"
        );
    }
    assert!(
        read(Path::new(".ci/run")).lines().any(|line| line.trim() == command),
        ".ci/run does not run `{command}`"
    );
}

/// The README lists all families for users who build a subset of them.
#[test]
fn the_readme_names_all_families() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list");
    let resources =
        packages.iter().find(|package| package["name"] == "converge-resources").expect("a package");
    let families = resources["features"]["default"].as_array().expect("a list");
    let families: Vec<String> =
        families.iter().map(|family| format!("`{}`", family.as_str().expect("a name"))).collect();
    let text = read(Path::new("README.md")).split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence =
        format!("each a feature of `converge-cli` and `converge-resources`: {}.", families.join(", "));
    assert!(text.contains(&sentence), "README.md has to say: {sentence}");
}

#[test]
fn changelog_has_room_for_the_next_change() {
    let changelog = read(Path::new("CHANGELOG.md"));
    let first = changelog.lines().find(|line| line.starts_with("## "));
    assert_eq!(first, Some("## [Unreleased]"), "CHANGELOG.md: the first section is `## [Unreleased]`");
}

#[test]
fn commands_and_what_they_need() {
    #[track_caller]
    fn check(markdown: &str, expect: &[(&str, Vec<Need>)]) {
        let actual: Vec<_> = commands(markdown).into_iter().map(|line| (needs(&line), line)).collect();
        let expect: Vec<_> = expect.iter().map(|(line, needs)| (needs, (*line).to_owned())).collect();
        assert_eq!(
            actual.iter().map(|(needs, line)| (needs, line.clone())).collect::<Vec<_>>(),
            expect,
            "{markdown}"
        );
    }
    let converge = |words: &[&str]| vec![Need::Converge(words.iter().map(ToString::to_string).collect())];
    check("cargo xtask test\n```rust\ncargo xtask test\n```\n", &[]);
    check(
        "```sh\ncargo xtask test\n```\ncargo xtask no\n",
        &[("cargo xtask test", vec![Need::Chore("test".into())])],
    );
    check(
        "```sh\n# words\nX=1 cargo run -p a \\\n  --example b -- -p c\n```\n",
        &[(
            "X=1 cargo run -p a --example b -- -p c",
            vec![Need::Package("a".into()), Need::Example("b".into())],
        )],
    );
    check("```sh\ncargo install -p x\nls -l\n```", &[("cargo install -p x", vec![]), ("ls -l", vec![])]);
    check(
        "```console\n$ converge plan a.hcl\nsudo ./converge --version\nconverge\n```\n",
        &[
            ("converge plan a.hcl", converge(&["plan"])),
            ("sudo ./converge --version", converge(&[])),
            ("converge", converge(&[])),
        ],
    );
}
