//! Normal form of paths, so that two spellings of one path are equal.

use std::borrow::Cow;

/// Returns the path without `.`, doubled slashes and a final slash.
///
/// Parts with `..` stay, because links affect their meaning.
pub(super) fn normal(path: &str) -> Cow<'_, str> {
    if is_normal(path) {
        return Cow::Borrowed(path);
    }
    let is_part = |part: &&str| !matches!(*part, "" | ".");
    let root = path.starts_with('/');
    let mut normal = String::with_capacity(path.len());
    for part in path.split('/').filter(is_part) {
        if root || !normal.is_empty() {
            normal.push('/');
        }
        normal.push_str(part);
    }
    if normal.is_empty() {
        normal.push(if root { '/' } else { '.' });
    }
    Cow::Owned(normal)
}

/// Whether the path is in normal form already, as nearly all paths are.
fn is_normal(path: &str) -> bool {
    let bytes = path.as_bytes();
    let has_name = |before: &[u8]| !matches!(before, [] | [.., b'/'] | [b'.'] | [.., b'/', b'.']);
    let is_right = |(at, byte): (usize, &u8)| *byte != b'/' || at == 0 || has_name(&bytes[..at]);
    bytes.iter().enumerate().all(is_right) && has_name(bytes)
}

/// Returns the parent of a normal path, or `None` for the root and for a path without a slash.
pub(super) fn parent(path: &str) -> Option<&str> {
    match path.bytes().rposition(|byte| byte == b'/')? {
        0 if path.len() == 1 => None,
        0 => Some("/"),
        slash => path.get(..slash),
    }
}
