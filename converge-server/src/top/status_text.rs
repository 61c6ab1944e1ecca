//! How things are said.

use jiff::Timestamp;

use crate::fleet::types::{TEXT, shortened};
use crate::output::one_line;

/// What a text says of the state of something. It has a colour, and the text says the same without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    /// Nothing.
    #[default]
    Plain,
    /// It is as it should be.
    Good,
    /// Somebody should look.
    Bad,
    /// Something is going on.
    Busy,
    /// Nobody knows.
    Unknown,
    /// It is a title.
    Title,
}

/// A text with its tone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) tone: Tone,
    pub(super) text: String,
}

impl Said {
    pub(super) fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::new(Tone::Plain, text)
    }
}

/// What comes from elsewhere: on a line, not too long, and without anything that a terminal would obey.
pub(super) fn clean(text: &str) -> String {
    one_line(&shortened(text, TEXT))
}

/// `MODE_ENFORCE` as `enforce`.
pub(super) fn plain(value: &str, prefix: &str) -> String {
    clean(value.strip_prefix(prefix).unwrap_or(value)).replace('_', " ").to_ascii_lowercase()
}

/// The end of a derived name, which tells it from the others of its module.
pub(super) fn short(name: &str) -> String {
    clean(name.rsplit('-').next().unwrap_or_default()).chars().take(8).collect()
}

/// How long it is from one time to another, in the largest unit. Clocks that differ make no time negative.
pub(super) fn span(from: Timestamp, to: Timestamp) -> String {
    let seconds = to.as_second().saturating_sub(from.as_second()).max(0);
    let (size, unit) = match seconds {
        86_400.. => (86_400, "d"),
        3_600.. => (3_600, "h"),
        60.. => (60, "min"),
        _ => (1, "s"),
    };
    format!("{} {unit}", seconds / size)
}

/// How long ago something was.
pub(super) fn ago(at: Option<Timestamp>, now: Timestamp) -> String {
    at.map(|at| format!("{} ago", span(at, now))).unwrap_or_default()
}

/// `1 node`, `2 nodes`.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
