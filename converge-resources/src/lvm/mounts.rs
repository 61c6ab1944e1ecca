//! What is mounted where.

use std::path::{Path, PathBuf};

use converge_core::prelude::*;

use super::device;
use crate::mounts::MountEntry;
pub(super) use crate::mounts::all;

/// The mount that is visible at `target`.
pub(super) fn at<'a>(mounts: &'a [MountEntry], target: &Path) -> Option<&'a MountEntry> {
    mounts.iter().rev().find(|mount| mount.target == target)
}

/// Where a device is mounted, in order. `device` has no links in it.
pub(super) async fn of(cx: &Context, mounts: &[MountEntry], device: &Path) -> Result<Vec<PathBuf>> {
    let mut targets = Vec::new();
    for mount in mounts {
        if is_of(cx, mount, device).await? {
            targets.push(mount.target.clone());
        }
    }
    Ok(targets)
}

/// Whether what is mounted is `device`, which has no links in it.
pub(super) async fn is_of(cx: &Context, mount: &MountEntry, device: &Path) -> Result<bool> {
    if !mount.source.is_absolute() {
        return Ok(false);
    }
    Ok(device::resolve(cx, &mount.source).await?.as_deref() == Some(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_mount_is_the_visible_one() {
        let mount = |target: &str, source: &str| MountEntry { target: target.into(), source: source.into() };
        let found = [mount("/srv/x", "/dev/a"), mount("/srv/x", "/dev/b"), mount("/", "/dev/c")];
        assert_eq!(at(&found, Path::new("/srv/x")), Some(&found[1]));
        assert_eq!(at(&found, Path::new("/srv")), None);
    }
}
