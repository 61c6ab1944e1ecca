//! Marks of keepers, which show whether keepers have changed.

use std::collections::BTreeMap;

use converge_sdk::prelude::*;
use sha2::{Digest as _, Sha256};

/// The number of random bytes of a salt, sufficient against guessing.
const SALT: usize = 16;

/// Returns the mark of some keepers, or an empty text if there are none.
///
/// The mark is salted, because keepers may be short secrets.
pub(super) async fn mark(cx: &Context, keepers: &BTreeMap<String, String>) -> Result<String> {
    if keepers.is_empty() {
        return Ok(String::new());
    }
    let salt = cx.system().random().bytes(SALT).await?;
    Ok(format!("{}:{}", hex(&salt), digest(&hex(&salt), keepers)))
}

pub(super) fn has_mark(keepers: &BTreeMap<String, String>, mark: &str) -> bool {
    match mark.split_once(':') {
        None => keepers.is_empty() && mark.is_empty(),
        Some((salt, expect)) => !keepers.is_empty() && digest(salt, keepers) == expect,
    }
}

fn digest(salt: &str, keepers: &BTreeMap<String, String>) -> String {
    let mut hash = Sha256::new();
    let parts = keepers.iter().flat_map(|(name, value)| [name, value]);
    // The lengths are hashed too, so that different maps never give the same text.
    for part in [salt].into_iter().chain(parts.map(String::as_str)) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

/// Formats bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |at: u8| DIGITS.get(usize::from(at)).copied().map_or('0', char::from);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
