//! Rules for links in documents.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use converge_tests::root;

use crate::workspace::{files, none, read};

/// The documents whose links are names of Rust items, which rustdoc checks.
const RUSTDOC: [&str; 3] = ["converge-derive/docs", "converge-core/docs", "converge-controller/docs"];

/// Returns the targets of the links in a text, outside of code.
fn links(text: &str) -> Vec<&str> {
    let mut links = Vec::new();
    let mut is_in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_in_code = !is_in_code;
        }
        if is_in_code {
            continue;
        }
        for (index, _) in line.match_indices("](") {
            let is_code = line[..index].matches('`').count() % 2 == 1;
            if let (false, Some((target, _))) = (is_code, line[index + 2..].split_once(')')) {
                links.push(target);
            }
        }
    }
    links
}

/// Resolves `.` and `..` without looking at the disk.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            component => normal.push(component),
        }
    }
    normal
}

/// Returns the anchor that a heading gets: lower case, words joined by `-`, other signs left out.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn has_anchor(text: &str, wanted: &str) -> bool {
    text.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == wanted)
}

#[test]
fn links_of_documents_lead_somewhere() {
    let documents = files(|path| path.extension().is_some_and(|extension| extension == "md"));
    assert!(documents.len() > 100, "the walk over the files is wrong");
    let mut broken = BTreeSet::new();
    for document in documents.iter().filter(|path| !RUSTDOC.iter().any(|folder| path.starts_with(folder))) {
        // The templates of `converge new` belong to another workspace.
        if document.components().any(|part| part.as_os_str() == "template") {
            continue;
        }
        let text = read(document);
        for link in links(&text) {
            if link.contains("://") || link.contains("::") || link.starts_with("mailto:") {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => document.clone(),
                file => normalize(&document.parent().unwrap_or(Path::new("")).join(file)),
            };
            let is_document = target.extension().is_some_and(|extension| extension == "md");
            let exists = root().join(&target).exists();
            if !exists || is_document && !fragment.is_empty() && !has_anchor(&read(&target), fragment) {
                broken.insert(format!("{}: {link}", document.display()));
            }
        }
    }
    none(&broken, "a link names a file, and a heading, that exist");
}
