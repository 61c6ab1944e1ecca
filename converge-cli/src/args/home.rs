//! Folders in the home of the user who runs the command.

use std::ffi::OsString;
use std::path::PathBuf;

/// Returns the program's folder below an XDG folder, or else below `usual` in the home folder.
///
/// Returns `None` for a user without a home.
pub(super) fn folder(xdg: Option<OsString>, home: Option<OsString>, usual: &str) -> Option<PathBuf> {
    // The XDG specification ignores relative paths in these variables: the working directory can be any.
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let folder = xdg.and_then(absolute).or_else(|| Some(home.and_then(absolute)?.join(usual)));
    folder.map(|folder| folder.join("converge"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_where_users_keep_such_things() {
        let check = |xdg: Option<&str>, home: Option<&str>, expect: Option<&str>| {
            let actual = folder(xdg.map(OsString::from), home.map(OsString::from), ".cache");
            assert_eq!(actual, expect.map(PathBuf::from), "{xdg:?} {home:?}");
        };
        check(Some("/c"), Some("/h"), Some("/c/converge"));
        check(None, Some("/h"), Some("/h/.cache/converge"));
        check(Some(""), Some("/h"), Some("/h/.cache/converge"));
        check(Some("c"), Some("/h"), Some("/h/.cache/converge"));
        check(None, Some(""), None);
        check(None, None, None);
    }
}
