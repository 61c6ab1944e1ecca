//! Real modules, changed where a person might: lines and words cut, doubled, moved and put in. Most of
//! such texts are nearly right, which random bytes seldom are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::{format, load, parse};

/// What is put in.
const PIECES: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "=",
    ",",
    "\"",
    "\n",
    "#",
    "/*",
    "*/",
    "<<EOF\n",
    "EOF\n",
    "{{",
    "}}",
    "${",
    "\\",
    "param",
    "lookup",
    "depends = [\"task.a\"]",
    " ? ",
    " : ",
    "for x in ",
    "each.key",
    "0",
    "-",
    "\r\n",
    ".",
    "é",
    "case \"x\" {",
];

pub(crate) fn run(bytes: &[u8]) {
    static MODULES: LazyLock<Vec<String>> = LazyLock::new(modules);
    let mut bytes = bytes.iter().copied();
    let mut next = || usize::from(bytes.next().unwrap_or(0));
    let Some(module) = MODULES.get(next() % MODULES.len().max(1)) else { return };
    let mut text = module.clone();
    for _ in 0..next() % 8 {
        change(&mut text, &mut next);
    }
    parse::check(&text);
    format::check(&text);
    load::check(&text);
}

/// Makes one change; each byte says one thing about it.
fn change(text: &mut String, next: &mut impl FnMut() -> usize) {
    let mut place = || (next() * 256 + next()) * text.len() / (1 << 16);
    let (from, to) = (text.floor_char_boundary(place()), text.floor_char_boundary(place()));
    // Most mistakes are small.
    let end = text.floor_char_boundary(from + next() % 40);
    let line = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        start..text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
    };
    match next() % 6 {
        0 => text.replace_range(from..end, ""),
        1 => text.insert_str(from, PIECES[next() % PIECES.len()]),
        2 => text.replace_range(from..end, PIECES[next() % PIECES.len()]),
        3 => text.replace_range(line(from), ""),
        4 => {
            let copied = text[line(from)].to_owned();
            text.insert_str(to, &copied);
        }
        _ => {
            let copied = text[from..end].to_owned();
            text.insert_str(to, &copied);
        }
    }
}

/// The modules of the whole-system tests.
fn modules() -> Vec<String> {
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/modules"))];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "hcl") {
                files.push(path);
            }
        }
    }
    // The same bytes mean the same text wherever they run.
    files.sort();
    let read = |path: &PathBuf| fs::read_to_string(Path::new(path)).ok();
    files.iter().filter_map(read).collect()
}
