//! Simulated disks that are full or read-only.

use std::path::Path;

use super::Effect;
use super::errno::{Errno, errno};
use super::machine::{Disk, Machine};
use super::tree::Content;
use crate::SystemErrorKind;

impl Machine {
    /// Whether the machine has neither such disks nor files that cannot be replaced.
    pub(super) fn is_plain(&self) -> bool {
        self.disks.is_empty() && self.mounted.is_empty()
    }

    fn disk(&self, path: &Path) -> Option<(&Path, Disk)> {
        path.ancestors()
            .find_map(|path| self.disks.get_key_value(path))
            .map(|(path, disk)| (path.as_path(), *disk))
    }

    /// Checks that the disks allow an effect, which would turn this machine into `after`.
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

    /// Checks that an entry may be removed.
    ///
    /// A read-only disk reports its error before a missing entry is noticed.
    pub(super) fn check_removal(&self, path: &Path) -> Result<(), SystemErrorKind> {
        match path.parent().and_then(|folder| self.disk(folder)) {
            Some((_, Disk::ReadOnly)) => Err(SystemErrorKind::ReadOnly),
            _ => Ok(()),
        }
    }

    /// Checks that both paths are on the same disk, as a rename requires.
    pub(super) fn check_crossing(&self, from: &Path, to: &Path) -> Result<(), SystemErrorKind> {
        // A mount point itself belongs to the disk above it.
        let disk_of =
            |path: &Path| path.parent().and_then(|folder| self.disk(folder)).map(|(at, _)| at.to_owned());
        if disk_of(from) == disk_of(to) { Ok(()) } else { Err(errno(Errno::CrossesDevices)) }
    }

    /// Checks that a path is not a mount point, which cannot be removed or replaced.
    pub(super) fn check_mounted(&self, path: &Path) -> Result<(), SystemErrorKind> {
        let is_mounted = self.mounted.contains(path) || self.disks.contains_key(path);
        if is_mounted { Err(errno(Errno::Busy)) } else { Ok(()) }
    }
}
