use std::path::PathBuf;

use converge_core::prelude::*;
use converge_core::system::{FileKind, Files, Follow, Metadata, SystemErrorKind};

/// Calls `visit` for everything below the directory `root`, but not for `root` itself. Symbolic links
/// are visited and not followed. What disappears meanwhile is left out.
///
/// Deep trees cost memory, not stack.
pub(crate) async fn below(
    cx: &Context,
    files: &dyn Files,
    root: PathBuf,
    mut visit: impl FnMut(PathBuf, Metadata) + Send,
) -> Result<()> {
    let mut directories = vec![root];
    while let Some(directory) = directories.pop() {
        cx.check_cancelled()?;
        let entries = match files.read_dir(&directory).await {
            Ok(entries) => entries,
            Err(error) if error.kind == SystemErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        let first = directories.len();
        for entry in entries {
            let Some(metadata) = files.metadata(&entry.path, Follow::Never).await? else { continue };
            if metadata.kind == FileKind::Directory {
                directories.push(entry.path.clone());
            }
            visit(entry.path, metadata);
        }
        // The next directory is taken from the end, and it should be the first by name.
        if let Some(found) = directories.get_mut(first..) {
            found.reverse();
        }
    }
    Ok(())
}
