//! Detection of processors, memory and mounts.

use super::text::{line_of, text_of};
use crate::types::platform::{Platform, PlatformMount};

pub(super) fn read(platform: &mut Platform) {
    let online = line_of("/sys/devices/system/cpu/online").and_then(|ranges| count(&ranges));
    let parallel =
        || std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok());
    platform.cpus = online.or_else(parallel).unwrap_or_default();
    let memory = text_of("/proc/meminfo").unwrap_or_default();
    platform.memory_mib = kibibytes(&memory, "MemTotal") / 1024;
    platform.swap_mib = kibibytes(&memory, "SwapTotal") / 1024;
    platform.mounts = mounts(&text_of("/proc/self/mounts").unwrap_or_default());
}

/// Counts the numbers in a list of ranges such as `0-3,8`.
fn count(ranges: &str) -> Option<u32> {
    ranges.split(',').try_fold(0_u32, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

fn kibibytes(memory: &str, name: &str) -> u64 {
    let line = memory.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Returns mounts of devices (`/dev/sda1`) and of other machines (`host:/path`).
///
/// All others belong to the kernel or to containers.
fn mounts(text: &str) -> Vec<PlatformMount> {
    let mount = |line: &str| {
        let mut columns = line.split(' ');
        let (source, path) = (plain(columns.next()?), plain(columns.next()?));
        let (fstype, options) = (columns.next()?, columns.next()?);
        let mut mount = PlatformMount::new(path, source, fstype);
        mount.options = options.split(',').map(plain).collect();
        (mount.source.starts_with('/') || mount.source.contains(":/")).then_some(mount)
    };
    text.lines().filter_map(mount).collect()
}

/// Decodes a word in which blanks and similar characters are written as `\040`.
fn plain(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = after.get(if escaped.is_some() { 3 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for (ranges, expect) in [
            ("0", Some(1)),
            ("0-3", Some(4)),
            ("0-3,8,10-11", Some(7)),
            ("3-0", None),
            ("", None),
            ("x", None),
            ("0-4294967295", None),
        ] {
            assert_eq!(count(ranges), expect, "{ranges}");
        }
    }

    #[test]
    fn memory() {
        let text = "MemTotal:       16331016 kB\nMemFree: 1 kB\nSwapTotal: nonsense\n";
        assert_eq!(kibibytes(text, "MemTotal"), 16_331_016);
        assert_eq!(kibibytes(text, "SwapTotal"), 0);
        assert_eq!(kibibytes(text, "Mem"), 0);
    }

    #[test]
    fn mounted() {
        let text = "proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw,relatime 0 0\n\
                    nas:/home\\040of\\040all /mnt/my\\040files nfs4 ro 0 0\noverlay / overlay rw 0 0\n/dev/sdb1 /cut\n";
        let actual: Vec<String> = mounts(text)
            .iter()
            .map(|mount| format!("{} {} {} {:?}", mount.source, mount.path, mount.fstype, mount.options))
            .collect();
        assert_eq!(
            actual,
            [r#"/dev/sda1 / ext4 ["rw", "relatime"]"#, r#"nas:/home of all /mnt/my files nfs4 ["ro"]"#]
        );
    }

    #[test]
    fn escapes() {
        for (word, expect) in
            [("a\\040b", "a b"), ("a\\134b", "a\\b"), ("a\\04", "a\\04"), ("\\", "\\"), ("\\999", "\\999")]
        {
            assert_eq!(plain(word), expect, "{word}");
        }
    }
}
