//! The bytes of a plugin, read once: the bytes that are verified are the bytes that run.
#![expect(
    clippy::disallowed_methods,
    reason = "plugins are run where the program runs, not on the system of a run"
)]

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod unsupported;

use std::io;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
pub(super) use linux::{Image, is_no_program};
#[cfg(not(target_os = "linux"))]
pub(super) use unsupported::{Image, is_no_program};

/// Lists the paths in a folder.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}
