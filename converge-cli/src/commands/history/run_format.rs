//! What both say of runs.

use serde_json::Value as Json;

/// How many digits of the hash of a revision are shown.
const DIGITS: usize = 8;

/// The beginning of the hash of a revision.
pub(super) fn version(revision: &Json) -> &str {
    let name = revision["name"].as_str().unwrap_or_default();
    let hash = name.rsplit_once('-').map_or(name, |(_, hash)| hash);
    hash.get(..DIGITS).unwrap_or(hash)
}

/// A time without what is less than a second.
pub(super) fn seconds(time: &str) -> &str {
    time.split_once('.').map_or(time, |(seconds, _)| seconds).trim_end_matches('Z')
}

/// A word of an enum, without its prefix.
pub(super) fn word(value: &Json, prefix: &str) -> String {
    value.as_str().unwrap_or_default().trim_start_matches(prefix).replace('_', " ").to_ascii_lowercase()
}
