//! Devices by the names that `/etc/fstab` has for them.

use std::path::{Path, PathBuf};

use converge_core::prelude::*;
use converge_core::system::Command;

use crate::{device, tools};

/// What stands before the name of a device that is found by what is on it.
const TAGS: [&str; 4] = ["UUID=", "LABEL=", "PARTUUID=", "PARTLABEL="];

/// Whether a source names a device by what is on it.
pub(super) fn is_tag(source: &str) -> bool {
    TAGS.iter().any(|tag| source.len() > tag.len() && source.starts_with(tag))
}

/// The path of a device, as a module or a line names it, without links; `None` when there is none.
pub(super) async fn device(cx: &Context, source: &str) -> Result<Option<PathBuf>> {
    if !is_tag(source) {
        return device::resolve(cx, Path::new(source)).await;
    }
    let (_, output) = tools::try_look(cx, Command::new("findfs").arg(source)).await?;
    if !output.exit.success() {
        return Ok(None);
    }
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    device::resolve(cx, Path::new(&path)).await
}
