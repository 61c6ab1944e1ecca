//! Output of one difference, in colours.

use anstyle::Style;
use converge_core::engine::Difference;
use converge_core::view::render::{self, LineKind, Shown, sanitize_line};

use crate::console::{ADD, DIM, HUNK, Paint, REMOVE};

/// Formats a difference as lines indented under its resource.
pub(super) fn difference(difference: &Difference, paint: Paint) -> String {
    let name = sanitize_line(&difference.name);
    match render::difference(difference) {
        Shown::Refresh(what) => format!("  {name}: {}\n", paint.paint(ADD, what)),
        Shown::Values { before, after } => {
            format!("  {name}: {} => {}\n", paint.paint(REMOVE, before), paint.paint(ADD, after))
        }
        Shown::Lines(lines) => {
            let mut text = format!("  {name}:\n");
            for line in lines {
                text.push_str("    ");
                text.push_str(&paint.paint(style(line.kind), &line.text));
                text.push('\n');
            }
            text
        }
        // A later version of the engine may have other formats.
        _ => format!("  {name}\n"),
    }
}

fn style(kind: LineKind) -> Style {
    match kind {
        LineKind::Hunk => HUNK,
        LineKind::Added => ADD,
        LineKind::Removed => REMOVE,
        LineKind::Note => DIM,
        _ => Style::new(),
    }
}
