//! Changes that need no new file: directories, modes, owners.
//!
//! The changes reach the disk before they are reported. One sync covers a whole batch.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, Metadata, SystemError, SystemErrorKind};

use super::descent::Descent;

/// Returns an error if a change of the file will be refused.
///
/// A plan then reports the refusal, and an apply reports it before it changes anything.
pub(crate) async fn is_allowed(cx: &Context, path: &Path, metadata: &Metadata) -> Result<()> {
    if has_several_names(metadata) {
        cx.system().files().may_change(path, Follow::Links).await?;
    }
    Ok(())
}

/// Like [`is_allowed`], for files with several names in a tree, by their paths below its root.
///
/// Files that no longer exist are skipped.
pub(crate) async fn are_allowed(cx: &Context, root: &Path, with_names: &[PathBuf]) -> Result<()> {
    let mut tree = None;
    for path in with_names {
        cx.check_cancelled()?;
        if path.as_os_str().is_empty() {
            cx.system().files().may_change(root, Follow::Links).await?;
            continue;
        }
        let tree = match &mut tree {
            Some(tree) => tree,
            none => {
                let Some(directory) = cx.system().files().open_dir(root).await? else { return Ok(()) };
                none.insert(Descent::new(directory))
            }
        };
        let parent = path.parent().unwrap_or(Path::new(""));
        let (Some(directory), Some(name)) = (tree.to(parent).await?, path.file_name()) else { continue };
        match directory.may_change(name).await {
            Err(SystemError { kind: SystemErrorKind::NotFound, .. }) => {}
            allowed => allowed?,
        }
    }
    Ok(())
}

/// Whether the file has several names; changes of other files are never refused.
pub(crate) fn has_several_names(metadata: &Metadata) -> bool {
    metadata.kind != FileKind::Directory && metadata.links > 1
}

/// A task that changes existing files.
#[async_trait]
pub(super) trait InPlace: Task {
    fn path(&self) -> &Path;

    /// Makes the changes. They may not be on the disk yet.
    async fn make(&mut self, cx: &Context) -> Result<Status>;
}

/// Applies the changes of one task.
pub(super) async fn alone<T: InPlace>(task: &mut T, cx: &Context) -> Result<Status> {
    together(&mut [task], cx).await.pop().unwrap_or_else(|| Ok(Status::new()))
}

/// Applies the changes of all tasks.
pub(super) async fn together<T: InPlace>(batch: &mut [&mut T], cx: &Context) -> Vec<Result<Status>> {
    let mut results = Vec::with_capacity(batch.len());
    for task in batch.iter_mut() {
        results.push(task.make(cx).await);
    }
    let changed = batch.iter().zip(&results).filter(|(_, result)| result.is_ok());
    let changed: Vec<&Path> = changed.map(|(task, _)| task.path()).collect();
    if changed.is_empty() {
        return results;
    }
    if let Err(error) = cx.system().files().flush(&changed).await {
        for result in results.iter_mut().filter(|result| result.is_ok()) {
            *result = Err(error.clone().into());
        }
    }
    results
}
