//! The lines that `-v` shows while resources are worked on.

use converge_core::engine::EventKind;
use converge_core::graph::NodeId;
use converge_core::view::render::{sanitize, sanitize_line};

use super::activity::waiting;
use crate::console::{BOLD, DIM, Paint};
use crate::wording::count;

/// Returns the line for an event, or `None` if the progress line is enough.
pub(super) fn step_line(event: &EventKind, paint: Paint) -> Option<String> {
    let name = |id: &NodeId| paint.paint(BOLD, sanitize_line(id.short()));
    Some(match event {
        EventKind::ResourceStep { id, text } => format!("{}: {}\n", name(id), sanitize_line(text)),
        EventKind::ResourceOutput { id, line, left_out, .. } => {
            let line = sanitize(line).replace('\n', "\\n");
            let rest = match left_out {
                0 => String::new(),
                bytes => paint.paint(DIM, format!(" [.. {} left out here ..]", are(*bytes))),
            };
            format!("{} | {line}{rest}\n", name(id))
        }
        EventKind::ResourceWaiting { id, lock, name: of, held_by } => {
            format!("{}: waiting for {}\n", name(id), waiting(*lock, of.as_deref(), *held_by))
        }
        EventKind::ProgressLeftOut { events } => {
            let text = format!("{} or other steps are left out here\n", count(*events, "line"));
            paint.paint(DIM, text)
        }
        _ => return None,
    })
}

/// Formats `9 bytes are`.
fn are(bytes: u64) -> String {
    if bytes == 1 { "1 byte is".to_owned() } else { format!("{bytes} bytes are") }
}
