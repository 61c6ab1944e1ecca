//! Creation of the home directory of an existing user. `useradd` creates one only for a new user.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{
    CommitFile, Directory, FileKind, Files, Follow, NamedEntry, Ownership, ReadAt, StagedFile, SystemError,
    SystemErrorKind,
};

use crate::removal;
use crate::user::defaults::Defaults;

const SUFFIX: &str = ".converge-tmp";

/// The maximum length of a file name, in bytes.
const NAME_BYTES: usize = 255;

/// The number of bytes of a file that are copied at once.
const PIECE: usize = 64 * 1024;

#[derive(Clone, Debug)]
pub(super) struct NewHome<'a> {
    pub(super) path: &'a Path,
    /// The directory with the initial content.
    pub(super) skeleton: &'a Path,
    pub(super) owner: Ownership,
}

impl NewHome<'_> {
    /// Creates the directory beside its path, and renames it when it is complete.
    ///
    /// A crash therefore leaves no incomplete directory that would count as the home directory.
    pub(super) async fn make(&self, cx: &Context, defaults: &Defaults) -> Result<()> {
        let files = cx.system().files();
        let (Some(parent), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Err(
                SystemError::file("create the directory", self.path, SystemErrorKind::InvalidPath).into()
            );
        };
        make_parents(files, parent).await?;
        let parent = open(files, parent).await?;
        let unfinished = unfinished(name);
        // An interrupted run may have left the directory, and the user may have changed it since.
        removal::remove(cx, &*parent, &unfinished).await?;
        parent.create_dir(&unfinished, 0o700).await?;
        if let Some(home) = parent.open_dir(&unfinished).await? {
            self.copy(cx, home).await?;
        }
        // After this change the user has access, and this program writes nothing more in the directory.
        parent.set_ownership(&unfinished, self.owner).await?;
        parent.set_mode(&unfinished, defaults.mode).await?;
        parent.rename(&unfinished, name).await?;
        Ok(())
    }

    /// Copies the skeleton, and makes the user the owner.
    async fn copy(&self, cx: &Context, home: Box<dyn Directory>) -> Result<()> {
        let Some(skeleton) = cx.system().files().open_dir(self.skeleton).await? else { return Ok(()) };
        let mut directories = vec![(skeleton, home)];
        while let Some((from, to)) = directories.pop() {
            cx.check_cancelled()?;
            for NamedEntry { name, .. } in from.entries().await? {
                let Some(metadata) = from.metadata(&name).await? else { continue };
                match metadata.kind {
                    FileKind::Directory => {
                        to.create_dir(&name, metadata.mode).await?;
                        if let (Some(from), Some(to)) =
                            (from.open_dir(&name).await?, to.open_dir(&name).await?)
                        {
                            directories.push((from, to));
                        }
                    }
                    FileKind::File => {
                        let Some(file) = from.open(&name).await? else { continue };
                        let mut staged = to.stage(&name).await?;
                        copy_content(&*file, &mut *staged).await?;
                        let mode = Some(metadata.mode);
                        staged.commit(CommitFile { mode, ..CommitFile::default() }).await?;
                    }
                    FileKind::Symlink => {
                        let Some(target) = from.read_link(&name).await? else { continue };
                        to.symlink(&target, &name).await?;
                    }
                    // `useradd` skips devices and other special files as well.
                    FileKind::Special(_) => continue,
                }
                to.set_ownership(&name, self.owner).await?;
                // A large tree takes a while, and other tasks wait for this thread.
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }
}

async fn copy_content(from: &dyn ReadAt, to: &mut dyn StagedFile) -> Result<()> {
    let mut buffer = vec![0; PIECE];
    let mut offset = 0;
    loop {
        let count = from.read_at(offset, &mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        to.write(&buffer[..count]).await?;
        offset += count as u64;
    }
}

/// Returns the temporary name of the directory, which is the same in each run.
fn unfinished(name: &OsStr) -> OsString {
    let name = name.as_bytes();
    let mut unfinished = b".".to_vec();
    unfinished.extend_from_slice(&name[..name.len().min(NAME_BYTES - 1 - SUFFIX.len())]);
    unfinished.extend_from_slice(SUFFIX.as_bytes());
    OsString::from_vec(unfinished)
}

async fn open(files: &dyn Files, path: &Path) -> Result<Box<dyn Directory>> {
    let opened = files.open_dir(path).await?;
    Ok(opened.ok_or_else(|| SystemError::file("list", path, SystemErrorKind::NotFound))?)
}

/// Creates the missing directories above a home directory.
pub(super) async fn make_parents(files: &dyn Files, parent: &Path) -> Result<()> {
    let mut missing: Vec<PathBuf> = Vec::new();
    for path in parent.ancestors() {
        if files.metadata(path, Follow::Links).await?.is_some() {
            break;
        }
        missing.push(path.to_owned());
    }
    for path in missing.iter().rev() {
        match files.create_dir(path, 0o755).await {
            // Another process may have created the same parent.
            Err(error) if error.kind == SystemErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    Ok(())
}
