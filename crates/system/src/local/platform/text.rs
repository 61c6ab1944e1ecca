//! Files of the kernel and of the distribution, as text.

use std::fs::File;
use std::io::Read as _;

/// The most bytes that are read of one file.
const MOST: u64 = 1 << 20;

/// The text of a file of the machine, as much of it as is read; nothing where it cannot be read.
pub(super) fn text_of(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first line of a file of the machine, without the blanks around it.
pub(super) fn line_of(path: &str) -> Option<String> {
    let text = text_of(path)?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
