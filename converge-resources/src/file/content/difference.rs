use std::fmt::Write as _;

use converge_core::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::text::Text;

/// Adds the difference between what is in the file, if there is one, and what is declared.
pub(super) fn add(status: &mut Status, has: Option<&[u8]>, declared: &Text) {
    if declared.is_secret() {
        status.add_diff("content", SecretDiff { changes: has != Some(declared.as_bytes()) });
        return;
    }
    let before = has.unwrap_or_default();
    if let (Some(before), Some(after)) = (text(before), text(declared.as_bytes())) {
        status.add_difference("content", before, after);
    } else {
        let before = has.map(summary).unwrap_or_default();
        status.add_difference("content", before, summary(declared.as_bytes()));
    }
}

/// The bytes as text, unless a terminal should not get them.
fn text(bytes: &[u8]) -> Option<&str> {
    if bytes.contains(&0) { None } else { std::str::from_utf8(bytes).ok() }
}

fn summary(bytes: &[u8]) -> String {
    let mut summary = format!("{} bytes, sha256 ", bytes.len());
    for byte in Sha256::digest(bytes) {
        // Writing to a string does not fail.
        let _ = write!(summary, "{byte:02x}");
    }
    summary
}
