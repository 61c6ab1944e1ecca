//! Resolution of mount sources, and their comparison with mounts.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

use super::options;
use crate::file::real_path;
use crate::mount_table::{self, MountEntry};
use crate::system::device_tag;
use crate::system::fstab::Entry;
use crate::text_file;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A device, by its path without links.
    Device(PathBuf),
    /// A file with a file system in it.
    Image(PathBuf),
    /// A part of a mounted file system: the device number of the file system, and the path in it.
    Part { number: String, root: PathBuf },
    /// A source that only has a name: a network share, or a virtual file system.
    Named(String),
}

/// Resolves the source of an entry, or returns `None` if it does not exist.
pub(super) async fn find(cx: &Context, entry: &Entry, mounts: &[MountEntry]) -> Result<Option<Source>> {
    let source = entry.source.as_str();
    let is_path = source.starts_with('/') && !source.starts_with("//");
    if options::is_bind(&entry.options) && is_path {
        let resolved_path = real_path::resolved(cx, Path::new(source)).await?;
        if cx.system().files().metadata(&resolved_path, Follow::Never).await?.is_none() {
            return Ok(None);
        }
        let Some(mount) = mount_table::holding(mounts, &resolved_path) else { return Ok(None) };
        let inner = resolved_path.strip_prefix(&mount.target).unwrap_or(Path::new(""));
        return Ok(Some(Source::Part { number: mount.number.clone(), root: plain(&mount.root.join(inner)) }));
    }
    if !is_path && !device_tag::is_tag(source) {
        return Ok(Some(Source::Named(source.to_owned())));
    }
    let Some(path) = device_tag::device(cx, source).await? else { return Ok(None) };
    let metadata = cx.system().files().metadata(&path, Follow::Never).await?;
    // The model host has no devices, so a file in `/dev` counts as one.
    Ok(metadata.map(|metadata| {
        let is_image = metadata.kind == FileKind::File && !path.starts_with("/dev");
        if is_image { Source::Image(path) } else { Source::Device(path) }
    }))
}

/// Removes a slash at the end of a path, which a join with an empty path leaves.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

impl Source {
    /// Whether `mount` has this source.
    pub(super) async fn is_mounted_as(&self, cx: &Context, mount: &MountEntry) -> Result<bool> {
        Ok(match self {
            Self::Named(name) => mount.source == Path::new(name),
            Self::Part { number, root } => mount.number == *number && mount.root == *root,
            Self::Device(path) => {
                // The kernel lists the boot device as `/dev/root`.
                mount_table::is_mount_of(cx, mount, path).await?
                    || about_block(cx, path, "dev").await?.is_some_and(|number| number == mount.number)
            }
            Self::Image(path) => {
                let behind = about_block(cx, &mount.source, "loop/backing_file").await?;
                behind.is_some_and(|behind| Path::new(&behind) == path)
            }
        })
    }
}

/// Reads an attribute of a block device from `/sys`.
async fn about_block(cx: &Context, device: &Path, attribute: &str) -> Result<Option<String>> {
    let Some(name) = device.file_name() else { return Ok(None) };
    let path = Path::new("/sys/class/block").join(name).join(attribute);
    Ok(text_file::read(cx, &path).await?.map(|text| text.trim_end().to_owned()))
}

/// Whether the type `found` of a mount fits the declared one.
pub(super) fn is_type(declared: &str, actual: &str) -> bool {
    let is_fuse = |name: &str| name.starts_with("fuse");
    match (declared, actual) {
        ("auto" | "none", _) | ("nfs", "nfs4") | ("nfs4", "nfs") | ("ntfs", "ntfs3") => true,
        (declared, found) => declared == found || is_fuse(declared) || is_fuse(found),
    }
}
