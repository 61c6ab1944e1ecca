//! The edit that puts a setting into the text of an INI file, or removes it.

use converge_sdk::prelude::*;

use super::parse::{self, Entry, Kind};
use crate::file::edit::lines::{self, Line};
use crate::file::edit::{Edit, Edited};
use crate::text::Text;

/// The default separator between key and value.
const BETWEEN: &str = " = ";

/// The byte order mark that some Windows programs write before UTF-8 text.
const MARK: &str = "\u{feff}";

/// The choice among several sections of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum SectionChoice {
    /// The first section.
    First,
    /// The last section.
    Last,
}

/// A setting that is to be present or absent.
#[derive(Debug)]
pub(super) struct IniEdit {
    pub(super) section: Option<Text>,
    pub(super) which: Option<SectionChoice>,
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
    fn entry(&self, index: usize) -> Option<Entry<'t>> {
        match self.kinds.get(index) {
            Some(Kind::Entry(entry)) => Some(*entry),
            _ => None,
        }
    }

    /// Returns the number of lines from the first of an entry to its last.
    fn len(&self, index: usize) -> usize {
        let rest = self.kinds.get(index + 1..).unwrap_or_default();
        let last = rest
            .iter()
            .take_while(|kind| matches!(kind, Kind::Continuation | Kind::BlankOrComment))
            .enumerate()
            .filter(|(_, kind)| **kind == Kind::Continuation)
            .last();
        1 + last.map_or(0, |(at, _)| at + 1)
    }

    /// Returns the lines of an entry, without comments between them.
    fn lines_of(&self, index: usize) -> impl Iterator<Item = usize> {
        let of_it = move |line: &usize| *line == index || self.kinds.get(*line) == Some(&Kind::Continuation);
        (index..index + self.len(index)).filter(of_it)
    }

    /// Returns the line ranges of all sections with this name, without their headers.
    fn section(&self, name: Option<&str>) -> Vec<std::ops::Range<usize>> {
        let mut ranges = Vec::new();
        let (mut begin, mut current) = (0, None);
        for (index, kind) in self.kinds.iter().enumerate() {
            if let Kind::Section(next) = kind {
                if current == name {
                    ranges.push(begin..index);
                }
                (begin, current) = (index + 1, Some(*next));
            }
        }
        if current == name {
            ranges.push(begin..self.kinds.len());
        }
        ranges
    }
}

impl IniEdit {
    fn edit(&self, text: &str) -> Result<String, String> {
        let lines = lines::lines(text);
        let kinds = parse::kinds(&lines)?;
        let parsed = Parsed { lines, kinds };
        let mut sections = parsed.section(self.section.as_deref());
        match self.which {
            None => {}
            Some(SectionChoice::First) => sections.truncate(1),
            Some(SectionChoice::Last) => sections = sections.pop().into_iter().collect(),
        }
        let is_key = |at: &usize| parsed.entry(*at).is_some_and(|entry| entry.key == &*self.key);
        let indices: Vec<usize> = sections.iter().cloned().flatten().filter(is_key).collect();
        match (&self.value, &*indices) {
            (None, indices) => Ok(without(parsed, indices)),
            (Some(_), _) if sections.len() > 1 => {
                let lines =
                    sections.iter().map(|range| range.start.to_string()).collect::<Vec<_>>().join(", ");
                let section = self.section.as_ref().map_or("", Text::shown);
                Err(format!(
                    "the section [{section}] is there {} times, in lines {lines}: write `which = \"first\"` or `which = \"last\"`",
                    sections.len()
                ))
            }
            (Some(value), []) => Ok(self.added(parsed, sections.first(), value)),
            (Some(value), [at]) => Ok(changed(parsed, *at, value)),
            (Some(_), several) => {
                let numbers: Vec<String> = several.iter().map(|index| (index + 1).to_string()).collect();
                let numbers = numbers.join(", ");
                Err(format!("{:?} is there {} times, in lines {numbers}", self.key.shown(), several.len()))
            }
        }
    }

    /// Returns the text with the key added.
    fn added(&self, parsed: Parsed<'_>, section: Option<&std::ops::Range<usize>>, value: &str) -> String {
        let ending = lines::ending(&parsed.lines);
        let entries =
            || section.cloned().into_iter().flatten().filter(|index| parsed.entry(*index).is_some());
        let model_at = entries().next_back();
        let of_file = || (0..parsed.kinds.len()).rev().find_map(|index| parsed.entry(index));
        let model = model_at.and_then(|index| parsed.entry(index)).or_else(of_file);
        // The first key decides the indent: some programs take an indented line after an unindented key as
        // more of its value.
        let indent = entries().next().and_then(|index| parsed.entry(index)).map_or("", |entry| entry.indent);
        let separator = model.map_or(BETWEEN, |entry| entry.between);
        let line = format!("{indent}{}{}{value}", &*self.key, whole(separator));
        let line = if value.is_empty() { line.trim_end() } else { &line };
        let header = self.section.as_deref().map(|section| format!("[{section}]"));
        let (position, bodies) = match (model_at, section, &header) {
            (Some(index), ..) => (index + parsed.len(index), vec![line]),
            (None, Some(range), _) => (range.start, vec![line]),
            (None, None, header) => {
                let is_open = parsed.lines.last().is_some_and(|last| !last.body.trim().is_empty());
                let empty = is_open.then_some("");
                (parsed.lines.len(), empty.into_iter().chain(header.as_deref()).chain([line]).collect())
            }
        };
        // Some of the lines are borrowed from this function.
        let mut lines = parsed.lines;
        lines::insert(&mut lines, position, bodies, ending);
        lines::text(lines)
    }
}

/// Returns the text without the entries at these lines.
fn without(parsed: Parsed<'_>, indices: &[usize]) -> String {
    let removals: Vec<usize> = indices.iter().flat_map(|index| parsed.lines_of(*index)).collect();
    let stays = |at: usize| !removals.contains(&at);
    lines::text(parsed.lines.into_iter().enumerate().filter(|(at, _)| stays(*at)).map(|(_, line)| line))
}

/// Returns the text with another value of the entry at a line.
fn changed(parsed: Parsed<'_>, index: usize, value: &str) -> String {
    let rest: Vec<usize> = parsed.lines_of(index).skip(1).collect();
    let Some(entry) = parsed.entry(index) else { return lines::text(parsed.lines) };
    if entry.value == value && rest.is_empty() && !entry.between.is_empty() {
        return lines::text(parsed.lines);
    }
    let Entry { indent, key, between, .. } = entry;
    let line = format!("{indent}{key}{}{value}", whole(between));
    let body = if value.is_empty() { line.trim_end() } else { &line };
    let lines = parsed.lines.into_iter().enumerate().filter(|(at, _)| !rest.contains(at));
    lines::text(lines.map(|(here, old)| if here == index { Line { body, ..old } } else { old }))
}

/// Completes the text between a key and its value, for an entry that may have had no value.
fn whole(separator: &str) -> String {
    match separator {
        "" => BETWEEN.to_owned(),
        // A colon without a space after it would be part of the key. A space before `=` implies one after it.
        _ if separator.ends_with(':') || separator.ends_with(" =") => format!("{separator} "),
        _ => separator.to_owned(),
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
