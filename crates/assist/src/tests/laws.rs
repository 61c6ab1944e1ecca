//! Properties that hold for every text and position, and the amount of work per question.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;

use super::{registry, source};
use crate::{Work, Workspace};
use converge_source::Sources;

/// Generates parts of modules in any order, because text that is being typed is rarely complete.
fn text() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("site.page \"a\" {\n".to_owned()),
        Just("module \"main.hcl\" \"m\" {\n  params {\n".to_owned()),
        Just("switch \"s\" {\n  case \"eq (param `a`) `b`\" \"c\" {\n".to_owned()),
        Just("param \"a\" { default = [for x in param.a : \"{{x}}\"] }\n".to_owned()),
        Just("  path = \"{{param `a`}}\u{e9}{{lookup `site.page.a.path`}}\"\n".to_owned()),
        Just("  depends = [\"site.page.a\", module.m.params.a, \"macro.switch.s\"]\n".to_owned()),
        Just("  body = site.page.a[\"k\"].result.size + each.key\n".to_owned()),
        Just("  body = <<END\n{{ if param `a` }}\u{1f600}\nEND\n".to_owned()),
        Just("}\n".to_owned()),
        "[a-z.\"`{}\\[\\]()=,$#/\\\\ \n\u{e9}-]{0,12}",
    ];
    prop::collection::vec(fragment, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_and_no_place_is_too_much(text in text(), offset in 0usize..400, name in "[a-z]{1,3}") {
        let registry = registry();
        let mut workspace = Workspace::new(&registry, Sources::new());
        let main = source("main.hcl");
        workspace.open(main.clone(), Arc::from(text.as_str()));
        for completion in workspace.complete(&main, offset).items {
            prop_assert!(text.get(completion.replaces.clone()).is_some(), "{completion:?}");
        }
        if let Some(hover) = workspace.hover(&main, offset) {
            prop_assert!(text.get(hover.range).is_some());
        }
        let places = workspace.references(&main, offset, true).into_iter().chain(workspace.definition(&main, offset));
        for place in places {
            prop_assert!(text.get(place.range).is_some());
        }
        // A rename can be undone by another rename.
        if let Ok(edits) = workspace.rename(&main, offset, &name) {
            let mut ranges: Vec<_> = edits.iter().map(|edit| edit.place.range.clone()).collect();
            ranges.sort_by_key(|range| range.start);
            prop_assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{ranges:?} touch each other");
        }
        workspace.outline(&main);
    }
}

/// Returns a module of `resources` resources, five lines each, with the cursor in the middle one.
fn large(resources: usize) -> (String, usize) {
    let (mut text, mut place) = ("param \"user\" { default = \"ada\" }\n".to_owned(), 0);
    for number in 0..resources {
        let _ =
            write!(text, "site.page \"p{number}\" {{\n  path = \"/srv/p{number}\"\n  body = param.user\n");
        place = if number == resources / 2 { text.len() } else { place };
        text.push_str("\n}\n");
    }
    (text, place)
}

#[test]
fn a_keystroke_is_one_parse_of_one_file_and_a_look_at_one_block() {
    let registry = registry();
    let (text, place) = large(2000);
    assert!(text.lines().count() > 10_000);
    let main = source("main.hcl");
    let mut workspace = Workspace::new(&registry, Sources::new());
    for number in 0..50 {
        workspace.open(source(&format!("other{number}.hcl")), "module \"main.hcl\" \"m\" {}\n".into());
    }
    let mut typed = text;
    let mut before = Work::default();
    for (count, key) in "body = p".chars().enumerate() {
        typed.insert(place + count, key);
        workspace.open(main.clone(), Arc::from(typed.as_str()));
        let offset = place + count + 1;
        workspace.complete(&main, offset);
        workspace.hover(&main, offset);
        workspace.definition(&main, offset);
        let work = workspace.work();
        assert_eq!(work.parsed - before.parsed, 1, "one text has changed");
        assert!(work.scanned - before.scanned < 400, "{work:?}");
        before = work;
    }
    // Nothing is parsed again while no text has changed.
    workspace.references(&main, 8, true);
    let parsed = workspace.work().parsed;
    workspace.references(&main, 8, true);
    assert_eq!(workspace.work().parsed, parsed);
}
