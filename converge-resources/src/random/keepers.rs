//! What a value is kept for.

use std::collections::BTreeMap;

use converge_core::prelude::*;
use sha2::{Digest as _, Sha256};

/// So many random bytes nobody guesses.
const SALT: usize = 16;

/// The mark of some keepers. They may be secrets, and short ones, so it is salted.
///
/// It is empty when there are none.
pub(super) async fn mark(cx: &Context, keepers: &BTreeMap<String, String>) -> Result<String> {
    if keepers.is_empty() {
        return Ok(String::new());
    }
    let salt = cx.system().random().bytes(SALT).await?;
    Ok(format!("{}:{}", hex(&salt), digest(&hex(&salt), keepers)))
}

/// Whether a mark is that of these keepers.
pub(super) fn has_mark(keepers: &BTreeMap<String, String>, mark: &str) -> bool {
    match mark.split_once(':') {
        None => keepers.is_empty() && mark.is_empty(),
        Some((salt, expect)) => !keepers.is_empty() && digest(salt, keepers) == expect,
    }
}

fn digest(salt: &str, keepers: &BTreeMap<String, String>) -> String {
    let mut hash = Sha256::new();
    let parts = keepers.iter().flat_map(|(name, value)| [name, value]);
    // With lengths, so that no two maps are the same text.
    for part in [salt].into_iter().chain(parts.map(String::as_str)) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |at: u8| DIGITS.get(usize::from(at)).copied().map_or('0', char::from);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
