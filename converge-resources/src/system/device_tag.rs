//! Resolution of device names in `/etc/fstab`.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::Command;

use crate::{device, tools};

/// The prefixes of names that identify a device by its contents.
const TAGS: [&str; 4] = ["UUID=", "LABEL=", "PARTUUID=", "PARTLABEL="];

/// Whether a source identifies a device by its contents.
pub(super) fn is_tag(source: &str) -> bool {
    TAGS.iter().any(|tag| source.len() > tag.len() && source.starts_with(tag))
}

/// Resolves a device name to a path without links, or returns `None` if there is no such device.
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
