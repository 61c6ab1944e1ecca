//! The lock of a run.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use tokio::sync::OwnedSemaphorePermit;

use super::error::StateError;
use super::holder::{Holder, Record};
use super::leftovers::{ClaimResult, Inherited, find_leftovers};
use crate::system::Marker;
use converge_system::private_files;

/// The file that a run locks and writes its record to.
const LOCK: &str = "lock";

/// The file whose descriptor the programs of the run inherit.
const PROGRAMS: &str = "programs";

/// The maximum number of bytes read from a record.
const LIMIT: u64 = 64 * 1024;

/// The lock of a run.
///
/// The kernel releases it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct RunLock {
    file: File,
    /// The descriptor that programs inherit, claimed after the file is locked.
    programs: Inherited,
    /// Released last, so that the next run of this process finds both files free.
    _turn: OwnedSemaphorePermit,
}

pub(crate) enum TryLock {
    Locked(RunLock),
    HeldBy(Holder, OwnedSemaphorePermit),
}

/// Takes the lock unless another process has it.
///
/// The `turn` permit excludes other runs of this process.
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
        // The record of the killed run stays, so that messages can name its module.
        ClaimResult::By(processes) => {
            let module = read(&path).map(|record| record.module);
            Ok(TryLock::HeldBy(Holder::Leftovers { processes, module }, turn))
        }
        ClaimResult::Free(programs) => {
            write(&file, module).map_err(|error| StateError::file("write", &path, error))?;
            Ok(TryLock::Locked(RunLock { file, programs, _turn: turn }))
        }
    }
}

/// Returns the holder of the lock without touching the lock.
pub(super) fn holder(folder: &Path) -> Option<Holder> {
    let record = read(&folder.join(LOCK))?;
    if record.is_alive() {
        return Some(record.into());
    }
    let processes = find_leftovers(&folder.join(PROGRAMS));
    let module = Some(record.module);
    (!processes.is_empty()).then_some(Holder::Leftovers { processes, module })
}

impl RunLock {
    /// Returns the marker that the programs of the run must inherit.
    pub(crate) fn marker(&self) -> &Marker {
        self.programs.marker()
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // A failure is harmless: the record only informs others.
        let _ = self.file.set_len(0);
    }
}

/// Reads the record.
///
/// On Windows a locked file cannot be read, so nothing is returned.
fn read(path: &Path) -> Option<Record> {
    let mut text = String::new();
    File::open(path).ok()?.take(LIMIT).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn write(file: &File, module: &str) -> io::Result<()> {
    let text = serde_json::to_vec(&Record::of_this_process(module))?;
    file.set_len(0)?;
    let length = private_files::write_first(file, &text)?;
    if length == text.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}
