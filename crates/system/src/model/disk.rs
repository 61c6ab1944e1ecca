//! Disks that are full or cannot be written to.

use std::path::Path;

use super::Effect;
use super::errno::{Errno, errno};
use super::machine::{Disk, Machine};
use super::tree::Content;
use crate::SystemErrorKind;

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
            Effect::WriteFile { .. }
            | Effect::CreateDir { .. }
            | Effect::Symlink { .. }
            | Effect::HardLink { .. } => true,
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

    /// Whether both are on the same disk, as what is renamed has to be.
    pub(super) fn check_crossing(&self, from: &Path, to: &Path) -> Result<(), SystemErrorKind> {
        // What is mounted is on its own disk, and its place on the one above.
        let at =
            |path: &Path| path.parent().and_then(|folder| self.disk(folder)).map(|(at, _)| at.to_owned());
        if at(from) == at(to) { Ok(()) } else { Err(errno(Errno::CrossesDevices)) }
    }

    /// Whether what is here may go away.
    pub(super) fn check_mounted(&self, path: &Path) -> Result<(), SystemErrorKind> {
        let is_mounted = self.mounted.contains(path) || self.disks.contains_key(path);
        if is_mounted { Err(errno(Errno::Busy)) } else { Ok(()) }
    }
}
