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
        name.is(words.next()?).then(|| words.collect::<Vec<_>>().join(" "))
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
pub(super) fn edit(topic: Topic, name: &ModuleName, wanted: Option<&str>, text: &str) -> Edited {
    let all = lines::lines(text);
    // `modprobe` combines all lines of a module.
    let found: Vec<String> = all.iter().filter_map(|line| topic.rest(name, line.body)).collect();
    let before = (!found.is_empty()).then(|| found.join(" "));
    if before.as_deref() == wanted {
        return Edited { before, text: text.to_owned() };
    }
    let ending = lines::ending(&all);
    let is_mine = |line: &lines::Line<'_>| topic.rest(name, line.body).is_some();
    let at = all.iter().position(is_mine);
    let mut kept: Vec<_> = all.into_iter().filter(|line| !is_mine(line)).collect();
    let line = wanted.map(|wanted| topic.line(name, wanted));
    if let Some(line) = &line {
        let at = at.unwrap_or(kept.len());
        lines::insert(&mut kept, at, [line.as_str()], ending);
    }
    Edited { before, text: lines::text(kept) }
}
