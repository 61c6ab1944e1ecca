//! Readers of text files of the kernel and the distribution.

use std::fs::File;
use std::io::Read as _;

/// The maximum number of bytes read from a file.
const MOST: u64 = 1 << 20;

/// Reads a file up to the limit; `None` if it cannot be read.
pub(super) fn text_of(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads the first line of a file without surrounding white space.
pub(super) fn line_of(path: &str) -> Option<String> {
    let text = text_of(path)?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
