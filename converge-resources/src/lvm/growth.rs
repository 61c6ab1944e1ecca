//! Growth of file systems with their devices.
//!
//! `lvextend --resizefs` grows both in one step, but never again if it is killed in between. Here the size of
//! the file system is compared with that of the volume, so the next run grows the file system. A file system
//! that cannot use the last bytes of a volume does not count as too small: each kind has a limit for these
//! bytes.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::Exit;

use crate::{device, mount_table, tools};

/// A kind of file system that can grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ext,
    Xfs,
    Btrfs,
}

/// A file system on a device, with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrowableFilesystem {
    kind: Kind,
    /// The type: `ext4`.
    pub(super) name: String,
    /// The size in bytes.
    pub(super) size: u64,
    /// The number of bytes of a device that may stay unused: too few for another block group.
    slack: u64,
    mounted: Option<PathBuf>,
    /// The number of the device in a btrfs.
    member: u64,
}

impl GrowableFilesystem {
    /// Whether the file system leaves space unused on a device of this size, in bytes.
    pub(super) fn leaves_room(&self, device_size: u64) -> bool {
        device_size > self.size.saturating_add(self.slack)
    }

    /// Whether the file system can grow now; some kinds have to be mounted.
    pub(super) fn can_grow(&self) -> bool {
        self.kind == Kind::Ext || self.mounted.is_some()
    }

    pub(super) async fn grow(&self, cx: &Context, device: &Path) -> Result<()> {
        let device = &*device.to_string_lossy();
        let mounted = self.mounted.as_deref().map(Path::to_string_lossy);
        match (self.kind, mounted) {
            (Kind::Ext, mounted) => {
                if mounted.is_none() {
                    // `resize2fs` requires this check. Exit code 1 means that errors were found and
                    // corrected.
                    let (command, output) = tools::try_change(cx, "e2fsck", ["-f", "-p", device]).await?;
                    if !matches!(output.exit, Exit::Code(0 | 1)) {
                        return Err(tools::failed(command, &output));
                    }
                }
                tools::change(cx, "resize2fs", [device]).await?;
            }
            (Kind::Xfs, Some(target)) => {
                tools::change(cx, "xfs_growfs", [&*target]).await?;
            }
            (Kind::Btrfs, Some(target)) => {
                let size = format!("{}:max", self.member);
                tools::change(cx, "btrfs", ["filesystem", "resize", &size, &target]).await?;
            }
            (Kind::Xfs | Kind::Btrfs, None) => {}
        }
        Ok(())
    }
}

/// Returns the file system on a device, or `None` if there is none that can grow.
///
/// The path of the device must have no links.
pub(super) async fn find(cx: &Context, device: &Path) -> Result<Option<GrowableFilesystem>> {
    let filesystem = device::signatures(cx, device).await?.into_iter().find_map(|signature| {
        let kind = match signature.kind.as_str() {
            "ext2" | "ext3" | "ext4" => Kind::Ext,
            "xfs" => Kind::Xfs,
            "btrfs" => Kind::Btrfs,
            _ => return None,
        };
        Some((kind, signature.kind))
    });
    let Some((kind, name)) = filesystem else { return Ok(None) };
    let mounted =
        mount_table::targets_of_device(cx, &mount_table::all(cx).await?, device).await?.into_iter().next();
    let path = &*device.to_string_lossy();
    let (command, printed) = match kind {
        Kind::Ext => ("dumpe2fs", tools::look(cx, "dumpe2fs", ["-h", path]).await?),
        Kind::Xfs => {
            let place = mounted.as_deref().unwrap_or(device).to_string_lossy();
            ("xfs_info", tools::look(cx, "xfs_info", [&*place]).await?)
        }
        Kind::Btrfs => {
            let args = ["filesystem", "show", "--raw", path];
            ("btrfs filesystem show", tools::look(cx, "btrfs", args).await?)
        }
    };
    let mut member = 1;
    let measured = match kind {
        Kind::Ext => ext(&printed),
        Kind::Xfs => xfs(&printed),
        Kind::Btrfs => {
            let mut measured = None;
            for (number, size, device_path) in btrfs(&printed) {
                if device::resolve(cx, Path::new(device_path)).await?.as_deref() == Some(device) {
                    member = number;
                    measured = Some((size, BTRFS_SLACK));
                }
            }
            measured
        }
    };
    let (size, slack) =
        measured.ok_or_else(|| tools::unreadable(command, &format!("no size of {path} in it")))?;
    Ok(Some(GrowableFilesystem { kind, name, size, slack, mounted, member }))
}

