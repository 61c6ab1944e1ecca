//! Lines of the files that `sysctl` reads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use converge_sdk::prelude::*;

use crate::system::setting_lines;

/// The directory of the kernel's settings.
const KERNEL: &str = "/proc/sys";

/// The name of a setting, as its path below `/proc/sys`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct Key {
    path: String,
    dotted: String,
}

impl Key {
    /// Returns the name with dots and slashes exchanged, as `sysctl` prints it.
    pub(super) fn dotted(&self) -> &str {
        &self.dotted
    }

    /// Returns the path of the setting's file.
    pub(super) fn path(&self) -> PathBuf {
        Path::new(KERNEL).join(&self.path)
    }
}

/// Exchanges dots and slashes.
fn swapped(text: &str) -> String {
    let swap = |char| match char {
        '.' => '/',
        '/' => '.',
        other => other,
    };
    text.chars().map(swap).collect()
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The first of the two characters is the separator.
        let path = match text.find(['.', '/']) {
            Some(offset) if text[offset..].starts_with('.') => swapped(text),
            _ => text.to_owned(),
        };
        let allowed = |char: char| char.is_ascii_alphanumeric() || "-_.:@+".contains(char);
        let is_part =
            |part: &str| !part.is_empty() && part != "." && part != ".." && part.chars().all(allowed);
        if text.len() > 255 || !path.contains('/') || !path.split('/').all(is_part) {
            return Err(format!(
                "{text:?} is not the name of a setting of the kernel, such as `net.ipv4.ip_forward`"
            ));
        }
        let dotted = swapped(&path);
        Ok(Self { path, dotted })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.dotted)
    }
}

/// Joins the words of a value with single blanks, because the kernel prints tabs.
pub(super) fn words(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The declared state of a setting in a file.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) key: Key,
    /// The value, or `None` if the setting is to be removed.
    pub(super) value: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The previous effective value.
    pub(super) before: Option<String>,
    pub(super) text: String,
}

impl Setting {
    /// Puts the setting into a text, in the place of the last line about it, or removes all such lines.
    pub(super) fn edit(&self, text: &str) -> Edited {
        let is_mine = |line: &str| self.is_own_line(line);
        let last = setting_lines::last(text, is_mine);
        let before = last.and_then(|body| body.split_once('=')).map(|(_, value)| words(value));
        let target = self.value.as_ref().map(|value| format!("{} = {value}", self.key));
        let text = setting_lines::put(text, target.as_deref(), is_mine, |_| before == self.value);
        Edited { before, text }
    }

    /// Whether a line sets this setting. A minus before the name means that it may fail.
    fn is_own_line(&self, line: &str) -> bool {
        let line = line.trim_start();
        if line.starts_with(['#', ';']) {
            return false;
        }
        let name = line.split_once('=').map(|(name, _)| name.trim().trim_start_matches('-'));
        name.and_then(|name| name.parse::<Key>().ok()).is_some_and(|key| key == self.key)
    }
}
