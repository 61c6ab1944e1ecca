//! The mount table of the kernel.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;

#[cfg(any(feature = "lvm", feature = "system"))]
use crate::device;

/// The path of the mount table on Linux.
pub(crate) const TABLE: &str = "/proc/self/mountinfo";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MountEntry {
    pub(crate) target: PathBuf,
    /// The path of the device, if the source is one.
    pub(crate) source: PathBuf,
    /// The type of the file system.
    pub(crate) kind: String,
    /// The options of the mount, separated by commas. The file system may have further ones.
    pub(crate) options: String,
    /// The device number of the file system, as `MAJOR:MINOR`.
    pub(crate) number: String,
    /// The path inside the file system that is mounted.
    pub(crate) root: PathBuf,
}

/// Returns all mounts in order. A later mount hides an earlier one at the same path.
pub(crate) async fn all(cx: &Context) -> Result<Vec<MountEntry>> {
    let table = cx.system().files().read(Path::new(TABLE)).await?;
    let table = table.ok_or_else(|| Error::NotFound { kind: "file", name: TABLE.to_owned() })?;
    Ok(parse(&table.bytes))
}

fn parse(table: &[u8]) -> Vec<MountEntry> {
    table.split(|byte| *byte == b'\n').filter_map(line).collect()
}

/// Parses `ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS [TAG ..] - TYPE SOURCE OPTIONS`.
fn line(line: &[u8]) -> Option<MountEntry> {
    let mut words = line.split(|byte| *byte == b' ');
    let (number, root) = (words.nth(2)?, words.next()?);
    let target = words.next()?;
    let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    let options = text(words.next()?);
    let mut words = words.skip_while(|word| *word != b"-");
    let kind = words.nth(1)?;
    let source = words.next()?;
    Some(MountEntry {
        target: unescaped(target),
        source: unescaped(source),
        kind: text(kind),
        options,
        number: text(number),
        root: unescaped(root),
    })
}

/// Returns the mount that is visible at `target`.
#[cfg(any(feature = "lvm", feature = "system"))]
pub(crate) fn at<'a>(mounts: &'a [MountEntry], target: &Path) -> Option<&'a MountEntry> {
    mounts.iter().rev().find(|mount| mount.target == target)
}

/// Returns the mount that contains a path. `path` must have no links.
#[cfg(feature = "system")]
pub(crate) fn holding<'a>(mounts: &'a [MountEntry], path: &Path) -> Option<&'a MountEntry> {
    let parents = mounts.iter().filter(|mount| path.starts_with(&mount.target));
    // Of several mounts at one path the last is visible; `max_by_key` returns the last of equal ones.
    parents.max_by_key(|mount| mount.target.components().count())
}

/// Returns the mount points of a device, in order. `device` must have no links.
#[cfg(feature = "lvm")]
pub(crate) async fn targets_of_device(
    cx: &Context,
    mounts: &[MountEntry],
    device: &Path,
) -> Result<Vec<PathBuf>> {
    let mut targets = Vec::new();
    for mount in mounts {
        if is_mount_of(cx, mount, device).await? {
            targets.push(mount.target.clone());
        }
    }
    Ok(targets)
}

/// Whether the mount has `device` as its source. `device` must have no links.
#[cfg(any(feature = "lvm", feature = "system"))]
pub(crate) async fn is_mount_of(cx: &Context, mount: &MountEntry, device: &Path) -> Result<bool> {
    if !mount.source.is_absolute() {
        return Ok(false);
    }
    Ok(device::resolve(cx, &mount.source).await?.as_deref() == Some(device))
}

/// Decodes spaces and a few other bytes, which the kernel writes as a backslash and three octal digits.
pub(crate) fn unescaped(word: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [first, tail @ ..] = rest {
        let digit = |byte: u8| (b'0'..=b'7').contains(&byte).then(|| u32::from(byte - b'0'));
        let code = match rest {
            [b'\\', a, b, c, ..] => digit(*a)
                .zip(digit(*b))
                .zip(digit(*c))
                .and_then(|((a, b), c)| u8::try_from(a * 64 + b * 8 + c).ok()),
            _ => None,
        };
        let (byte, used) = code.map_or((*first, tail), |code| (code, rest.get(4..).unwrap_or_default()));
        bytes.push(byte);
        rest = used;
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "system")]
    #[test]
    fn the_last_mount_is_the_visible_one() {
        let mount = |target: &str, source: &str| MountEntry {
            target: target.into(),
            source: source.into(),
            ..MountEntry::default()
        };
        let mounts = [mount("/", "/dev/c"), mount("/srv/x", "/dev/a"), mount("/srv/x", "/dev/b")];
        assert_eq!(at(&mounts, Path::new("/srv/x")), Some(&mounts[2]));
        assert_eq!(at(&mounts, Path::new("/srv")), None);
        assert_eq!(holding(&mounts, Path::new("/srv/x/y")), Some(&mounts[2]));
        assert_eq!(holding(&mounts, Path::new("/srv/xy")), Some(&mounts[0]));
        assert_eq!(holding(&mounts[1..], Path::new("/a")), None);
    }

    /// Uses a table recorded from Linux 6.1.
    #[test]
    fn recorded() {
        let table = b"\
22 1 259:0 / / rw,relatime shared:1 - ext4 /dev/root rw
28 25 0:23 / /dev/pts rw,nosuid,noexec,relatime shared:10 - devpts devpts rw,gid=5,mode=620,ptmxmode=000
158 22 254:1 / /srv/x rw,relatime shared:68 - xfs /dev/mapper/data-rest rw,attr2,inode64,noquota
160 22 254:2 / /srv/a\\040b\\134c rw - ext4 /dev/mapper/data-web rw
";
        let mounts = parse(table);
        let actual: Vec<_> = mounts
            .iter()
            .map(|mount| (mount.target.to_str().unwrap(), mount.source.to_str().unwrap()))
            .collect();
        let expect = [
            ("/", "/dev/root"),
            ("/dev/pts", "devpts"),
            ("/srv/x", "/dev/mapper/data-rest"),
            ("/srv/a b\\c", "/dev/mapper/data-web"),
        ];
        assert_eq!(actual, expect);
    }
}
