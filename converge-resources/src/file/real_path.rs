//! Resolution of paths for comparison with other paths; operations use the path as it is written.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Files, Follow, SystemError, SystemErrorKind};

/// The maximum number of links to follow, the same as in Linux.
const MAX_LINKS: usize = 40;

/// Resolves the links in a path, except for a link at its end.
pub(crate) async fn place(cx: &Context, path: &Path) -> Result<PathBuf> {
    let parent = resolved(cx, path.parent().unwrap_or(path)).await?;
    Ok(path.file_name().map_or_else(|| parent.clone(), |name| parent.join(name)))
}

/// Resolves all links in a path. Parts that do not exist are kept.
pub(crate) async fn resolved(cx: &Context, path: &Path) -> Result<PathBuf> {
    let files = cx.system().files();
    let mut left = parts(path);
    if path.is_relative() {
        // The model host has no `/proc/self/cwd`, and starts at the root.
        let cwd = files.read_link(Path::new("/proc/self/cwd")).await?;
        left.extend(cwd.iter().flat_map(|cwd| parts(cwd)));
    }
    let mut output = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = left.pop() {
        if part == ".." {
            output.pop();
            continue;
        }
        output.push(part);
        if !is_link(files, &output).await? {
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(SystemError::file("follow", path, SystemErrorKind::LinkLoop).into());
        }
        let target = files.read_link(&output).await?.unwrap_or_default();
        output.pop();
        if target.is_absolute() {
            output = PathBuf::from("/");
        }
        left.extend(parts(&target));
    }
    Ok(output)
}

async fn is_link(files: &dyn Files, path: &Path) -> Result<bool> {
    match files.metadata(path, Follow::Never).await {
        Err(error) if error.kind == SystemErrorKind::NotADirectory => Ok(false),
        found => Ok(found?.is_some_and(|metadata| metadata.kind == FileKind::Symlink)),
    }
}

/// Returns the parts of a path, the last first.
fn parts(path: &Path) -> Vec<OsString> {
    let is_name = |part: &Component<'_>| !matches!(part, Component::RootDir | Component::CurDir);
    path.components().rev().filter(is_name).map(|part| part.as_os_str().to_owned()).collect()
}
