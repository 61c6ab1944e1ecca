//! The descriptor that programs inherit.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open, unlink};
use rustix::io::{Errno, fcntl_dupfd_cloexec};

use super::super::holder::Leftover;
use super::super::process::{Facts, program, with_open};
use super::claim::Claimed;
use crate::system::Marker;

/// Far from the numbers that scripts use (`exec 9> FILE`).
const NUMBER: i32 = 250;

/// A descriptor that is inherited by every program that the run starts, and keeps its lock for those that outlive it.
#[derive(Debug)]
pub(crate) struct Inherited(Marker);

impl Inherited {
    /// Claims the file. The caller has the lock of the run, so nobody else does the same.
    pub(crate) fn claim(path: &Path) -> io::Result<Claimed<Self>> {
        // Programs of other users inherit it as well, and are not to write there. NFS locks only what may be written.
        match Self::claim_with(path, OFlags::RDONLY) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::BADF) => {
                Self::claim_with(path, OFlags::RDWR)
            }
            claimed => claimed,
        }
    }

    fn claim_with(path: &Path, access: OFlags) -> io::Result<Claimed<Self>> {
        let file = open_marker(path, access)?;
        if is_locked(&file)? {
            let holders = with_open(path);
            let left = started_by_a_run(&holders);
            // A holder that cannot be seen may be anything.
            if !left.is_empty() || holders.is_empty() {
                return Ok(Claimed::By(left));
            }
            // Only what goes on by itself is left, and has the old file for ever.
            unlink(path)?;
            let file = open_marker(path, access | OFlags::EXCL)?;
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            return Self::by_programs(file).map(Claimed::Free);
        }
        Self::by_programs(file).map(Claimed::Free)
    }

    fn by_programs(file: OwnedFd) -> io::Result<Self> {
        let file = match fcntl_dupfd_cloexec(&file, NUMBER) {
            Ok(high) => high,
            // There are no numbers as high as this where few files may be open.
            Err(_) => file,
        };
        Ok(Self(Marker::new(file)?))
    }
}

impl Inherited {
    pub(crate) fn marker(&self) -> &Marker {
        &self.0
    }
}

impl Drop for Inherited {
    /// For all copies: what has been left in the background holds nothing.
    fn drop(&mut self) {
        // It fails only for what is no descriptor.
        let _ = flock(self.0.file(), FlockOperation::Unlock);
        self.0.withdraw();
    }
}

/// The programs of a killed run that are still there, as far as they can be seen.
pub(crate) fn left(path: &Path) -> Vec<Leftover> {
    started_by_a_run(&with_open(path))
}

/// Those that a run itself has started.
fn started_by_a_run(pids: &[u32]) -> Vec<Leftover> {
    let is_started =
        |pid: &u32| Facts::of(*pid).is_some_and(|facts| facts.group == *pid && facts.session != *pid);
    pids.iter().copied().filter(is_started).map(leftover).collect()
}

fn open_marker(path: &Path, access: OFlags) -> io::Result<OwnedFd> {
    let flags = access | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(open(path, flags, Mode::RUSR | Mode::WUSR)?)
}

fn is_locked(file: &OwnedFd) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(false),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

fn leftover(pid: u32) -> Leftover {
    Leftover { pid, program: program(pid) }
}
