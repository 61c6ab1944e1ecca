//! Folders for a while.

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
use super::open_file::{Folder, HOLD, Held, LIST};
use super::path_walk::trust;
use super::stat::{Outcome, mode};
use super::{list, path_lookup};
use crate::kernel_random::fill;
use crate::{FileKind, SystemError, SystemErrorKind, TempDir};

const USUAL: &str = "/tmp";

const PREFIX: &str = "converge-";

const RANDOM_BYTES: usize = 12;

const MODE: u32 = 0o700;

/// So many names are tried.
const ATTEMPTS: usize = 16;

/// A folder that is deeper is taken to the top before it is looked into, so that no tree needs more open files than this.
const DEEPEST: usize = 32;

/// So often it is begun anew while somebody still makes files in it.
const ROUNDS: usize = 16;

struct LocalTempDir {
    /// Taken when it is removed.
    place: Option<Removal>,
    path: PathBuf,
    shared: Arc<Shared>,
}

/// What is needed to remove it, whatever its path leads to by then.
struct Removal {
    folder: Folder,
    name: OsString,
    held: Held,
}

pub(super) fn create(shared: &Arc<Shared>, programs: &Programs) -> Result<Box<dyn TempDir>, SystemError> {
    let asked = (!shared.place.is_confined()).then(|| programs.environment.get("TMPDIR")).flatten();
    let asked = asked.map(PathBuf::from).filter(|asked| asked.is_absolute());
    let mut failed = None;
    for directory in asked.into_iter().chain([USUAL.into()]) {
        match create_in(&directory, shared) {
            Ok(made) => return Ok(Box::new(made)),
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
    // Its path is used again and again: nobody else may be able to give that name to something else.
    if trust().can_rename_in(&folder.metadata()?) {
        let why = "somebody else could put something else in its place";
        return Err(SystemErrorKind::Other(why.to_owned()));
    }
    for _ in 0..ATTEMPTS {
        let name = random_name()?;
        match mkdirat(&folder, &name, mode(MODE)) {
            Err(Errno::EXIST) => continue,
            made => made?,
        }
        let path = directory.join(&name);
        let held = Held::new(folder.open(&name, HOLD | OFlags::DIRECTORY)?)?;
        let place = Some(Removal { folder, name, held });
        let made = LocalTempDir { place, path, shared: Arc::clone(shared) };
        // The umask may take more away, and the folder above may give set-gid.
        if let Some(Removal { held, .. }) = &made.place
            && held.metadata.mode != MODE
        {
            set_mode(held, MODE)?;
        }
        return Ok(made);
    }
    Err(SystemErrorKind::Unsteady)
}

fn random_name() -> Outcome<OsString> {
    let mut random = [0; RANDOM_BYTES];
    fill(&mut random)?;
    let mut name = PREFIX.to_owned();
    for byte in random {
        // Writing to a string does not fail.
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
            // It is removed by its name, which is that of another one when somebody who may do that has renamed it.
            if !Held::entry(&self.folder, &self.name).is_ok_and(|there| there.is(&self.held)) {
                return Ok(());
            }
            match unlinkat(&self.folder, &self.name, AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY | Errno::EXIST) if round + 1 < ROUNDS => {}
                removed => return Ok(removed?),
            }
        }
        Ok(())
    }

    /// A program may have taken the permissions away.
    fn held_for_reading(&self) -> Outcome<OwnedFd> {
        openat(&self.held.fd, ".", LIST, Mode::empty()).or_else(|_| {
            set_mode(&self.held, MODE)?;
            Ok(openat(&self.held.fd, ".", LIST, Mode::empty())?)
        })
    }
}

/// Removes all that is in a folder. Links are removed, and never followed.
fn empty(top: &Folder) -> Outcome<()> {
    /// A folder that is being emptied, and what is left in it.
    struct Level {
        folder: Folder,
        name: OsString,
        left: Vec<OsString>,
    }
    let level = |folder: Folder, name: OsString| -> Outcome<Level> {
        let entries = list::all(folder.reopen(LIST)?)?;
        let mut left = Vec::with_capacity(entries.len());
        for entry in entries {
            // Most are files, and gone before anything else is looked at.
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
            let Some(done) = levels.pop() else { break };
            if let Some(above) = levels.last() {
                gone(unlinkat(&above.folder, &done.name, AtFlags::REMOVEDIR))?;
            }
            continue;
        };
        match unlinkat(&deepest.folder, &name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            // It became a file in between.
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
            // What is there already may have any name but this one.
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

/// Opens a folder, whatever its permissions are; `None` when it is gone.
fn open(folder: &Folder, name: &OsStr) -> Outcome<Option<Folder>> {
    let opened = match folder.open(name, LIST) {
        Err(SystemErrorKind::PermissionDenied) => {
            set_mode(&Held::new(folder.open(name, HOLD | OFlags::DIRECTORY)?)?, MODE)?;
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

/// What somebody else has removed is removed.
fn gone(removed: rustix::io::Result<()>) -> Outcome<()> {
    match removed {
        Err(Errno::NOENT) => Ok(()),
        removed => Ok(removed?),
    }
}
