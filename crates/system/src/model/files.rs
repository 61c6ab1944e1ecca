//! The files of the model host, with the results and errors of Linux.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::directory::ModelDirectory;
use super::errno::{Errno, errno};
use super::file_operations::{
    MODE_BITS, ModelScratch, ModelStaged, entries, has_slash, inherited, open, put, read, rename, set_mode,
    there, without_set_id, without_slash,
};
use super::tree::Content;
use super::{Effect, Shared, temp_dir};
use crate::{
    CommitFile, DirEntry, Directory, ExtendedAttribute, FileContent, Files, Follow, Inherit, Inode, Metadata,
    Ownership, ReadAt, ScratchFile, StagedFile, SystemError, SystemErrorKind, TempDir, WriteFile,
};

#[async_trait]
impl Files for Shared {
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError> {
        self.turn().await;
        self.look("look at", path, |machine| {
            Ok(there(machine.tree.find(path, follow))?.map(|(_, node)| node.metadata()))
        })
    }

    async fn read_head(&self, path: &Path, limit: u64) -> Result<Option<FileContent>, SystemError> {
        self.turn().await;
        self.look("read", path, |machine| read(&machine.tree, path, limit))
    }

    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        self.turn().await;
        let opened = self.look("read", path, |machine| open(&machine.tree, path, Follow::Links))?;
        Ok(opened.map(|opened| Box::new(opened) as Box<dyn ReadAt>))
    }

    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError> {
        self.turn().await;
        let WriteFile { content, mode, ownership, inherit } = write;
        let commit = CommitFile { mode, ownership, inherit, modified: None };
        put(self, path, Follow::Links, content, commit)
    }

    async fn write_in_place(&self, path: &Path, content: &[u8]) -> Result<(), SystemError> {
        self.turn().await;
        let allowed = self.lock().check_size(content.len());
        self.change("write into", path, |machine| {
            let (path, node) = machine.tree.find_for_change(path, Follow::Links)?;
            if node.is_dir() {
                return Err(SystemErrorKind::IsADirectory);
            }
            allowed?;
            let now = machine.now;
            machine.tree.alter(&path, |node| {
                (node.content, node.modified) = (Content::File(content.into()), now);
            });
            Ok(Effect::WriteInPlace { path })
        })
    }

    async fn inherited(&self, path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError> {
        self.turn().await;
        self.look("look at", path, |machine| inherited(&machine.tree, path, inherit))
    }

    async fn stage(&self, path: &Path) -> Result<Box<dyn StagedFile>, SystemError> {
        self.turn().await;
        Ok(Box::new(ModelStaged::new(self, path, Follow::Links)?))
    }

    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError> {
        self.turn().await;
        Ok(Box::new(ModelScratch(Vec::new())))
    }

    async fn temp_dir(&self) -> Result<Box<dyn TempDir>, SystemError> {
        self.turn().await;
        temp_dir::create(self)
    }

    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        self.turn().await;
        self.change("create the directory", path, |machine| {
            let path = machine.tree.unused_path(without_slash(path))?;
            machine.tree.create(path.clone(), Content::Directory, mode & MODE_BITS, machine.now);
            Ok(Effect::CreateDir { path })
        })
    }

    /// Checks the directory only: there is no disk to wait for.
    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError> {
        self.turn().await;
        self.look("write to disk", path, |machine| {
            let (_, node) = machine.tree.find(path, Follow::Links)?;
            if node.is_dir() { Ok(()) } else { Err(SystemErrorKind::NotADirectory) }
        })
    }

    async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        self.turn().await;
        ModelDirectory::open(self, path, Follow::Links, path)
    }

    async fn flush(&self, _paths: &[&Path]) -> Result<(), SystemError> {
        self.turn().await;
        Ok(())
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError> {
        self.turn().await;
        let entries = self.look("list", path, |machine| entries(&machine.tree, path))?;
        Ok(entries
            .into_iter()
            .map(|entry| DirEntry { path: path.join(entry.name), kind: entry.kind })
            .collect())
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        self.turn().await;
        set_mode(self, path, mode, Follow::Links)
    }

    async fn set_ownership(
        &self,
        path: &Path,
        ownership: Ownership,
        follow: Follow,
    ) -> Result<(), SystemError> {
        self.turn().await;
        self.change("change the owner of", path, |machine| {
            let (path, _) = machine.tree.find_for_change(path, follow)?;
            machine.tree.alter(&path, |node| {
                node.uid = ownership.uid.unwrap_or(node.uid);
                node.gid = ownership.gid.unwrap_or(node.gid);
                if matches!(node.content, Content::File(_)) {
                    node.mode = without_set_id(node.mode);
                }
            });
            Ok(Effect::SetOwnership { path, ownership })
        })
    }

    async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError> {
        self.turn().await;
        self.look("change", path, |machine| machine.tree.find_for_change(path, follow).map(|_| ()))
    }

    async fn extended_attributes(
        &self,
        path: &Path,
        follow: Follow,
    ) -> Result<Option<Vec<ExtendedAttribute>>, SystemError> {
        self.turn().await;
        self.look("read the attributes of", path, |machine| {
            Ok(there(machine.tree.find(path, follow))?.map(|(_, node)| node.extended_attributes()))
        })
    }

    async fn set_extended_attribute(&self, path: &Path, name: &str, value: &[u8]) -> Result<(), SystemError> {
        self.turn().await;
        self.change("change the attributes of", path, |machine| {
            let (path, _) = machine.tree.find_for_change(path, Follow::Links)?;
            let mut set = Ok(());
            machine.tree.alter(&path, |node| set = node.set_extended(name, value));
            set.map(|()| Effect::SetAttribute { path, name: name.to_owned() })
        })
    }

    async fn remove_extended_attribute(&self, path: &Path, name: &str) -> Result<(), SystemError> {
        self.turn().await;
        self.change("change the attributes of", path, |machine| {
            let (path, _) = machine.tree.find_for_change(path, Follow::Links)?;
            machine.tree.alter(&path, |node| node.remove_extended(name));
            Ok(Effect::RemoveAttribute { path, name: name.to_owned() })
        })
    }

    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError> {
        self.turn().await;
        self.look("read the link", path, |machine| match there(machine.tree.find(path, Follow::Never))? {
            None => Ok(None),
            Some((_, node)) => match &node.content {
                Content::Symlink(target) => Ok(Some(target.clone())),
                _ => Err(SystemErrorKind::InvalidPath),
            },
        })
    }

    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError> {
        self.turn().await;
        self.change("create the link", path, |machine| {
            if target.as_os_str().is_empty() {
                return Err(SystemErrorKind::NotFound);
            }
            let slash = has_slash(path);
            let path = machine.tree.unused_path(without_slash(path))?;
            if slash {
                return Err(SystemErrorKind::NotFound);
            }
            let target = target.to_owned();
            machine.tree.create(path.clone(), Content::Symlink(target.clone()), 0o777, machine.now);
            Ok(Effect::Symlink { path, target })
        })
    }

    async fn inode(&self, path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError> {
        self.turn().await;
        self.look("look at", path, |machine| {
            Ok(there(machine.tree.find(path, follow))?.map(|(path, node)| machine.inode(&path, node)))
        })
    }

    async fn hard_link(&self, existing: &Path, path: &Path) -> Result<(), SystemError> {
        self.turn().await;
        self.change("create the hard link", path, |machine| {
            let (existing, node) = machine.tree.find_for_change(existing, Follow::Never)?;
            match node.content {
                Content::File(_) => {}
                Content::Directory => return Err(SystemErrorKind::IsADirectory),
                Content::Symlink(_) => return Err(SystemErrorKind::InvalidPath),
            }
            let slash = has_slash(path);
            let path = machine.tree.unused_path(without_slash(path))?;
            if slash {
                return Err(SystemErrorKind::NotFound);
            }
            if machine.check_crossing(&existing, &path).is_err() {
                return Err(SystemErrorKind::OtherFileSystem);
            }
            machine.tree.link(&existing, path.clone());
            Ok(Effect::HardLink { path, existing })
        })
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError> {
        self.turn().await;
        self.change("rename", from, |machine| {
            if machine.is_plain() {
                return rename(&mut machine.tree, from, to);
            }
            let last = |path: &Path| machine.tree.walk(without_slash(path), Follow::Never);
            let mut mounted = Ok(());
            if let (Ok((from, _)), Ok((to, _))) = (last(from), last(to)) {
                machine.check_crossing(&from, &to)?;
                machine.check_removal(&from)?;
                mounted = machine.check_mounted(&from).and(machine.check_mounted(&to));
            }
            // A rename that would fail anyway reports its own error. If the disk refuses it, the machine is
            // restored.
            let effect = rename(&mut machine.tree, from, to)?;
            mounted.map(|()| effect)
        })
    }

    async fn remove_file(&self, path: &Path) -> Result<(), SystemError> {
        self.turn().await;
        self.change("remove", path, |machine| {
            let slash = has_slash(path);
            machine.check_removal(&machine.tree.walk(without_slash(path), Follow::Never)?.0)?;
            let (path, node) = machine.tree.find(without_slash(path), Follow::Never)?;
            if node.is_dir() {
                return Err(SystemErrorKind::IsADirectory);
            }
            if slash {
                return Err(SystemErrorKind::NotADirectory);
            }
            machine.check_mounted(&path)?;
            machine.tree.remove_one(&path);
            Ok(Effect::RemoveFile { path })
        })
    }

    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError> {
        self.turn().await;
        self.change("remove the directory", path, |machine| {
            machine.check_removal(&machine.tree.walk(without_slash(path), Follow::Never)?.0)?;
            let (path, node) = machine.tree.find(without_slash(path), Follow::Never)?;
            if !node.is_dir() {
                return Err(SystemErrorKind::NotADirectory);
            }
            if path.parent().is_none() {
                return Err(errno(Errno::Busy));
            }
            machine.check_mounted(&path)?;
            if machine.tree.children(&path).next().is_some() {
                return Err(SystemErrorKind::NotEmpty);
            }
            machine.tree.remove_one(&path);
            Ok(Effect::RemoveDir { path })
        })
    }
}
