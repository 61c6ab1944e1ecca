//! Makes the home directory of a user who is there and has none. `useradd` makes one only for a new user.

use std::path::{Path, PathBuf};

use converge_core::prelude::*;
use converge_core::system::{FileKind, Files, Follow, Ownership, SystemErrorKind, WriteFile};

use crate::user::defaults::Defaults;

#[derive(Clone, Debug)]
pub(super) struct NewHome<'a> {
    pub(super) path: &'a Path,
    /// What it holds at first.
    pub(super) skeleton: &'a Path,
    pub(super) owner: Ownership,
}

impl NewHome<'_> {
    /// Makes it beside its path and moves it there when it is whole, so that a crash leaves no half of it
    /// that would be taken for the home directory.
    pub(super) async fn make(&self, cx: &Context, defaults: &Defaults) -> Result<()> {
        let files = cx.system().files();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let unfinished = self.path.with_file_name(format!(".{name}.converge-tmp"));
        if let Some(parent) = self.path.parent() {
            make_parents(files, parent).await?;
        }
        // An interrupted run may have left it, and the user may have been in it since.
        remove_tree(files, &unfinished).await?;
        files.create_dir(&unfinished, 0o700).await?;
        self.copy(cx, &unfinished).await?;
        // From here on the user can get into it, and nothing is written there any more.
        files.set_ownership(&unfinished, self.owner, Follow::Never).await?;
        files.set_mode(&unfinished, defaults.mode).await?;
        files.rename(&unfinished, self.path).await?;
        Ok(())
    }

    /// Copies what is in the skeleton, and gives it to the user.
    async fn copy(&self, cx: &Context, home: &Path) -> Result<()> {
        let files = cx.system().files();
        let mut directories = vec![(self.skeleton.to_owned(), home.to_owned())];
        while let Some((from, to)) = directories.pop() {
            cx.check_cancelled()?;
            let entries = match files.read_dir(&from).await {
                Err(error) if error.kind == SystemErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let Some(name) = entry.path.file_name() else { continue };
                let copy = to.join(name);
                let Some(metadata) = files.metadata(&entry.path, Follow::Never).await? else { continue };
                match metadata.kind {
                    FileKind::Directory => {
                        files.create_dir(&copy, metadata.mode).await?;
                        directories.push((entry.path, copy.clone()));
                    }
                    FileKind::File => {
                        let Some(file) = files.read(&entry.path).await? else { continue };
                        let mode = Some(metadata.mode);
                        files.write(&copy, WriteFile { mode, ..WriteFile::new(&file.bytes) }).await?;
                    }
                    FileKind::Symlink => {
                        let Some(target) = files.read_link(&entry.path).await? else { continue };
                        files.symlink(&target, &copy).await?;
                    }
                    // `useradd` leaves devices and the like out as well.
                    FileKind::Special(_) => continue,
                }
                files.set_ownership(&copy, self.owner, Follow::Never).await?;
            }
        }
        Ok(())
    }
}

async fn make_parents(files: &dyn Files, parent: &Path) -> Result<()> {
    let mut missing: Vec<PathBuf> = Vec::new();
    for path in parent.ancestors() {
        if files.metadata(path, Follow::Links).await?.is_some() {
            break;
        }
        missing.push(path.to_owned());
    }
    for path in missing.iter().rev() {
        match files.create_dir(path, 0o755).await {
            // Somebody else makes homes in it too.
            Err(error) if error.kind == SystemErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    Ok(())
}

/// Removes a directory with all that is in it; links are not followed.
async fn remove_tree(files: &dyn Files, root: &Path) -> Result<()> {
    let Some(metadata) = files.metadata(root, Follow::Never).await? else { return Ok(()) };
    if metadata.kind != FileKind::Directory {
        return Ok(files.remove_file(root).await?);
    }
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.last().cloned() {
        let mut empty = true;
        for entry in files.read_dir(&directory).await? {
            if entry.kind == FileKind::Directory {
                empty = false;
                left.push(entry.path);
            } else {
                files.remove_file(&entry.path).await?;
            }
        }
        if empty {
            files.remove_dir(&directory).await?;
            left.pop();
        }
    }
    Ok(())
}
