//! The edit that puts a setting into the text of an INI file, or removes it.

use super::parse::{self, Entry, Kind};
use crate::file::edit::lines::{self, Line};
use crate::file::edit::{Edit, Edited};
use crate::text::Text;

/// The default separator between key and value.
const BETWEEN: &str = " = ";

/// The byte order mark that some Windows programs write before UTF-8 text.
const MARK: &str = "\u{feff}";

/// A setting that is to be present or absent.
#[derive(Debug)]
pub(super) struct IniEdit {
    pub(super) section: Option<Text>,
    pub(super) key: Text,
    /// The value, or `None` if the setting is to be removed.
    pub(super) value: Option<Text>,
    pub(super) secret: bool,
}

struct Parsed<'t> {
    lines: Vec<Line<'t>>,
    kinds: Vec<Kind<'t>>,
}

impl<'t> Parsed<'t> {
    fn entry(&self, at: usize) -> Option<Entry<'t>> {
        match self.kinds.get(at) {
            Some(Kind::Entry(entry)) => Some(*entry),
            _ => None,
        }
    }

    /// Returns the number of lines from the first of an entry to its last.
    fn len(&self, at: usize) -> usize {
        let rest = self.kinds.get(at + 1..).unwrap_or_default();
        let last = rest
            .iter()
            .take_while(|kind| matches!(kind, Kind::More | Kind::Aside))
            .enumerate()
            .filter(|(_, kind)| **kind == Kind::More)
            .last();
        1 + last.map_or(0, |(at, _)| at + 1)
    }

    /// Returns the lines of an entry, without comments between them.
    fn lines_of(&self, at: usize) -> impl Iterator<Item = usize> {
        let of_it = move |line: &usize| *line == at || self.kinds.get(*line) == Some(&Kind::More);
        (at..at + self.len(at)).filter(of_it)
    }

    /// Returns the line ranges of all sections with this name, without their headers.
    fn section(&self, name: Option<&str>) -> Vec<std::ops::Range<usize>> {
        let mut found = Vec::new();
        let (mut begin, mut here) = (0, None);
        for (at, kind) in self.kinds.iter().enumerate() {
            if let Kind::Section(next) = kind {
                if here == name {
                    found.push(begin..at);
                }
                (begin, here) = (at + 1, Some(*next));
            }
        }
        if here == name {
            found.push(begin..self.kinds.len());
        }
        found
    }
}

impl IniEdit {
    fn edit(&self, text: &str) -> Result<String, String> {
        let lines = lines::lines(text);
        let kinds = parse::kinds(&lines)?;
        let parsed = Parsed { lines, kinds };
        let sections = parsed.section(self.section.as_deref());
        let is_key = |at: &usize| parsed.entry(*at).is_some_and(|entry| entry.key == &*self.key);
        let found: Vec<usize> = sections.iter().cloned().flatten().filter(is_key).collect();
        match (&self.value, &*found) {
            (None, found) => Ok(without(parsed, found)),
            (Some(value), []) => Ok(self.added(parsed, &sections, value)),
            (Some(value), [at]) => Ok(changed(parsed, *at, value)),
            (Some(_), several) => {
                let numbers: Vec<String> = several.iter().map(|at| (at + 1).to_string()).collect();
                let numbers = numbers.join(", ");
                Err(format!("{:?} is there {} times, in lines {numbers}", self.key.shown(), several.len()))
            }
        }
    }

    /// Returns the text with the key added.
    fn added(&self, parsed: Parsed<'_>, sections: &[std::ops::Range<usize>], value: &str) -> String {
        let ending = lines::ending(&parsed.lines);
        // If several sections have the name, the key goes into the last one that has a key, where a reader
        // would add it.
        let last_of =
            |range: &std::ops::Range<usize>| range.clone().rev().find(|at| parsed.entry(*at).is_some());
        let model_at = sections.iter().rev().find_map(last_of);
        let of_file = || (0..parsed.kinds.len()).rev().find_map(|at| parsed.entry(at));
        let model = model_at.and_then(|at| parsed.entry(at)).or_else(of_file);
        // The first key decides the indent: some programs take an indented line after an unindented key as
        // more of its value.
        let indent = sections
            .iter()
            .cloned()
            .flatten()
            .find_map(|at| parsed.entry(at))
            .map_or("", |entry| entry.indent);
        let between = model.map_or(BETWEEN, |entry| entry.between);
        let line = format!("{indent}{}{}{value}", &*self.key, whole(between));
        let line = if value.is_empty() { line.trim_end() } else { &line };
        let header = self.section.as_deref().map(|section| format!("[{section}]"));
        let (at, bodies) = match (model_at, sections.last(), &header) {
            (Some(at), ..) => (at + parsed.len(at), vec![line]),
            (None, Some(range), _) => (range.start, vec![line]),
            (None, None, header) => {
                let is_open = parsed.lines.last().is_some_and(|last| !last.body.trim().is_empty());
                let empty = is_open.then_some("");
                (parsed.lines.len(), empty.into_iter().chain(header.as_deref()).chain([line]).collect())
            }
        };
        // Some of the lines are borrowed from this function.
        let mut lines = parsed.lines;
        lines::insert(&mut lines, at, bodies, ending);
        lines::text(lines)
    }
}

/// Returns the text without the entries at these lines.
fn without(parsed: Parsed<'_>, found: &[usize]) -> String {
    let gone: Vec<usize> = found.iter().flat_map(|at| parsed.lines_of(*at)).collect();
    let stays = |at: usize| !gone.contains(&at);
    lines::text(parsed.lines.into_iter().enumerate().filter(|(at, _)| stays(*at)).map(|(_, line)| line))
}

/// Returns the text with another value of the entry at a line.
fn changed(parsed: Parsed<'_>, at: usize, value: &str) -> String {
    let more: Vec<usize> = parsed.lines_of(at).skip(1).collect();
    let Some(entry) = parsed.entry(at) else { return lines::text(parsed.lines) };
    if entry.value == value && more.is_empty() && !entry.between.is_empty() {
        return lines::text(parsed.lines);
    }
    let Entry { indent, key, between, .. } = entry;
    let line = format!("{indent}{key}{}{value}", whole(between));
    let body = if value.is_empty() { line.trim_end() } else { &line };
    let lines = parsed.lines.into_iter().enumerate().filter(|(at, _)| !more.contains(at));
    lines::text(lines.map(|(here, old)| if here == at { Line { body, ..old } } else { old }))
}

/// Completes the text between a key and its value, for an entry that may have had no value.
fn whole(between: &str) -> String {
    match between {
        "" => BETWEEN.to_owned(),
        // A colon without a space after it would be part of the key. A space before `=` implies one after it.
        _ if between.ends_with(':') || between.ends_with(" =") => format!("{between} "),
        _ => between.to_owned(),
    }
}

impl Edit for IniEdit {
    fn edit(&self, text: &str) -> Result<Edited, String> {
        let (mark, text) = match text.strip_prefix(MARK) {
            Some(text) => (MARK, text),
            None => ("", text),
        };
        Ok(Edited::new(mark.to_owned() + &Self::edit(self, text)?))
    }

    fn is_secret(&self) -> bool {
        self.secret
    }

    fn unsettled(&self) -> &'static str {
        "each run would change the value again"
    }
}
