//! The lock of a run.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use tokio::sync::OwnedSemaphorePermit;

use super::error::StateError;
use super::holder::{Holder, Record};
use super::leftovers::{Claimed, Inherited, left};
use super::private_files;
use crate::system::Marker;

/// The file that a run locks, and in which it says who it is.
const LOCK: &str = "lock";

/// The file of which the programs of a run inherit a descriptor.
const PROGRAMS: &str = "programs";

/// A record has no more bytes than this, however long the path of a module is.
const LIMIT: u64 = 64 * 1024;

/// The lock of a run. The kernel takes it off when the process ends, whatever ends it.
#[derive(Debug)]
pub(crate) struct RunLock {
    file: File,
    /// After the file in time: programs can only be left where there is a run.
    programs: Inherited,
    /// After both: the next run of this process finds them free.
    _turn: OwnedSemaphorePermit,
}

/// What became of an attempt to take the lock.
pub(crate) enum TryLock {
    Locked(RunLock),
    HeldBy(Holder, OwnedSemaphorePermit),
}

/// Takes the lock, unless another process has it. The turn says that no other run of this one does.
pub(super) fn try_lock(
    folder: &Path,
    module: &str,
    turn: OwnedSemaphorePermit,
) -> Result<TryLock, StateError> {
    let path = folder.join(LOCK);
    let file = private_files::open(&path).map_err(|error| StateError::file("open", &path, error))?;
    if !private_files::try_lock(&file).map_err(|error| StateError::file("lock", &path, error))? {
        return Ok(TryLock::HeldBy(read(&path).map_or(Holder::Unknown, Holder::from), turn));
    }
    let programs = folder.join(PROGRAMS);
    let claimed = Inherited::claim(&programs).map_err(|error| StateError::file("lock", &programs, error))?;
    match claimed {
        // The record stays as the killed run has left it, so that it can be told whose programs they are.
        Claimed::By(processes) => {
            let module = read(&path).map(|record| record.module);
            Ok(TryLock::HeldBy(Holder::Leftovers { processes, module }, turn))
        }
        Claimed::Free(programs) => {
            write(&file, module).map_err(|error| StateError::file("write", &path, error))?;
            Ok(TryLock::Locked(RunLock { file, programs, _turn: turn }))
        }
    }
}

/// Who has the lock, without touching it.
pub(super) fn holder(folder: &Path) -> Option<Holder> {
    let record = read(&folder.join(LOCK))?;
    if record.is_alive() {
        return Some(record.into());
    }
    let processes = left(&folder.join(PROGRAMS));
    let module = Some(record.module);
    (!processes.is_empty()).then_some(Holder::Leftovers { processes, module })
}

impl RunLock {
    /// What the programs of the run have to inherit.
    pub(crate) fn marker(&self) -> &Marker {
        self.programs.marker()
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // Only what is shown to others is lost when it fails.
        let _ = self.file.set_len(0);
    }
}

/// What it says; nothing on Windows while it is locked, where a lock keeps readers out as well.
fn read(path: &Path) -> Option<Record> {
    let mut text = String::new();
    File::open(path).ok()?.take(LIMIT).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn write(file: &File, module: &str) -> io::Result<()> {
    let text = serde_json::to_vec(&Record::of_this_process(module))?;
    file.set_len(0)?;
    let written = private_files::write_first(file, &text)?;
    if written == text.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}
