//! Inspection of the target of a hard link.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, Inode, SystemErrorKind};

use crate::file::sibling_path;

/// The target of a hard link.
pub(super) struct Existing {
    pub(super) inode: Inode,
    /// The number of names of the file.
    pub(super) links: u64,
}

/// Looks up the target of a hard link; returns `None` if it does not exist.
pub(super) async fn look(cx: &Context, path: &Path) -> Result<Option<Existing>> {
    let (files, display) = (cx.system().files(), path.display());
    let kind = match files.metadata(path, Follow::Never).await? {
        None => return Ok(None),
        Some(metadata) if metadata.kind == FileKind::File => {
            let inode = files.inode(path, Follow::Never).await?;
            return Ok(inode.map(|inode| Existing { inode, links: metadata.links }));
        }
        Some(metadata) => match metadata.kind {
            FileKind::Symlink => {
                return Err(Error::msg(format!(
                    "{display} is a symbolic link, and a hard link to it would be one too: name the file that it points to"
                )));
            }
            FileKind::Special(special) => special.to_string(),
            FileKind::Directory | FileKind::File => "a folder".to_owned(),
        },
    };
    Err(Error::msg(format!(
        "{display} is {kind}, and only files have hard links: without `hard`, the link is a symbolic one"
    )))
}

/// Whether the link already is another name of the target.
pub(super) async fn is_name_of(cx: &Context, path: &Path, existing: &Existing) -> Result<bool> {
    let inode = cx.system().files().inode(path, Follow::Never).await?;
    Ok(inode == Some(existing.inode))
}

/// Returns the reason why the target cannot get this name, as far as it is known in advance.
pub(super) async fn refusal(
    cx: &Context,
    link: &Path,
    target: &Path,
    existing: &Existing,
) -> Result<Option<String>> {
    let files = cx.system().files();
    // The directories are compared: on an overlay, a file may report another device than the directory that
    // contains it.
    let (link_directory, target_directory) = (sibling_path::directory(link), sibling_path::directory(target));
    let link_inode = files.inode(link_directory, Follow::Links).await?;
    let target_inode = files.inode(target_directory, Follow::Links).await?;
    if link_inode
        .zip(target_inode)
        .is_some_and(|(link_inode, target_inode)| link_inode.device != target_inode.device)
    {
        return Ok(Some(format!(
            "{} is on another file system than {}, and a hard link is on the same one: without `hard`, the link is a symbolic one",
            target.display(),
            link.display()
        )));
    }
    if existing.links < 2 {
        return Ok(None);
    }
    match files.may_change(target, Follow::Never).await {
        // The target was removed meanwhile; the creation of the link reports that.
        Err(error) if error.kind == SystemErrorKind::NotFound => Ok(None),
        Err(error) => Ok(Some(error.to_string())),
        Ok(()) => Ok(None),
    }
}
