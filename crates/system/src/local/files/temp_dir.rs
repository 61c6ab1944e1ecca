//! Temporary directories.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::super::program_settings::Programs;
use super::super::system_state::Shared;
use super::attribute_changes::set_mode;
use super::open_file::{Folder, HOLD, LIST, PathHandle};
use super::path_walk::trust;
use super::stat::{Outcome, mode};
use super::{list, path_lookup};
use crate::kernel_random::fill;
use crate::{FileKind, SystemError, SystemErrorKind, TempDir};

const USUAL: &str = "/tmp";

const PREFIX: &str = "converge-";

const RANDOM_BYTES: usize = 12;

const MODE: u32 = 0o700;

/// The number of names that are tried.
const ATTEMPTS: usize = 16;

/// The maximum number of nested open directories during removal.
///
/// A deeper directory is first moved to the top, so that no tree needs more open files.
const DEEPEST: usize = 32;

/// The number of attempts while others still create files in the directory.
const ROUNDS: usize = 16;

struct LocalTempDir {
    /// Taken when the directory is removed.
    place: Option<Removal>,
    path: PathBuf,
    shared: Arc<Shared>,
}

/// The handles for the removal, which do not depend on the path.
struct Removal {
    folder: Folder,
    name: OsString,
    held: PathHandle,
}

pub(super) fn create(shared: &Arc<Shared>, programs: &Programs) -> Result<Box<dyn TempDir>, SystemError> {
    let variable = (!shared.place.is_confined()).then(|| programs.environment.get("TMPDIR")).flatten();
    let variable = variable.map(PathBuf::from).filter(|asked| asked.is_absolute());
    let mut failed = None;
    for directory in variable.into_iter().chain([USUAL.into()]) {
        match create_in(&directory, shared) {
            Ok(folder) => return Ok(Box::new(folder)),
            Err(kind) => {
                let error = SystemError::file("make a temporary folder in", directory, kind);
                failed.get_or_insert(error);
            }
        }
    }
    let nowhere = || SystemError::file("make a temporary folder in", USUAL, SystemErrorKind::NotFound);
    Err(failed.unwrap_or_else(nowhere))
}

fn create_in(directory: &Path, shared: &Arc<Shared>) -> Outcome<LocalTempDir> {
    let folder = Folder::from(path_lookup::open_folder(&shared.place, directory, HOLD)?);
    // The path is used repeatedly, so nobody else may be able to replace the directory.
    if trust().can_rename_in(&folder.metadata()?) {
        let reason = "somebody else could put something else in its place";
        return Err(SystemErrorKind::Other(reason.to_owned()));
    }
    for _ in 0..ATTEMPTS {
        let name = random_name()?;
        match mkdirat(&folder, &name, mode(MODE)) {
            Err(Errno::EXIST) => continue,
            made => made?,
        }
        let path = directory.join(&name);
        let handle = PathHandle::new(folder.open(&name, HOLD | OFlags::DIRECTORY)?)?;
        let place = Some(Removal { folder, name, held: handle });
        let temp_dir = LocalTempDir { place, path, shared: Arc::clone(shared) };
        // The umask may remove more bits, and the parent may add set-gid.
        if let Some(Removal { held, .. }) = &temp_dir.place
            && held.metadata.mode != MODE
        {
            set_mode(held, MODE)?;
        }
        return Ok(temp_dir);
    }
    Err(SystemErrorKind::Unsteady)
}

