//! The colours of the terminal view.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Added lines, what was changed.
pub(crate) const ADD: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVE: Style = AnsiColor::Red.on_default();
pub(crate) const CHANGE: Style = AnsiColor::Yellow.on_default();
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const HUNK: Style = AnsiColor::Cyan.on_default();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Names.
pub(crate) const BOLD: Style = Style::new().bold();

/// Paints, or leaves the text as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    pub(crate) color: bool,
}

impl Paint {
    pub(crate) fn paint(self, style: Style, text: impl Display) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}
