//! Names of files that are written beside another file.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The maximum length of a file name, in bytes.
const NAME_BYTES: usize = 255;

const BACKUP: &str = ".bak";
const VALIDATED: &str = ".converge-validate.";

pub(crate) fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the name of the backup of a file, or `None` if that name would be too long.
pub(crate) fn backup(path: &Path) -> Option<OsString> {
    let mut name = path.file_name()?.to_owned();
    name.push(BACKUP);
    (name.len() <= NAME_BYTES).then_some(name)
}

/// Returns the name of the temporary file that a validation command reads.
///
/// The name has the same ending as the file itself, because some commands depend on that.
pub(crate) fn validated(path: &Path) -> OsString {
    temporary(VALIDATED, path.file_name().unwrap_or_default())
}

/// Returns the name of a temporary file, which ends like `name` as far as there is room.
pub(crate) fn temporary(prefix: &str, name: &OsStr) -> OsString {
    let name = name.as_encoded_bytes();
    let mut start = name.len().saturating_sub(NAME_BYTES - prefix.len());
    // The cut must not split a character: some file systems refuse names that are not UTF-8.
    while start > 0 && start < name.len() && name[start] & 0b1100_0000 == 0b1000_0000 {
        start += 1;
    }
    let mut temporary = OsString::from(prefix);
    temporary.push(part(&name[start..]));
    temporary
}

#[cfg(unix)]
fn part(name: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt as _;

    OsString::from_vec(name.to_vec())
}

/// Converts the name with replacement characters, because names outside of Unix are text.
#[cfg(not(unix))]
fn part(name: &[u8]) -> OsString {
    String::from_utf8_lossy(name).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(directory("a".as_ref()), Path::new("."));
        assert_eq!(directory("/a".as_ref()), Path::new("/"));
        assert_eq!(backup("/etc/a".as_ref()), Some("a.bak".into()));
        assert_eq!(backup("x".repeat(251).as_ref()).map(|name| name.len()), Some(255));
        assert_eq!(backup("x".repeat(252).as_ref()), None);
        assert_eq!(validated("/etc/a.conf".as_ref()), ".converge-validate.a.conf");
        let long = validated("x".repeat(255).as_ref());
        assert_eq!(long.len(), 255);
        let long = validated(format!("{}.conf", "ä".repeat(125)).as_ref());
        assert!(long.len() <= 255 && long.to_str().is_some_and(|long| long.ends_with("ä.conf")), "{long:?}");
    }
}
