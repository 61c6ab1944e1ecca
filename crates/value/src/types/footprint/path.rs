//! Paths as names: two spellings of one path are one name.

use std::borrow::Cow;

/// The path without `.`, doubled slashes and a slash at its end. What `..` leads to depends on links, so it stays.
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

/// Whether each part has a name, as of nearly all paths.
fn is_normal(path: &str) -> bool {
    let bytes = path.as_bytes();
    let has_name = |before: &[u8]| !matches!(before, [] | [.., b'/'] | [b'.'] | [.., b'/', b'.']);
    let is_right = |(at, byte): (usize, &u8)| *byte != b'/' || at == 0 || has_name(&bytes[..at]);
    bytes.iter().enumerate().all(is_right) && has_name(bytes)
}

/// The path above a normal one; none above the root and above what has no slash.
pub(super) fn parent(path: &str) -> Option<&str> {
    match path.bytes().rposition(|byte| byte == b'/')? {
        0 if path.len() == 1 => None,
        0 => Some("/"),
        slash => path.get(..slash),
    }
}
