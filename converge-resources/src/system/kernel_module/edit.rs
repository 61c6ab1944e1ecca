//! Lines of `/etc/modules-load.d` and `/etc/modprobe.d`.

use super::name::ModuleName;
use crate::file::edit::lines;

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// A line that loads the module at boot: `NAME`.
    Load,
    /// A line that blacklists the module: `blacklist NAME`.
    Blacklist,
    /// A line with parameters: `options NAME A=1 B=2`.
    Options,
}

impl Topic {
    /// Returns the keyword before the name.
    fn keyword(self) -> Option<&'static str> {
        match self {
            Self::Load => None,
            Self::Blacklist => Some("blacklist"),
            Self::Options => Some("options"),
        }
    }

    /// Returns the text after the name in a line of this kind about the module.
    fn rest(self, name: &ModuleName, line: &str) -> Option<String> {
        let mut words = line.split_whitespace().peekable();
        if let Some(keyword) = self.keyword() {
            words.next_if_eq(&keyword)?;
        }
        name.matches(words.next()?).then(|| words.collect::<Vec<_>>().join(" "))
    }

    /// Whether a text has a line of this kind about the module.
    pub(super) fn is_in(self, name: &ModuleName, text: &str) -> bool {
        text.lines().any(|line| self.rest(name, line).is_some())
    }

    fn line(self, name: &ModuleName, rest: &str) -> String {
        let words = [self.keyword().unwrap_or_default(), name.as_str(), rest];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The previous text after the name, or `None` if there was no line.
    pub(super) before: Option<String>,
    pub(super) text: String,
}

/// Ensures that a text has one line of a topic, with `wanted` after the name, or no such line.
pub(super) fn edit(topic: Topic, name: &ModuleName, target: Option<&str>, text: &str) -> Edited {
    let all_lines = lines::lines(text);
    // `modprobe` combines all lines of a module.
    let values: Vec<String> = all_lines.iter().filter_map(|line| topic.rest(name, line.body)).collect();
    let before = (!values.is_empty()).then(|| values.join(" "));
    if before.as_deref() == target {
        return Edited { before, text: text.to_owned() };
    }
    let ending = lines::ending(&all_lines);
    let is_mine = |line: &lines::Line<'_>| topic.rest(name, line.body).is_some();
    let index = all_lines.iter().position(is_mine);
    let mut remaining: Vec<_> = all_lines.into_iter().filter(|line| !is_mine(line)).collect();
    let line = target.map(|target| topic.line(name, target));
    if let Some(line) = &line {
        let index = index.unwrap_or(remaining.len());
        lines::insert(&mut remaining, index, [line.as_str()], ending);
    }
    Edited { before, text: lines::text(remaining) }
}
