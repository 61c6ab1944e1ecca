//! Formatting of text and times.

use jiff::Timestamp;

use crate::fleet::types::{TEXT, shortened};
use crate::output::one_line;

/// The meaning of a text, shown as a colour.
///
/// The text is clear without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    /// No meaning.
    #[default]
    Plain,
    /// A good state.
    Good,
    /// A problem that needs attention.
    Bad,
    /// Work in progress.
    Busy,
    Unknown,
    Title,
}

/// A text with its tone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StyledText {
    pub(super) tone: Tone,
    pub(super) text: String,
}

impl StyledText {
    pub(super) fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::new(Tone::Plain, text)
    }
}

/// Formats untrusted text: on one line, of limited length, and without terminal control characters.
pub(super) fn clean(text: &str) -> String {
    one_line(&shortened(text, TEXT))
}

/// Converts an enum value: `MODE_ENFORCE` becomes `enforce`.
pub(super) fn plain(value: &str, prefix: &str) -> String {
    clean(value.strip_prefix(prefix).unwrap_or(value)).replace('_', " ").to_ascii_lowercase()
}

/// Returns the end of a derived name, which distinguishes it from others of its module.
pub(super) fn short(name: &str) -> String {
    clean(name.rsplit('-').next().unwrap_or_default()).chars().take(8).collect()
}

/// Formats the time between two moments in the largest unit.
///
/// A negative difference between clocks counts as zero.
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

/// Formats the time since a moment.
pub(super) fn ago(time: Option<Timestamp>, now: Timestamp) -> String {
    time.map(|time| format!("{} ago", span(time, now))).unwrap_or_default()
}

/// Formats a number with its noun: `1 node`, `2 nodes`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
