//! Directories that serve as mount points.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

const MODE: u32 = 0o755;

/// Returns the missing directories of a path, outermost first.
///
/// The inner error says why nothing can be mounted at the path.
pub(crate) async fn missing(cx: &Context, path: &Path) -> Result<Result<Vec<PathBuf>, String>> {
    let mut missing = Vec::new();
    for path in path.ancestors() {
        match cx.system().files().metadata(path, Follow::Links).await? {
            Some(metadata) if metadata.kind == FileKind::Directory => break,
            Some(_) => {
                let path = path.display();
                return Ok(Err(format!("{path} is not a directory, so nothing can be mounted there")));
            }
            None => missing.push(path.to_owned()),
        }
    }
    missing.reverse();
    Ok(Ok(missing))
}

/// Creates these directories.
pub(crate) async fn make(cx: &Context, missing: &[PathBuf]) -> Result<()> {
    for path in missing {
        cx.system().files().create_dir(path, MODE).await?;
    }
    Ok(())
}

/// Returns a warning if the directory has entries, which a mount would hide.
pub(crate) async fn hides(cx: &Context, path: &Path) -> Result<Option<String>> {
    let files = cx.system().files();
    let is_directory = |kind| kind == FileKind::Directory;
    let hides =
        files.metadata(path, Follow::Links).await?.is_some_and(|metadata| is_directory(metadata.kind))
            && !files.read_dir(path).await?.is_empty();
    let path = path.display();
    Ok(hides.then(|| format!("{path} is not empty: the mount hides its content")))
}
