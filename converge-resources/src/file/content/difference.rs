use std::fmt::Write as _;

use converge_sdk::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::text::Text;

/// The maximum number of bytes of a file that are shown.
pub(super) const SHOWN: u64 = 64 * 1024;

/// The number of bytes of a file that are read, copied, compared or hashed at once.
pub(super) const PIECE: usize = 64 * 1024;

pub(super) enum Before {
    Absent,
    Bytes(Vec<u8>),
    /// The content is too large to be shown; this is its [`Summary`].
    Summary(String),
    /// The content is too large to be shown; this is its size in bytes.
    Large(u64),
}

/// Adds the difference between the present and the declared content to `status`.
pub(super) async fn add(status: &mut Status, before: &Before, declared: &Text) {
    if declared.is_secret() {
        status.add_diff("content", SecretDiff { changes: true });
        return;
    }
    let after = declared.as_bytes();
    let old_bytes = match before {
        Before::Absent => Some(&[][..]),
        Before::Bytes(bytes) => Some(bytes.as_slice()),
        Before::Summary(_) | Before::Large(_) => None,
    };
    if let (Some(before), Some(after)) = (old_bytes.and_then(text), text(after)) {
        status.add_difference("content", before, after);
        return;
    }
    let before = match before {
        Before::Absent => String::new(),
        Before::Bytes(bytes) => summary(bytes).await,
        Before::Summary(summary) => summary.clone(),
        Before::Large(len) => format!("{len} bytes"),
    };
    status.add_difference("content", before, summary(after).await);
}

/// Returns the bytes as text, unless they are too many or unsafe for a terminal.
fn text(bytes: &[u8]) -> Option<&str> {
    if bytes.len() as u64 > SHOWN || bytes.contains(&0) { None } else { std::str::from_utf8(bytes).ok() }
}

/// Size and hash of bytes that arrive in pieces.
#[derive(Default)]
pub(super) struct Summary {
    len: u64,
    hash: Sha256,
}

impl Summary {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        self.hash.update(bytes);
    }

    /// Returns the number of bytes so far.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn finish(self) -> String {
        let mut summary = format!("{} bytes, sha256 ", self.len);
        for byte in self.hash.finalize() {
            // Writing to a string does not fail.
            let _ = write!(summary, "{byte:02x}");
        }
        summary
    }
}

async fn summary(bytes: &[u8]) -> String {
    let mut summary = Summary::default();
    for piece in bytes.chunks(PIECE) {
        summary.add(piece);
        // A large file takes a while, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
    summary.finish()
}
