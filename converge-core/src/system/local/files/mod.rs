//! Files, through direct system calls.

mod read;
mod scratch;
mod staged;
mod stat;
mod temporary;
#[cfg(test)]
mod tests;
mod unnamed;
mod write;

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::LocalSystem;
use crate::system::{
    DirEntry, FileContent, Files, Follow, Metadata, Ownership, ReadAt, ScratchFile, StagedFile, SystemError,
    WriteFile,
};
use stat::{chmod, describe, existing, kind};

#[async_trait]
impl Files for LocalSystem {
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError> {
        let found = match follow {
            Follow::Links => fs::metadata(path),
            Follow::Never => fs::symlink_metadata(path),
        };
        let found = existing(found).map_err(|error| SystemError::file("look at", path, error))?;
        Ok(found.map(|metadata| describe(&metadata)))
    }

    async fn read(&self, path: &Path) -> Result<Option<FileContent>, SystemError> {
        read::read(path)
    }

    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        Ok(read::open(path)?.map(|opened| Box::new(opened) as Box<dyn ReadAt>))
    }

    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError> {
        write::write(path, write).map_err(|kind| SystemError::file("write", path, kind))
    }

    async fn stage<'a>(&'a self, path: &Path) -> Result<Box<dyn StagedFile + 'a>, SystemError> {
        let staged = staged::stage(path).map_err(|kind| SystemError::file("write", path, kind))?;
        Ok(Box::new(staged))
    }

    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError> {
        Ok(Box::new(scratch::create()?))
    }

    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        let create = || -> io::Result<()> {
            fs::DirBuilder::new().mode(mode & 0o700).create(path)?;
            // The umask, and a set-gid parent, have a say in what `mkdir` gives.
            chmod(path, mode).inspect_err(|_| {
                let _ = fs::remove_dir(path);
            })
        };
        create().map_err(|error| SystemError::file("create the directory", path, error))
    }

    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError> {
        let sync = || {
            let directory = fs::File::open(path)?;
            if !directory.metadata()?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            directory.sync_all()
        };
        sync().map_err(|error| SystemError::file("write to disk", path, error))
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError> {
        let list = || -> io::Result<Vec<DirEntry>> {
            let mut entries = fs::read_dir(path)?
                .map(|entry| {
                    let entry = entry?;
                    Ok(DirEntry { kind: kind(entry.file_type()?), path: entry.path() })
                })
                .collect::<io::Result<Vec<_>>>()?;
            entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
            Ok(entries)
        };
        list().map_err(|error| SystemError::file("list", path, error))
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        chmod(path, mode).map_err(|error| SystemError::file("change the mode of", path, error))
    }

    async fn set_ownership(
        &self,
        path: &Path,
        ownership: Ownership,
        follow: Follow,
    ) -> Result<(), SystemError> {
        let Ownership { uid, gid } = ownership;
        let changed = match follow {
            Follow::Links => std::os::unix::fs::chown(path, uid, gid),
            Follow::Never => std::os::unix::fs::lchown(path, uid, gid),
        };
        changed.map_err(|error| SystemError::file("change the owner of", path, error))
    }

    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError> {
        existing(fs::read_link(path)).map_err(|error| SystemError::file("read the link", path, error))
    }

    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError> {
        std::os::unix::fs::symlink(target, path)
            .map_err(|error| SystemError::file("create the link", path, error))
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError> {
        fs::rename(from, to).map_err(|error| SystemError::file("rename", from, error))
    }

    async fn remove_file(&self, path: &Path) -> Result<(), SystemError> {
        fs::remove_file(path).map_err(|error| SystemError::file("remove", path, error))
    }

    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError> {
        fs::remove_dir(path).map_err(|error| SystemError::file("remove the directory", path, error))
    }
}
