//! Symbolic links at the destination of a written file.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, StagedFile, SystemError, SystemErrorKind};

use super::sibling_path;

/// Whether a symbolic link at the destination stays and its target is written, or a file replaces it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FollowLink(pub(crate) bool);

impl FollowLink {
    /// Returns the target of the link that the new file has to replace, if there is one.
    pub(crate) async fn replaced_link(self, cx: &Context, path: &Path) -> Result<Option<PathBuf>> {
        if self.0 {
            return Ok(None);
        }
        let files = cx.system().files();
        match files.metadata(path, Follow::Never).await? {
            Some(metadata) if metadata.kind == FileKind::Symlink => Ok(files.read_link(path).await?),
            _ => Ok(None),
        }
    }

    /// Begins to write the file.
    pub(crate) async fn stage(self, cx: &Context, path: &Path) -> Result<Box<dyn StagedFile>> {
        let files = cx.system().files();
        let Some(name) = path.file_name().filter(|_| !self.0) else { return Ok(files.stage(path).await?) };
        // A directory that is open for the write replaces a link instead of following it.
        let directory = sibling_path::directory(path);
        let opened = files.open_dir(directory).await?;
        let missing = || SystemError::file("write", path, SystemErrorKind::NotFound);
        Ok(opened.ok_or_else(missing)?.stage(name).await?)
    }
}

/// Returns the state before a change, for a difference.
pub(crate) fn shown(replaced_link: Option<&Path>) -> String {
    replaced_link.map_or_else(|| "absent".to_owned(), |target| format!("a link to {}", target.display()))
}