/// The bytes of a device that btrfs may leave unused, because it uses whole sectors.
const BTRFS_SLACK: u64 = 1 << 20;

/// The smallest allocation group of an xfs, in blocks.
const XFS_SMALLEST_GROUP: u64 = 64;

/// The minimum number of blocks for which `resize2fs` adds a block group.
///
/// It covers the superblock, the bitmaps, and a minimum of data beside the tables of the group, with a
/// margin.
const EXT_SMALLEST_GROUP: u64 = 100;

/// Parses the size and the slack from the output of `dumpe2fs -h`.
fn ext(printed: &str) -> Option<(u64, u64)> {
    let field = |name: &str| -> Option<u64> {
        let value = printed.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        value.trim().parse().ok()
    };
    let block = field("Block size")?;
    let tables = field("Inode blocks per group")?.checked_add(field("Reserved GDT blocks").unwrap_or(0))?;
    let slack = tables.checked_add(EXT_SMALLEST_GROUP)?.checked_mul(block)?;
    Some((field("Block count")?.checked_mul(block)?, slack))
}

/// Parses the size and the slack from the output of `xfs_info`.
///
/// A line is `data = bsize=4096 blocks=92160, imaxpct=25`.
fn xfs(printed: &str) -> Option<(u64, u64)> {
    let data = printed.lines().find(|line| line.starts_with("data"))?;
    let field = |name: &str| -> Option<u64> {
        let value = data.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?;
        value.trim_end_matches(',').parse().ok()
    };
    let block = field("bsize")?;
    Some((field("blocks")?.checked_mul(block)?, XFS_SMALLEST_GROUP.checked_mul(block)?))
}

/// Parses the number, size and path of each device from the output of `btrfs filesystem show --raw`.
///
/// A line is `devid 1 size 171966464 used 92274688 path /dev/mapper/data-b`.
fn btrfs(printed: &str) -> impl Iterator<Item = (u64, u64, &str)> {
    printed.lines().filter_map(|line| {
        let (numbers, path) = line.trim().split_once(" path ")?;
        let mut words = numbers.split_whitespace();
        let number = (words.next()? == "devid").then(|| words.next())??.parse().ok()?;
        let size = (words.next()? == "size").then(|| words.next())??.parse().ok()?;
        Some((number, size, path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses output recorded from e2fsprogs 1.47, xfsprogs 6.1 and btrfs-progs 6.2.
    #[test]
    fn recorded() {
        let dumped = "\
Block count:              122880
Reserved block count:     6144
First block:              1
Block size:               1024
Reserved GDT blocks:      256
Blocks per group:         8192
Inode blocks per group:   512
Journal backup:           inode blocks
";
        assert_eq!(ext(dumped), Some((120 << 20, 868 << 10)));
        assert_eq!(ext("Block size: 1024\n"), None);

        let info = "\
meta-data=/dev/mapper/data-rest  isize=512    agcount=4, agsize=23040 blks
         =                       sectsz=512   attr=2, projid32bit=1
data     =                       bsize=4096   blocks=92160, imaxpct=25
         =                       sunit=0      swidth=0 blks
log      =internal log           bsize=4096   blocks=16384, version=2
realtime =none                   extsz=4096   blocks=0, rtextents=0
";
        assert_eq!(xfs(info), Some((360 << 20, 256 << 10)));
        assert_eq!(xfs(""), None);

        let output = "\
Label: none  uuid: 9ad0df67-444f-4ca7-99de-a98e8d4fad38
\tTotal devices 1 FS bytes used 147456
\tdevid    1 size 171966464 used 92274688 path /dev/mapper/data-b

";
        assert_eq!(btrfs(output).collect::<Vec<_>>(), [(1, 171_966_464, "/dev/mapper/data-b")]);
        assert_eq!(btrfs("devid 1 path /x\n\tdevid a size 1 path /y\n").count(), 0);
    }

    #[test]
    fn too_little_room_is_none() {
        let filesystem = GrowableFilesystem {
            kind: Kind::Xfs,
            name: "xfs".into(),
            size: 1000,
            slack: 50,
            mounted: None,
            member: 1,
        };
        assert!(!filesystem.leaves_room(900));
        assert!(!filesystem.leaves_room(1050));
        assert!(filesystem.leaves_room(1051));
        assert!(!filesystem.can_grow());
    }
}
