//! Paths as names: two spellings of one path are one name.

use std::borrow::Cow;

/// The path without `.`, doubled slashes and a slash at its end. What `..` leads to depends on links, so it stays.
pub(super) fn normal(path: &str) -> Cow<'_, str> {
    let is_part = |part: &&str| !matches!(*part, "" | ".");
    let root = path.starts_with('/');
    let inner = path.strip_prefix('/').unwrap_or(path);
    if !inner.is_empty() && inner.split('/').all(|part| is_part(&part)) {
        return Cow::Borrowed(path);
    }
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

/// The path above a normal one; none above the root and above what has no slash.
pub(super) fn parent(path: &str) -> Option<&str> {
    match path.rfind('/')? {
        0 if path.len() == 1 => None,
        0 => Some("/"),
        slash => path.get(..slash),
    }
}
