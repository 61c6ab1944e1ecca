use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A path in the same directory, with something before and after the name.
pub(super) fn sibling(path: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(path.file_name().unwrap_or_default());
    name.push(after);
    path.with_file_name(name)
}
