//! Disks that are full or cannot be written to.

use std::path::Path;

use super::Effect;
use super::errno::{Errno, errno};
use super::machine::Machine;
use super::tree::Content;
use crate::system::SystemErrorKind;

/// What a disk of the model does otherwise than one that can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    /// There is no room for anything new: neither for a file, however small, nor for a directory or a link, nor for more in a file that
    /// is there. All else goes on. It stays full until the test says otherwise, whatever is removed.
    Full,
    /// Nothing on it can be changed.
    ReadOnly,
}

impl Machine {
    /// Whether it has neither such disks nor files that cannot be replaced.
    pub(super) fn is_plain(&self) -> bool {
        self.disks.is_empty() && self.mounted.is_empty()
    }

    /// The disk that a path is on, when it is one of these.
    fn disk(&self, path: &Path) -> Option<(&Path, Disk)> {
        path.ancestors()
            .find_map(|path| self.disks.get_key_value(path))
            .map(|(path, disk)| (path.as_path(), *disk))
    }

    /// Whether disks let something happen on this machine that would make it `after`.
    pub(super) fn check_disk(&self, after: &Self, effect: &Effect) -> Result<(), SystemErrorKind> {
        if self.disks.is_empty() {
            return Ok(());
        }
        let disks: Vec<_> = effect.paths().into_iter().map(|path| self.disk(path)).collect();
        // Only a rename is about two paths.
        let mut places = disks.iter().map(|disk| disk.map(|(at, _)| at));
        if places.next() != places.next_back().or_else(|| disks.first().map(|disk| disk.map(|(at, _)| at))) {
            return Err(errno(Errno::CrossesDevices));
        }
        let disks = || disks.iter().flatten().map(|(_, disk)| *disk);
        if disks().any(|disk| disk == Disk::ReadOnly) {
            return Err(SystemErrorKind::ReadOnly);
        }
        if disks().any(|disk| disk == Disk::Full) && self.needs_room(after, effect) {
            return Err(SystemErrorKind::NoSpace);
        }
        Ok(())
    }

    /// Whether something new is to be on the disk.
    fn needs_room(&self, after: &Self, effect: &Effect) -> bool {
        let len = |machine: &Self, path: &Path| match machine.tree.get(path).map(|node| &node.content) {
            Some(Content::File(bytes)) => bytes.len(),
            _ => 0,
        };
        match effect {
            Effect::WriteFile { .. } | Effect::CreateDir { .. } | Effect::Symlink { .. } => true,
            Effect::WriteInPlace { path } => len(after, path) > len(self, path),
            _ => false,
        }
    }

    /// Whether what is in this directory may be taken out of it: a disk that cannot be written to says so before it is looked what is there.
    pub(super) fn check_removal(&self, path: &Path) -> Result<(), SystemErrorKind> {
        match path.parent().and_then(|folder| self.disk(folder)) {
            Some((_, Disk::ReadOnly)) => Err(SystemErrorKind::ReadOnly),
            _ => Ok(()),
        }
    }

    /// Whether something may take the place of what is here.
    pub(super) fn check_mounted(&self, effect: &Effect) -> Result<(), SystemErrorKind> {
        let is_taken = |path: &Path| self.mounted.contains(path) || self.disks.contains_key(path);
        let taken = match effect {
            Effect::WriteFile { path } | Effect::RemoveFile { path } | Effect::RemoveDir { path } => {
                is_taken(path)
            }
            Effect::Rename { from, to } => is_taken(from) || is_taken(to),
            _ => false,
        };
        if taken { Err(errno(Errno::Busy)) } else { Ok(()) }
    }
}
