//! Formats of revisions, times and enum values, shared by the lists of runs and of plans.

use serde_json::Value as Json;

/// The number of hash digits shown of a revision.
const DIGITS: usize = 8;

/// Returns the first digits of the hash of a revision.
pub(super) fn version(revision: &Json) -> &str {
    let name = revision["name"].as_str().unwrap_or_default();
    let hash = name.rsplit_once('-').map_or(name, |(_, hash)| hash);
    hash.get(..DIGITS).unwrap_or(hash)
}

/// Truncates a time to whole seconds.
pub(super) fn seconds(time: &str) -> &str {
    time.split_once('.').map_or(time, |(seconds, _)| seconds).trim_end_matches('Z')
}

/// Returns an enum value in lower case, without its prefix.
pub(super) fn word(value: &Json, prefix: &str) -> String {
    value.as_str().unwrap_or_default().trim_start_matches(prefix).replace('_', " ").to_ascii_lowercase()
}
