//! Hashes.

use sha2::{Digest, Sha256};

/// SHA-256, in hexadecimal.
pub(super) fn sha256(text: &str) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        for digit in [byte >> 4, byte & 15] {
            out.extend(char::from_digit(digit.into(), 16));
        }
    }
    out
}
