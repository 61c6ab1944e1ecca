use std::fmt::Write as _;

use converge_core::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::text::Text;

/// The most bytes of a file that are shown, or hashed to show that.
pub(super) const SHOWN: u64 = 64 * 1024;

/// What is in a file.
pub(super) enum Before {
    /// There is no file.
    Absent,
    Bytes(Vec<u8>),
    /// More than is shown, in bytes.
    Large(u64),
}

/// Adds the difference between what is in the file and what is declared.
pub(super) fn add(status: &mut Status, before: &Before, declared: &Text) {
    let after = declared.as_bytes();
    if declared.is_secret() {
        let changes = !matches!(before, Before::Bytes(bytes) if bytes == after);
        status.add_diff("content", SecretDiff { changes });
        return;
    }
    let known = match before {
        Before::Absent => Some(&[][..]),
        Before::Bytes(bytes) => Some(bytes.as_slice()),
        Before::Large(_) => None,
    };
    if let (Some(before), Some(after)) = (known.and_then(text), text(after)) {
        status.add_difference("content", before, after);
        return;
    }
    let before = match before {
        Before::Absent => String::new(),
        Before::Bytes(bytes) => summary(bytes),
        Before::Large(len) => format!("{len} bytes"),
    };
    status.add_difference("content", before, summary(after));
}

/// The bytes as text, unless they are too many, or a terminal should not get them.
fn text(bytes: &[u8]) -> Option<&str> {
    if bytes.len() as u64 > SHOWN || bytes.contains(&0) { None } else { std::str::from_utf8(bytes).ok() }
}

fn summary(bytes: &[u8]) -> String {
    let mut summary = format!("{} bytes, sha256 ", bytes.len());
    for byte in Sha256::digest(bytes) {
        // Writing to a string does not fail.
        let _ = write!(summary, "{byte:02x}");
    }
    summary
}
