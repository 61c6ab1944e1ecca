//! The colours of the terminal view.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Added lines, what was changed.
pub(crate) const ADD: Style = AnsiColor::Green.on_default();
/// Removed lines.
pub(crate) const REMOVE: Style = AnsiColor::Red.on_default();
/// What will change.
pub(crate) const CHANGE: Style = AnsiColor::Yellow.on_default();
/// Errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Warnings.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Headers of hunks.
pub(crate) const HUNK: Style = AnsiColor::Cyan.on_default();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Names.
pub(crate) const BOLD: Style = Style::new().bold();

/// Paints, or leaves the text as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    /// Whether there are colours.
    pub(crate) color: bool,
}

impl Paint {
    /// The text in a style.
    pub(crate) fn paint(self, style: Style, text: impl Display) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}
