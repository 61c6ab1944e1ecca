//! The commit of new files: they get their names, durably.
//!
//! The content of a file reaches the disk before the file gets its name, so that a name never refers to
//! partial content. The names reach the disk before success is reported. Each step waits for the disk, and
//! these waits dominate the cost of many small files. Files that are committed together share two waits per
//! file system.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::fstat;

use super::super::cleaned_folders::device;
use super::super::path_root::PathRoot;
use super::super::pool::CancelFlag;
use super::super::system_state::Shared;
use super::open_file::{Folder, LIST};
use super::path_lookup;
use super::staged_file::Staged;
use super::stat::{Outcome, there};
use crate::{CommitFile, Follow, SystemError, SystemErrorKind};

/// The number of files from which one flush of their file system is cheaper than one flush per file.
///
/// A flush also waits for the writes of others, which a few files should not have to.
const MANY: usize = 8;

/// The part of a file that must reach the disk.
#[derive(Clone, Copy)]
enum Part {
    Content,
    Name,
}

pub(super) async fn one(staged: Staged, commit: CommitFile, shared: &Shared) -> Outcome<()> {
    all(vec![(staged, commit)], shared).await.pop().unwrap_or(Ok(()))
}

/// Commits files together.
///
/// Returns one result per file.
pub(super) async fn all(staged: Vec<(Staged, CommitFile)>, shared: &Shared) -> Vec<Outcome<()>> {
    let count = staged.len();
    if count == 0 {
        return Vec::new();
    }
    let committed = shared.pool.run(move |interest| commit(staged, interest)).await;
    committed.unwrap_or_else(|error| vec![Err(error); count])
}

/// Gives the files their names, unless the caller has given up.
pub(super) fn commit(staged: Vec<(Staged, CommitFile)>, interest: &CancelFlag) -> Outcome<Vec<Outcome<()>>> {
    let completed = |(mut staged, commit): (Staged, CommitFile)| staged.complete(&commit).map(|()| staged);
    let mut files: Vec<Outcome<Staged>> = staged.into_iter().map(completed).collect();
    flush(&mut files, Part::Content);
    // A flush may take long. A caller that gave up meanwhile assumes that nothing was written.
    interest.check()?;
    for file in &mut files {
        if let Ok(staged) = file
            && let Err(error) = staged.give_name()
        {
            *file = Err(error);
        }
    }
    flush(&mut files, Part::Name);
    Ok(files.into_iter().map(|file| file.map(drop)).collect())
}

/// Waits until a part of each file is on disk.
///
/// A file for which this fails is replaced by its error.
fn flush(files: &mut [Outcome<Staged>], part: Part) {
    let mut file_systems: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut failed: Vec<(usize, SystemErrorKind)> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let Ok(staged) = file else { continue };
        if staged.is_in_place() {
            continue;
        }
        match staged.device() {
            Ok(device) => file_systems.entry(device).or_default().push(index),
            Err(error) => failed.push((index, error)),
        }
    }
    for members in file_systems.into_values() {
        let staged: Vec<(usize, &Staged)> =
            members.into_iter().filter_map(|index| Some((index, files[index].as_ref().ok()?))).collect();
        // The file was opened before anything was written, so this flush reports the errors of all writes
        // since.
        let sync_file = staged.first().filter(|_| staged.len() >= MANY).map(|(_, staged)| staged.file());
        if let Some(result) = sync_file.and_then(|file| file_system(file)) {
            let error = result.err();
            failed.extend(staged.iter().filter_map(|(index, _)| Some((*index, error.clone()?))));
            continue;
        }
        for (index, staged) in staged {
            let flushed = match part {
                Part::Content => staged.file().sync_all().map_err(SystemErrorKind::from),
                Part::Name => directory(staged.folder(), staged.file()),
            };
            failed.extend(flushed.err().map(|error| (index, error)));
        }
    }
    for (index, error) in failed {
        files[index] = Err(error);
    }
}

/// Flushes the names in a directory; `inside` is a file in it.
fn directory(folder: &Folder, inside: &File) -> Outcome<()> {
    match folder.reopen(LIST) {
        Ok(directory) => names(&File::from(directory)),
        // The directory is writable but not readable.
        Err(SystemErrorKind::PermissionDenied) => {
            file_system(inside).unwrap_or_else(|| Ok(inside.sync_all()?))
        }
        Err(error) => Err(error),
    }
}

/// Flushes a directory.
///
/// Ignores file systems that do not support that because there is nothing to flush.
pub(super) fn names(directory: &File) -> Outcome<()> {
    match directory.sync_all() {
        Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Err(error.into())
        }
        _ => Ok(()),
    }
}

pub(super) struct FileSystems {
    /// An open directory on each file system.
    directories: Vec<File>,
    /// Whether there are others without a readable directory.
    others: bool,
}

/// Finds the file systems of these paths.
///
/// A removed path stands for its nearest existing ancestor.
pub(super) fn file_systems(place: &PathRoot, paths: &[&Path]) -> Result<FileSystems, SystemError> {
    let mut systems = FileSystems { directories: Vec::new(), others: false };
    let mut visited = BTreeSet::new();
    for path in paths {
        let failed = |kind| SystemError::file("write to disk", *path, kind);
        let ancestors = path
            .ancestors()
            .map(|ancestor| if ancestor.as_os_str().is_empty() { Path::new(".") } else { ancestor });
        let handle = ancestors
            .clone()
            .find_map(|ancestor| there(path_lookup::hold(place, ancestor, Follow::Links)).transpose());
        let Some(handle) = handle else { continue };
        let device_id = device(&fstat(handle.map_err(failed)?.fd).map_err(|error| failed(error.into()))?);
        if !visited.insert(device_id) {
            continue;
        }
        // Only directories are opened, because opening a device may have effects.
        let directory =
            ancestors.filter_map(|ancestor| path_lookup::open_folder(place, ancestor, LIST).ok()).find_map(
                |directory| (device(&fstat(&directory).ok()?) == device_id).then(|| File::from(directory)),
            );
        systems.others |= directory.is_none();
        systems.directories.extend(directory);
    }
    Ok(systems)
}

impl FileSystems {
    /// Waits until all earlier writes to the file systems are on disk.
    pub(super) fn flush(self) -> Outcome<()> {
        let mut others = self.others;
        for directory in &self.directories {
            match file_system(directory) {
                Some(flushed) => flushed?,
                None => others = true,
            }
        }
        if others {
            rustix::fs::sync();
        }
        Ok(())
    }
}

/// Flushes the file system of a file; `None` if a flush may be incomplete.
#[cfg(target_os = "linux")]
fn file_system(file: &File) -> Option<Outcome<()>> {
    /// The `statfs` types of btrfs, ext, F2FS, overlay, tmpfs and XFS.
    const KNOWN: [u64; 6] = [0x9123_683e, 0xef53, 0xf2f5_2010, 0x794c_7630, 0x0102_1994, 0x5846_5342];

    // Other file systems, such as FUSE, may report success without a flush.
    let kind = u64::try_from(rustix::fs::fstatfs(file).ok()?.f_type).ok()?;
    KNOWN.contains(&kind).then(|| Ok(rustix::fs::syncfs(file)?))
}

/// Returns `None`: only Linux can flush a single file system.
#[cfg(not(target_os = "linux"))]
fn file_system(_file: &File) -> Option<Outcome<()>> {
    None
}
