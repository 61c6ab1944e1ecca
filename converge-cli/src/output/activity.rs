//! The current activity of a resource, in a few words.

use std::borrow::Cow;

use converge_core::engine::{EventKind, HeldBy, LockKind, Stage, Waited};
use converge_core::view::render::sanitize_line;

use crate::wording::elapsed;

/// The last events of a resource.
#[derive(Debug, Default)]
pub(super) struct Activity {
    pub(super) waiting: Option<Waiting>,
    stage: Option<Stage>,
    /// The detail since its stage began: bytes, a step, or a line.
    detail: Option<String>,
}

/// The lock that a resource waits for.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) held_by: HeldBy,
    words: String,
}

impl Activity {
    pub(super) fn event(&mut self, event: &EventKind) {
        match event {
            EventKind::ResourceWaiting { lock, name, held_by, .. } => {
                let words = waiting(*lock, name.as_deref(), *held_by);
                self.waiting = Some(Waiting { held_by: *held_by, words });
            }
            EventKind::ResourceStage { stage, .. } => *self = Self { stage: Some(*stage), ..Self::default() },
            EventKind::ResourceBytes { done, total, .. } => self.detail = Some(bytes(*done, *total)),
            // An empty line is less useful than the line before it.
            EventKind::ResourceStep { text: line, .. } if !line.trim().is_empty() => {
                self.detail = Some(sanitize_line(line.trim()).into_owned());
            }
            EventKind::ResourceOutput { line, .. } if !line.trim().is_empty() => {
                self.detail = Some(sanitize_line(without_urls(line.trim()).trim()).into_owned());
            }
            _ => {}
        }
    }

    /// Describes the activity; `None` if there is nothing specific to this resource.
    pub(super) fn describe(&self) -> Option<String> {
        if let Some(waiting) = &self.waiting {
            return Some(format!("waiting for {}", waiting.words));
        }
        let stage = match self.stage {
            Some(Stage::Apply) => Some("applying"),
            Some(Stage::Refresh) => Some("refreshing"),
            Some(Stage::CheckAfterApply) => Some("checking again"),
            Some(Stage::Render | Stage::Prepare | Stage::Check) | None => None,
        };
        match (stage, &self.detail) {
            (Some(stage), Some(detail)) => Some(format!("{stage}: {detail}")),
            (Some(stage), None) => Some(stage.to_owned()),
            (None, detail) => detail.clone(),
        }
    }
}

/// Describes a wait: `group deploy, which another run has`.
pub(super) fn waiting(lock: LockKind, name: Option<&str>, held_by: HeldBy) -> String {
    match held_by {
        HeldBy::ThisRun => lock_name(lock, name),
        HeldBy::AnotherRun => format!("{}, which another run has", lock_name(lock, name)),
    }
}

/// Describes a finished wait: `3.00s for group deploy, which another run had`.
pub(super) fn waited(waited: &Waited) -> String {
    let lock = lock_name(waited.lock, waited.name.as_deref());
    let holder = if waited.held_by == HeldBy::AnotherRun { ", which another run had" } else { "" };
    format!("{} for {lock}{holder}", elapsed(waited.elapsed))
}

fn lock_name(lock: LockKind, name: Option<&str>) -> String {
    let name = name.map(sanitize_line).unwrap_or_default();
    match lock {
        LockKind::Group => format!("group {name}"),
        LockKind::Type => format!("lock {name}"),
        _ => "the same resource elsewhere".to_owned(),
    }
}

/// Removes URLs that precede other text from a line.
///
/// Space is limited: in apt's `Get:7 http://.. hello` the name of the package would be cut off.
fn without_urls(line: &str) -> Cow<'_, str> {
    let is_url = |word: &str| ["http://", "https://"].iter().any(|scheme| word.starts_with(scheme));
    let words = || line.split(' ');
    if !words().rev().skip(1).any(is_url) {
        return Cow::Borrowed(line);
    }
    let last = words().count().saturating_sub(1);
    let words_kept =
        words().enumerate().filter(|(at, word)| *at == last || !is_url(word)).map(|(_, word)| word);
    Cow::Owned(words_kept.collect::<Vec<_>>().join(" "))
}

