//! Reads the mount table of the kernel.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use converge_core::prelude::*;

/// Where the kernel of Linux has it.
pub(crate) const TABLE: &str = "/proc/self/mountinfo";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MountEntry {
    pub(crate) target: PathBuf,
    /// The path of a device, where it is one.
    pub(crate) source: PathBuf,
}

/// Everything that is mounted, in order: what comes later hides what is mounted at the same place.
pub(crate) async fn all(cx: &Context) -> Result<Vec<MountEntry>> {
    let table = cx.system().files().read(Path::new(TABLE)).await?;
    let table = table.ok_or_else(|| Error::NotFound { kind: "file", name: TABLE.to_owned() })?;
    Ok(parse(&table.bytes))
}

fn parse(table: &[u8]) -> Vec<MountEntry> {
    table.split(|byte| *byte == b'\n').filter_map(line).collect()
}

/// `ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS [TAG ..] - TYPE SOURCE OPTIONS`.
fn line(line: &[u8]) -> Option<MountEntry> {
    let mut words = line.split(|byte| *byte == b' ');
    let target = words.nth(4)?;
    let mut words = words.skip_while(|word| *word != b"-");
    let source = words.nth(2)?;
    Some(MountEntry { target: unescaped(target), source: unescaped(source) })
}

/// The kernel writes spaces and a few other bytes as a backslash and three octal digits.
fn unescaped(word: &[u8]) -> PathBuf {
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

    /// Recorded from Linux 6.1.
    #[test]
    fn recorded() {
        let table = b"\
22 1 259:0 / / rw,relatime shared:1 - ext4 /dev/root rw
28 25 0:23 / /dev/pts rw,nosuid,noexec,relatime shared:10 - devpts devpts rw,gid=5,mode=620,ptmxmode=000
158 22 254:1 / /srv/x rw,relatime shared:68 - xfs /dev/mapper/data-rest rw,attr2,inode64,noquota
160 22 254:2 / /srv/a\\040b\\134c rw - ext4 /dev/mapper/data-web rw
";
        let found = parse(table);
        let shown: Vec<_> = found
            .iter()
            .map(|mount| (mount.target.to_str().unwrap(), mount.source.to_str().unwrap()))
            .collect();
        let expect = [
            ("/", "/dev/root"),
            ("/dev/pts", "devpts"),
            ("/srv/x", "/dev/mapper/data-rest"),
            ("/srv/a b\\c", "/dev/mapper/data-web"),
        ];
        assert_eq!(shown, expect);
    }
}
