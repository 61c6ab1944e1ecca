//! The rules of style for doc comments and names (CONTRIBUTING.md, "How we write").

use std::collections::BTreeSet;

use crate::workspace::{files, none, read};

/// The maximum length of the first line of a doc comment, in characters.
const FIRST_LINE: usize = 100;

/// Words that no doc comment begins with: the reader would have to guess the subject.
const FIRST_WORDS: [&str; 15] = [
    "What", "How", "Where", "Who", "Whose", "Whom", "That", "Those", "Of", "From", "To", "Why", "Which",
    "So", "Such",
];

/// Names that do not say what a module holds.
///
/// They are participles, prepositions, pronouns, adverbs and figures of speech.
const MODULE_NAMES: [&str; 58] = [
    "added",
    "around",
    "aside",
    "asked",
    "asking",
    "at",
    "attempted",
    "awaited",
    "below",
    "beside",
    "board",
    "built",
    "close",
    "course",
    "declared",
    "doors",
    "drawn",
    "duty",
    "equipped",
    "existing",
    "found",
    "given",
    "guard",
    "halves",
    "hand",
    "heard",
    "held",
    "judge",
    "kept",
    "known",
    "look",
    "looks",
    "marked",
    "meant",
    "newest",
    "other",
    "own",
    "pause",
    "pending",
    "place",
    "planned",
    "prepared",
    "printed",
    "ran",
    "said",
    "sent",
    "sides",
    "speech",
    "stand",
    "still",
    "swept",
    "told",
    "visit",
    "waited",
    "wanted",
    "watched",
    "words",
    "wrong",
];

/// A doc comment: the place `path:line` and its first line.
struct DocComment {
    place: String,
    first_line: String,
}

fn rust_files() -> Vec<std::path::PathBuf> {
    files(|path| path.extension().is_some_and(|extension| extension == "rs"))
}

/// Returns the text of a line of a doc comment, with its marker.
fn doc_line(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    let marker = ["///", "//!"].into_iter().find(|marker| line.starts_with(marker))?;
    let text = line.strip_prefix(marker)?;
    (!text.starts_with('/')).then(|| (marker, text.trim()))
}

fn doc_comments() -> Vec<DocComment> {
    let mut comments = Vec::new();
    for path in rust_files() {
        let mut marker_before = None;
        for (index, line) in read(&path).lines().enumerate() {
            let doc = doc_line(line);
            let marker = doc.map(|(marker, _)| marker);
            if let Some((_, text)) = doc
                && marker != marker_before
            {
                let place = format!("{}:{}", path.display(), index + 1);
                comments.push(DocComment { place, first_line: text.to_owned() });
            }
            marker_before = marker;
        }
    }
    assert!(comments.len() > 10_000, "{} doc comments: the walk over the files is wrong", comments.len());
    comments
}

fn first_word(line: &str) -> &str {
    line.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default()
}

#[test]
fn doc_comments_name_their_subject_first() {
    let comments = doc_comments();
    let unclear = comments.iter().filter(|comment| FIRST_WORDS.contains(&first_word(&comment.first_line)));
    let places = unclear.map(|comment| format!("{}: {}", comment.place, comment.first_line)).collect();
    none(&places, "a doc comment begins with a verb (`Returns ..`) or a noun phrase (`The ..`)");
}

#[test]
fn first_lines_of_doc_comments_are_short() {
    let comments = doc_comments();
    let long = comments.iter().filter(|comment| comment.first_line.chars().count() > FIRST_LINE);
    let places = long.map(|comment| comment.place.clone()).collect();
    none(
        &places,
        &format!("the first line of a doc comment stands alone and has at most {FIRST_LINE} characters"),
    );
}

#[test]
fn modules_are_named_for_what_they_hold() {
    let mut places = BTreeSet::new();
    for path in rust_files() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let parent = path.parent().and_then(|folder| folder.file_name()).map(|name| name.to_string_lossy());
        let name = if stem == "mod" { parent.unwrap_or_default().into_owned() } else { stem };
        if MODULE_NAMES.contains(&name.as_str()) {
            places.insert(path.display().to_string());
        }
    }
    none(&places, "a module has the name of what it holds, as a noun that a reader would search for");
}

#[test]
fn functions_are_verbs() {
    let name = format!("fn {}(", "of");
    let generic = format!("fn {}<", "of");
    let mut places = BTreeSet::new();
    for path in rust_files() {
        for (index, line) in read(&path).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if code.contains(&name) || code.contains(&generic) {
                places.insert(format!("{}:{}", path.display(), index + 1));
            }
        }
    }
    none(&places, "`of` says nothing: name the function `new`, `from_..`, or after what it computes");
}