/// Describes progress in bytes: `24 %, 120.5 of 500.0 MB`.
fn bytes(done: u64, total: Option<u64>) -> String {
    let Some(total) = total.filter(|total| *total >= done && *total > 0) else {
        let (unit, name) = unit(done);
        return format!("{} {name}", in_units(done, unit));
    };
    let (unit, name) = unit(total);
    let percent = u128::from(done) * 100 / u128::from(total);
    format!("{percent} %, {} of {} {name}", in_units(done, unit), in_units(total, unit))
}

/// Returns the most readable unit for a number of bytes.
fn unit(bytes: u64) -> (u64, &'static str) {
    let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    units.into_iter().find(|(unit, _)| bytes >= *unit).unwrap_or((1, "B"))
}

fn in_units(bytes: u64, unit: u64) -> String {
    if unit == 1 {
        return bytes.to_string();
    }
    let tenths = u128::from(bytes) * 10 / u128::from(unit);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use converge_core::graph::NodeId;
    use converge_core::system::OutputStream;

    use super::*;

    #[test]
    fn bytes_as_people_read_them() {
        let check = |done, total, expect: &str| assert_eq!(bytes(done, total), expect);
        check(0, None, "0 B");
        check(999, None, "999 B");
        check(1_250_000, None, "1.2 MB");
        check(0, Some(2_000), "0 %, 0.0 of 2.0 kB");
        check(120_500_000, Some(500_000_000), "24 %, 120.5 of 500.0 MB");
        check(5, Some(5), "100 %, 5 of 5 B");
        // A total that is too small is ignored.
        check(6, Some(5), "6 B");
        check(0, Some(0), "0 B");
        check(u64::MAX, Some(u64::MAX), "100 %, 18446744.0 of 18446744.0 TB");
    }

    #[test]
    fn what_was_told_last_is_shown() {
        let id = || NodeId::root().child("task.a");
        let stage = |stage| EventKind::ResourceStage { id: id(), stage };
        let step = |text: &str| EventKind::ResourceStep { id: id(), text: text.to_owned() };
        let line = |line: &str| EventKind::ResourceOutput {
            id: id(),
            stream: OutputStream::Stderr,
            line: line.to_owned(),
            left_out: 0,
        };
        let waits = |lock, name: Option<&str>, held_by| EventKind::ResourceWaiting {
            id: id(),
            lock,
            name: name.map(str::to_owned),
            held_by,
        };
        let mut activity = Activity::default();
        let mut check = |event: EventKind, expect: Option<&str>| {
            activity.event(&event);
            assert_eq!(activity.describe().as_deref(), expect, "{event:?}");
        };
        check(stage(Stage::Check), None);
        check(step("comparing"), Some("comparing"));
        check(
            waits(LockKind::Type, Some("apt"), HeldBy::AnotherRun),
            Some("waiting for lock apt, which another run has"),
        );
        check(stage(Stage::Apply), Some("applying"));
        check(line("  cc a.c\u{1b}[2J"), Some("applying: cc a.c\\u{1b}[2J"));
        check(line(" "), Some("applying: cc a.c\\u{1b}[2J"));
        check(
            line("Get:7 http://deb.example.com/debian stable/main amd64 hello amd64 2.10-3 [53.1 kB]"),
            Some("applying: Get:7 stable/main amd64 hello amd64 2.10-3 [53.1 kB]"),
        );
        check(line("Cloning https://example.com/a"), Some("applying: Cloning https://example.com/a"));
        check(line("https://example.com/a"), Some("applying: https://example.com/a"));
        check(
            EventKind::ResourceBytes { id: id(), done: 1, total: Some(4) },
            Some("applying: 25 %, 1 of 4 B"),
        );
        check(stage(Stage::CheckAfterApply), Some("checking again"));
        check(
            waits(LockKind::Duplicate, None, HeldBy::ThisRun),
            Some("waiting for the same resource elsewhere"),
        );
    }
}
