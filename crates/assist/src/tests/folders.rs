//! Modules of several files, whose declarations are visible in all of them.
#![expect(clippy::disallowed_methods, reason = "whether a folder is a module is asked of the machine")]

use std::sync::Arc;

use super::{registry, shown};
use crate::{About, Workspace};
use converge_source::{Source, Sources};

const MODULE: &str = "site.page \"a\" {\n  path = param.port\n  body = local.host\n}\n";
const PARAMS: &str =
    "param \"port\" {\n  description = \"Where it listens.\"\n}\nlocals {\n  host = param.port\n}\n";
const SITE: &str = "module \"web\" \"w\" {\n  params {\n    port = 1\n  }\n}\nsite.page \"b\" {\n  path = module.w.site.page.a.path\n}\n";

/// Asks a question at the first occurrence of `word` in a file while all files are open.
fn ask<T>(file: &str, word: &str, question: impl FnOnce(&Workspace<'_>, &Source, usize) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("web")).unwrap();
    let registry = registry();
    let mut workspace = Workspace::new(&registry, Sources::new());
    let mut question_place = None;
    for (name, text) in [("site.hcl", SITE), ("web/module.hcl", MODULE), ("web/params.hcl", PARAMS)] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let source = Source::file(path);
        workspace.open(source.clone(), Arc::from(text));
        if name == file {
            question_place = Some((source, text.find(word).unwrap() + word.len() - 1));
        }
    }
    let (source, offset) = question_place.unwrap();
    question(&workspace, &source, offset)
}

fn definition(file: &str, word: &str) -> Vec<String> {
    ask(file, word, |workspace, source, at| {
        workspace.definition(source, at).iter().map(|place| shown(workspace, place)).collect()
    })
}

#[test]
fn names_lead_to_the_file_that_declares_them() {
    assert_eq!(definition("web/module.hcl", "param.port"), ["params.hcl:1:8 |port|"]);
    assert_eq!(definition("web/module.hcl", "local.host"), ["params.hcl:5:3 |host|"]);
    assert_eq!(definition("site.hcl", "    port"), ["params.hcl:1:8 |port|"]);
    assert_eq!(definition("site.hcl", "module.w.site.page.a"), ["module.hcl:1:12 |a|"]);
    assert_eq!(definition("site.hcl", "\"web"), ["module.hcl:1:1 ||"]);
}

#[test]
fn names_are_found_and_renamed_in_all_files() {
    let places = ask("web/module.hcl", "param.port", |workspace, source, at| {
        let references = workspace.references(source, at, true);
        references.iter().map(|place| shown(workspace, place)).collect::<Vec<_>>()
    });
    let expected_places =
        ["module.hcl:2:16 |port|", "params.hcl:1:8 |port|", "params.hcl:5:16 |port|", "site.hcl:3:5 |port|"];
    let mut sorted = places.clone();
    sorted.sort();
    assert_eq!(sorted, expected_places);
    let edits = ask("web/params.hcl", "\"port", |workspace, source, at| {
        let edits = workspace.rename(source, at, "listen").unwrap();
        edits.iter().map(|edit| shown(workspace, &edit.place)).collect::<Vec<_>>()
    });
    let mut sorted = edits.clone();
    sorted.sort();
    assert_eq!(sorted, expected_places);
    let is_renamed = ask("web/module.hcl", "local.host", |workspace, source, at| {
        workspace.rename(source, at, "port").map_err(|error| error.to_string()).is_ok()
    });
    // A local value and a parameter may share a name.
    assert!(is_renamed);
}

#[test]
fn what_other_files_declare_is_offered() {
    let offered = |file: &str, word: &str| {
        ask(file, word, |workspace, source, at| {
            let items = workspace.complete(source, at).items;
            items.into_iter().map(|item| item.label).collect::<Vec<_>>()
        })
    };
    assert_eq!(offered("web/module.hcl", "param.po"), ["port"]);
    assert_eq!(offered("web/module.hcl", "local.ho"), ["host"]);
    assert!(offered("site.hcl", "    por").contains(&"port".to_owned()));
    // The folder is offered, not its files.
    assert_eq!(offered("site.hcl", "module \"we"), ["web"]);
}

#[test]
fn the_module_is_shown_with_all_of_its_parameters() {
    let details =
        ask("site.hcl", "\"web", |workspace, source, at| workspace.hover(source, at).unwrap().about);
    let About::Module { params, .. } = details else { panic!("{details:?}") };
    let names: Vec<&str> = params.iter().map(|param| &*param.name).collect();
    assert_eq!(names, ["port"]);
}
