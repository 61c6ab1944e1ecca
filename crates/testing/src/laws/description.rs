//! Descriptions of statuses, effects and machines for messages.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::sdk::status::{Status, TaskStatus};
use crate::system::{Command, Effect, Entry, EntryKind, Machine};

pub(super) fn status(status: &Status) -> String {
    let mut text = status.level().to_string();
    for (name, diff) in status.diffs() {
        let _ = write!(text, "; {name}: {:?} -> {:?}", diff.before().to_string(), diff.after().to_string());
    }
    for message in status.messages().into_iter().chain(status.warnings()) {
        let _ = write!(text, "; {message}");
    }
    if let Some(error) = status.error() {
        let _ = write!(text, "; {error}");
    }
    text
}

/// Describes effects, as in `wrote /etc/motd, and removed /tmp/x`.
pub(super) fn effects(effects: &[Effect]) -> String {
    let texts: Vec<String> = effects.iter().map(effect).collect();
    match texts.split_last() {
        None => "did nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{}, and {last}", others.join(", ")),
    }
}

pub(super) fn effect(effect: &Effect) -> String {
    match effect {
        Effect::WriteFile { path } => format!("wrote {}", path.display()),
        Effect::WriteInPlace { path } => format!("wrote into {}", path.display()),
        Effect::CreateDir { path } => format!("made the directory {}", path.display()),
        Effect::SetMode { path, mode } => format!("set the mode of {} to {mode:04o}", path.display()),
        Effect::SetOwnership { path, .. } => format!("set the owner of {}", path.display()),
        Effect::SetAttribute { path, name } => format!("set the attribute {name} of {}", path.display()),
        Effect::RemoveAttribute { path, name } => {
            format!("removed the attribute {name} of {}", path.display())
        }
        Effect::Symlink { path, .. } => format!("made the link {}", path.display()),
        Effect::HardLink { path, existing } => {
            format!("made {} another name of {}", path.display(), existing.display())
        }
        Effect::Rename { from, to } => format!("renamed {} to {}", from.display(), to.display()),
        Effect::RemoveFile { path } => format!("removed {}", path.display()),
        Effect::RemoveDir { path } => format!("removed the directory {}", path.display()),
        Effect::Run { command } => format!("ran `{}`", line(command)),
        Effect::Request { method, url } => format!("asked for {method} {url}"),
        Effect::Message { address, said } => format!("said `{said}` to {address}"),
    }
}

fn line(command: &Command) -> String {
    let words = std::iter::once(&command.program).chain(&command.args);
    words.map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Returns the paths that the effects changed.
pub(super) fn paths(effects: &[Effect]) -> BTreeSet<PathBuf> {
    effects.iter().flat_map(|effect| effect.paths()).map(Path::to_owned).collect()
}

/// Describes how the files of two machines differ, in a few words for each path.
pub(crate) fn differing(is: &Machine, target: &Machine) -> String {
    let (is, target) = (is.entries(), target.entries());
    let paths: BTreeSet<&PathBuf> = is.keys().chain(target.keys()).collect();
    let differ = paths.into_iter().filter_map(|path| match (is.get(path), target.get(path)) {
        (Some(is), Some(wanted)) if is == wanted => None,
        (Some(is), Some(wanted)) => {
            Some(format!("{} is {} instead of {}", path.display(), entry(is), entry(wanted)))
        }
        (Some(is), None) => Some(format!("there is {} at {}", entry(is), path.display())),
        (None, Some(_)) => Some(format!("there is no {}", path.display())),
        (None, None) => None,
    });
    let differ: Vec<String> = differ.take(4).collect();
    if differ.is_empty() { "its users, groups or facts differ".to_owned() } else { differ.join("; ") }
}

/// Describes an entry of the file system with its comparable attributes.
pub(super) fn entry(entry: &Entry) -> String {
    let Entry { kind, mode, uid, gid, links } = entry;
    let kind = match kind {
        EntryKind::File(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let excerpt: String = text.chars().take(40).collect();
            let suffix = if excerpt.len() < text.len() { " and more" } else { "" };
            format!("a file with {excerpt:?}{suffix}")
        }
        EntryKind::Directory => "a directory".to_owned(),
        EntryKind::Symlink(target) => format!("a link to {}", target.display()),
    };
    let names = if *links > 1 { format!(", with {links} names") } else { String::new() };
    format!("{kind}, mode {mode:04o}, of {uid}:{gid}{names}")
}

/// Whether a text names a whole path, not only as part of a longer name.
///
/// A relative path starts at the root of the model host.
pub(super) fn names(text: &str, path: &Path) -> bool {
    let path = path.to_string_lossy();
    has_word(text, &path) || path.strip_prefix('/').is_some_and(|relative| has_word(text, relative))
}

fn has_word(text: &str, name: &str) -> bool {
    let goes_on = |next: char| next.is_alphanumeric() || matches!(next, '/' | '-' | '_' | '.');
    !name.is_empty()
        && text.match_indices(name).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            let is_start = name.starts_with('/') || !before.chars().next_back().is_some_and(goes_on);
            is_start && (!after.chars().next().is_some_and(goes_on) || after.starts_with(". "))
        })
}
