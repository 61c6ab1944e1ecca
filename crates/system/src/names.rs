//! Rules for file names: entry names and temporary names.

use std::ffi::OsStr;
#[cfg(any(test, feature = "testing"))]
use std::ffi::OsString;

use super::error::SystemErrorKind;

/// Checks that a name is a single entry of a directory and does not lead elsewhere.
pub(super) fn entry_name(name: &OsStr) -> Result<&OsStr, SystemErrorKind> {
    match name.as_encoded_bytes() {
        b"" | b"." | b".." => Err(SystemErrorKind::InvalidPath),
        bytes if bytes.iter().any(|byte| matches!(byte, b'/' | 0)) => Err(SystemErrorKind::InvalidPath),
        _ => Ok(name),
    }
}

/// Converts the bytes of a path component into a name.
#[cfg(all(unix, any(test, feature = "testing")))]
pub(super) fn os_string(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt as _;

    OsString::from_vec(bytes.to_vec())
}

/// Converts the bytes of a path component into a name.
///
/// Invalid text is replaced, as Windows has no such names.
#[cfg(all(not(unix), any(test, feature = "testing")))]
pub(super) fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

pub(super) const TEMPORARY_PREFIX: &str = ".converge-tmp.";

/// The number of random bytes in a temporary name, which makes it unpredictable.
pub(super) const RANDOM_BYTES: usize = 12;

/// Whether a name has the form of temporary names.
///
/// Trailing slashes are ignored.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    let Some(random) = name.as_encoded_bytes().strip_prefix(TEMPORARY_PREFIX.as_bytes()) else {
        return false;
    };
    let (random, rest) = random.split_at(random.len().min(2 * RANDOM_BYTES));
    random.len() == 2 * RANDOM_BYTES
        && random.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && rest.iter().all(|byte| *byte == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, expect: bool| assert_eq!(is_temporary(name.as_ref()), expect, "{name}");
        check(".converge-tmp.0123456789abcdef01234567", true);
        check(".converge-tmp.0123456789abcdef01234567/", true);
        check(".converge-tmp.0123456789abcdef012345678", false);
        check(".converge-tmp.0123456789abcdef0123456", false);
        check(".converge-tmp.0123456789ABCDEF01234567", false);
        check(".converge-tmp.", false);
        check(".a.converge-tmp", false);
    }
}
