//! The process that has a file open.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Returns the process that holds the lock of a file, if the system provides it.
pub(super) fn holder(file: &Path) -> Option<u32> {
    let metadata = fs::metadata(file).ok()?;
    let locks = fs::read_to_string("/proc/locks").ok()?;
    held_by(&locks, metadata.dev(), metadata.ino())
}

/// Returns the process that locks this file.
///
/// `locks` has lines such as `1: FLOCK  ADVISORY  WRITE 123 08:02:4711 0 EOF`.
fn held_by(locks: &str, device: u64, inode: u64) -> Option<u32> {
    let major = (device >> 8) & 0xfff | (device >> 32) & !0xfff;
    let minor = device & 0xff | (device >> 12) & !0xff;
    let file = format!("{major:02x}:{minor:02x}:{inode}");
    let process = |line: &str| {
        let mut words = line.split_whitespace().skip(4);
        let (process, lock_file) = (words.next()?, words.next()?);
        // Locks that belong to an open file description have the process -1.
        (lock_file == file).then(|| process.parse().ok()).flatten()
    };
    locks.lines().find_map(process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_is_found_among_the_locks() {
        let locks = "\
1: OFDLCK ADVISORY  WRITE -1 fe:00:4711 0 EOF
2: FLOCK  ADVISORY  WRITE 7 fe:00:471 0 EOF
3: -> FLOCK ADVISORY WRITE 8 fe:00:4711 0 EOF
4: FLOCK  ADVISORY  WRITE 9 fe:00:4711 0 EOF
";
        assert_eq!(held_by(locks, 0xfe00, 4711), Some(9));
        assert_eq!(held_by(locks, 0xfe00, 471), Some(7));
        assert_eq!(held_by(locks, 0xfe01, 4711), None);
        assert_eq!(held_by("", 0xfe00, 4711), None);
    }
}
