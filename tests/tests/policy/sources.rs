//! Rules for Rust files.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::{files, none, read};

/// The maximum number of lines.
///
/// A longer file does more than one thing.
const MOST_LINES: usize = 600;

fn rust_files() -> Vec<std::path::PathBuf> {
    let rust_sources = files(|path| path.extension().is_some_and(|extension| extension == "rs"));
    // Without this check, a wrong path would make every rule pass.
    assert!(
        rust_sources.iter().any(|path| path == Path::new("converge-core/src/lib.rs")),
        "{rust_sources:?}"
    );
    rust_sources
}

/// Returns the places `path:line` where `words` occur in code, outside of comments.
fn places(words: &[String]) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for path in rust_files() {
        for (index, line) in read(&path).lines().enumerate() {
            if uses(line, words) {
                places.insert(format!("{}:{}", path.display(), index + 1));
            }
        }
    }
    places
}

fn uses(line: &str, words: &[String]) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    words.iter().any(|word| code.contains(word.as_str()))
}

// The words are assembled here, so that this file does not break its own rule.
fn ignored() -> Vec<String> {
    vec![format!("#[{}", "ignore"), format!("#![cfg_attr({}", "ignore")]
}

fn unfinished() -> Vec<String> {
    ["todo", "unimplemented"].map(|name| format!("{name}!(")).to_vec()
}

#[test]
fn no_test_is_ignored() {
    none(
        &places(&ignored()),
        "an ignored test proves nothing. A test that cannot run everywhere finds that out itself and reports it: see \
         \"A test that cannot run here\" in CONTRIBUTING.md",
    );
}

#[test]
fn nothing_is_allowed_in_a_whole_file() {
    let mut places = places(&[format!("#![{}(", "allow")]);
    // These files must fail to compile, and each uses another part of their shared code.
    places.retain(|place| !place.starts_with("tests/derives/tests/ui/"));
    none(&places, "a lint is expected, with its reason, where it is wrong: `#[expect(.., reason = \"..\")]`");
}

#[test]
fn nothing_is_unfinished() {
    none(&places(&unfinished()), "code that is merged works; leave out what does not exist yet");
}

#[test]
fn files_do_one_thing() {
    let mut long = BTreeSet::new();
    for path in rust_files() {
        let lines = read(&path).lines().count();
        if lines > MOST_LINES {
            long.insert(format!("{}: {lines} lines", path.display()));
        }
    }
    none(&long, &format!("a Rust file has at most {MOST_LINES} lines; split it by what its parts do"));
}

#[test]
fn words_are_found_in_code_only() {
    #[track_caller]
    fn check(line: &str, words: &[String], expect: bool) {
        assert_eq!(uses(line, words), expect, "{line}");
    }
    let attribute = ignored().remove(0);
    check(&format!("    {attribute}]"), &ignored(), true);
    check(&format!("    {attribute} = \"slow\"]"), &ignored(), true);
    check(&format!("// not {attribute}]"), &ignored(), false);
    check("#[test]", &ignored(), false);
    for call in unfinished() {
        check(&format!("    {call})"), &unfinished(), true);
        check(&format!("/// never {call})"), &unfinished(), false);
    }
    check("let todo = 1;", &unfinished(), false);
}
