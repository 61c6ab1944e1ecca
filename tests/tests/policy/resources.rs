//! Rules for the resource types: each has documentation from its definition and an example module.

use std::collections::{BTreeMap, BTreeSet};

use converge_core::load::Loader;
use converge_tests::pages::Pages;
use converge_tests::{programs, root};

use crate::workspace::{files, none, read};

fn types() -> Vec<(&'static str, &'static str)> {
    let registry = converge_resources::registry().expect("the built-in types fit together");
    registry.iter().map(|entry| (entry.name(), entry.schema().example)).collect()
}

#[test]
fn the_pages_are_current() {
    let pages = Pages::generate(programs()).expect("the pages can be written");
    let stale = pages.stale(root()).expect("the pages can be read");
    let stale = stale.iter().map(ToString::to_string).collect();
    none(&stale, "pages of docs/ are written from the types: run `cargo xtask docs`");
}

#[test]
fn every_type_is_shown_by_a_module() {
    let registry = converge_resources::registry().expect("the built-in types fit together");
    let mut broken = BTreeSet::new();
    for (name, example) in types() {
        let mut rule = |holds: bool, says: &str| {
            if !holds {
                broken.insert(format!("{name}: {says}"));
            }
        };
        rule(!example.is_empty(), "there is none");
        rule(example.starts_with("# "), "it begins with a comment that says what it shows");
        let uses = |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(" \""));
        rule(example.lines().any(uses), "it has no resource of the type");
        let loaded = Loader::new(&registry).load_text("example.hcl", example);
        for diagnostic in &loaded.diagnostics {
            rule(false, &diagnostic.message);
        }
    }
    none(
        &broken,
        "a type has a module that shows it, `#[preparer(.., example = \"example.hcl\")]`, with nothing wrong in it",
    );
}

/// Returns each type with its family folder and preparer name, as `families.rs` lists them.
fn preparers() -> BTreeMap<String, (String, String)> {
    let text = read("converge-resources/src/families.rs".as_ref());
    let mut family = "";
    let mut preparers_found = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let quoted = words.first().and_then(|word| word.strip_prefix('"')?.strip_suffix('"'));
        match (quoted, words.as_slice()) {
            (Some(_), [_, folder, "{"]) => family = folder,
            (Some(name), [_, path, ..]) if path.contains("::") => {
                let path = path.trim_end_matches(';');
                let preparer = path.rsplit("::").next().unwrap_or(path);
                preparers_found.insert(name.to_owned(), (family.to_owned(), preparer.to_owned()));
            }
            _ => {}
        }
    }
    preparers_found
}

#[test]
fn the_laws_are_held_on_every_type() {
    let preparers = preparers();
    let missing: BTreeSet<_> =
        types().iter().filter(|(name, _)| !preparers.contains_key(*name)).map(|(name, _)| *name).collect();
    assert!(missing.is_empty(), "families.rs is read in another way than it is written: {missing:?}");
    let mut broken = BTreeSet::new();
    for (name, (family, preparer)) in preparers {
        let folder = format!("converge-resources/src/{family}");
        let of_family =
            files(|path| path.starts_with(&folder) && path.extension().is_some_and(|kind| kind == "rs"));
        let is_held = of_family.iter().any(|path| {
            let text: String = read(path).split_whitespace().collect();
            [",", ")"].iter().any(|end| text.contains(&format!("laws!({preparer}{end}")))
        });
        if !is_held {
            broken.insert(format!("{name}: it has none"));
        }
    }
    none(&broken, "the tests of a type have a line `laws!(..)`, on a model of what it works with");
}

#[test]
fn a_command_with_one_family_builds_nothing_of_the_others() {
    let tree = |features: &[&str]| {
        let tree =
            ["tree", "--offline", "--package", "converge-cli", "--edges", "normal", "--prefix", "none"];
        let mut cargo = converge_tests::cargo();
        let output = cargo.args(tree).args(features).current_dir(root()).output().expect("cargo starts");
        assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect::<BTreeSet<_>>()
    };
    let heavy = ["bollard", "hyper", "tar", "ureq", "zbus", "zip", "zstd"];
    let full_tree = tree(&[]);
    let missing: BTreeSet<_> = heavy.iter().filter(|name| !full_tree.contains(**name)).collect();
    assert!(missing.is_empty(), "nothing depends on {missing:?} any more: name others");
    let small = tree(&["--no-default-features", "--features", "file"]);
    let heavy = heavy.iter().filter(|name| small.contains(**name)).map(ToString::to_string).collect();
    none(&heavy, "the command with `--no-default-features --features file` must not build");
}