fn random_name() -> Outcome<OsString> {
    let mut random = [0; RANDOM_BYTES];
    fill(&mut random)?;
    let mut name = PREFIX.to_owned();
    for byte in random {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    Ok(name.into())
}

#[async_trait]
impl TempDir for LocalTempDir {
    fn path(&self) -> &Path {
        &self.path
    }

    async fn remove(mut self: Box<Self>) -> Result<(), SystemError> {
        let Some(place) = self.place.take() else { return Ok(()) };
        let removed = self.shared.pool.run(move |_| place.remove()).await;
        removed.map_err(|kind| SystemError::file("remove the temporary folder", &self.path, kind))
    }
}

impl Drop for LocalTempDir {
    fn drop(&mut self) {
        if let Some(place) = self.place.take()
            && let Err(error) = place.remove()
        {
            tracing::warn!(path = %self.path.display(), %error, "a temporary folder is left behind");
        }
    }
}

impl Removal {
    fn remove(&self) -> Outcome<()> {
        let top = Folder::from(self.held_for_reading()?);
        for round in 0..ROUNDS {
            empty(&top)?;
            // If the directory was renamed, its former name may refer to something else.
            if !PathHandle::entry(&self.folder, &self.name).is_ok_and(|entry| entry.is(&self.held)) {
                return Ok(());
            }
            match unlinkat(&self.folder, &self.name, AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY | Errno::EXIST) if round + 1 < ROUNDS => {}
                removed => return Ok(removed?),
            }
        }
        Ok(())
    }

    /// Opens the directory for listing.
    ///
    /// Restores its mode if a program has changed it.
    fn held_for_reading(&self) -> Outcome<OwnedFd> {
        openat(&self.held.fd, ".", LIST, Mode::empty()).or_else(|_| {
            set_mode(&self.held, MODE)?;
            Ok(openat(&self.held.fd, ".", LIST, Mode::empty())?)
        })
    }
}

/// Removes the content of a directory.
///
/// Links are removed, never followed.
fn empty(top: &Folder) -> Outcome<()> {
    /// A directory that is being emptied, with its remaining entries.
    struct Level {
        folder: Folder,
        name: OsString,
        left: Vec<OsString>,
    }
    let level = |folder: Folder, name: OsString| -> Outcome<Level> {
        let entries = list::all(folder.reopen(LIST)?)?;
        let mut left = Vec::with_capacity(entries.len());
        for entry in entries {
            // Most entries are files, and are removed here.
            if entry.kind == FileKind::Directory || unlinkat(&folder, &entry.name, AtFlags::empty()).is_err()
            {
                left.push(entry.name);
            }
        }
        Ok(Level { folder, name, left })
    };
    let mut levels = vec![level(top.clone(), OsString::new())?];
    while let Some(deepest) = levels.last_mut() {
        let Some(name) = deepest.left.pop() else {
            let Some(last_level) = levels.pop() else { break };
            if let Some(parent) = levels.last() {
                gone(unlinkat(&parent.folder, &last_level.name, AtFlags::REMOVEDIR))?;
            }
            continue;
        };
        match unlinkat(&deepest.folder, &name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            // The directory was replaced by a file meanwhile.
            Err(Errno::NOTDIR) => {
                gone(unlinkat(&deepest.folder, &name, AtFlags::empty()))?;
                continue;
            }
            removed => {
                gone(removed)?;
                continue;
            }
        }
        let folder = deepest.folder.clone();
        if levels.len() >= DEEPEST {
            // A random name, so that it does not clash with existing entries.
            let shallow = random_name()?;
            gone(renameat(&folder, &name, top, &shallow))?;
            if let Some(first) = levels.first_mut() {
                first.left.push(shallow);
            }
            continue;
        }
        if let Some(opened) = open(&folder, &name)? {
            levels.push(level(opened, name)?);
        }
    }
    Ok(())
}

/// Opens a directory whatever its permissions are; `None` if it no longer exists.
fn open(folder: &Folder, name: &OsStr) -> Outcome<Option<Folder>> {
    let opened = match folder.open(name, LIST) {
        Err(SystemErrorKind::PermissionDenied) => {
            set_mode(&PathHandle::new(folder.open(name, HOLD | OFlags::DIRECTORY)?)?, MODE)?;
            folder.open(name, LIST)
        }
        opened => opened,
    };
    match opened {
        Ok(opened) => Ok(Some(opened.into())),
        Err(SystemErrorKind::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Treats an entry that somebody else has removed as removed.
fn gone(removed: rustix::io::Result<()>) -> Outcome<()> {
    match removed {
        Err(Errno::NOENT) => Ok(()),
        removed => Ok(removed?),
    }
}
