//! The colours of the terminal output.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// The colour of added lines and of changes that were made.
pub(crate) const ADD: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVE: Style = AnsiColor::Red.on_default();
pub(crate) const CHANGE: Style = AnsiColor::Yellow.on_default();
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const HUNK: Style = AnsiColor::Cyan.on_default();
/// The style of less important text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// The style of names.
pub(crate) const BOLD: Style = Style::new().bold();

/// Applies styles to text, or leaves the text as it is if colours are off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    pub(crate) color: bool,
}

impl Paint {
    pub(crate) fn paint(self, style: Style, text: impl Display) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}
