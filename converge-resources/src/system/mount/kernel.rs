//! Support of file system types by the machine.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::Command;

use crate::{text_file, tools};

/// The kernel's list of file system types.
const TYPES: &str = "/proc/filesystems";

/// Types that need a helper program, which finds their server or driver.
const WITH_HELPER: [&str; 7] = ["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "davfs"];

/// Returns the helper program of a type, if it needs one.
pub(super) fn helper(fstype: &str) -> Option<String> {
    let is_fuse = fstype.starts_with("fuse.");
    (is_fuse || WITH_HELPER.contains(&fstype)).then(|| {
        let kind = if is_fuse { "fuse" } else { fstype };
        format!("mount.{kind}")
    })
}

/// Whether the kernel has a type, or a module for it.
pub(super) async fn has(cx: &Context, fstype: &str) -> Result<bool> {
    let types = text_file::read(cx, Path::new(TYPES)).await?.unwrap_or_default();
    if types.lines().filter_map(|line| line.split_whitespace().last()).any(|kind| kind == fstype) {
        return Ok(true);
    }
    let program = format!("mount.{fstype}");
    if tools::require(cx, &program).await.is_ok() {
        return Ok(true);
    }
    if tools::require(cx, "modprobe").await.is_err() {
        return Ok(false);
    }
    let module = format!("fs-{fstype}");
    let command = Command::new("modprobe").args(["--show-depends", module.as_str()]);
    Ok(tools::try_look(cx, command).await?.1.exit.success())
}
