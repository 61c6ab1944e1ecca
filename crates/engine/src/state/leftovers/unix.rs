//! The inherited descriptor on Unix.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open, unlink};
use rustix::io::{Errno, fcntl_dupfd_cloexec};

use super::super::holder::Leftover;
use super::super::process::{Facts, program, with_open};
use super::claim::ClaimResult;
use crate::system::Marker;

/// The number of the descriptor, far from the numbers that scripts use (`exec 9> FILE`).
const NUMBER: i32 = 250;

/// A locked descriptor that all programs of the run inherit.
///
/// Programs that outlive the run keep its lock.
#[derive(Debug)]
pub(crate) struct Inherited(Marker);

impl Inherited {
    /// Claims the file.
    ///
    /// The caller holds the run lock, so nobody else claims it at the same time.
    pub(crate) fn claim(path: &Path) -> io::Result<ClaimResult<Self>> {
        // Programs of other users inherit it too and must not write to it. NFS can only lock files that are
        // open for writing.
        match Self::claim_with(path, OFlags::RDONLY) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::BADF) => {
                Self::claim_with(path, OFlags::RDWR)
            }
            claimed => claimed,
        }
    }

    fn claim_with(path: &Path, access: OFlags) -> io::Result<ClaimResult<Self>> {
        let file = open_marker(path, access)?;
        if is_locked(&file)? {
            let holders = with_open(path);
            let left = started_by_a_run(&holders);
            // A holder that cannot be seen may be a program of the run.
            if !left.is_empty() || holders.is_empty() {
                return Ok(ClaimResult::By(left));
            }
            // Only independent programs are left. They keep the old file, which gets no name again.
            unlink(path)?;
            let file = open_marker(path, access | OFlags::EXCL)?;
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            return Self::by_programs(file).map(ClaimResult::Free);
        }
        Self::by_programs(file).map(ClaimResult::Free)
    }

    fn by_programs(file: OwnedFd) -> io::Result<Self> {
        let file = match fcntl_dupfd_cloexec(&file, NUMBER) {
            Ok(high) => high,
            // The number is not available if the limit of open files is low.
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
    /// Unlocks the file for all copies, so that background programs hold nothing.
    fn drop(&mut self) {
        // Fails only if the descriptor is invalid.
        let _ = flock(self.0.file(), FlockOperation::Unlock);
        self.0.withdraw();
    }
}

/// Returns the visible programs of a killed run that still run.
pub(crate) fn find_leftovers(path: &Path) -> Vec<Leftover> {
    started_by_a_run(&with_open(path))
}

/// Filters for processes that a run started itself.
fn started_by_a_run(pids: &[u32]) -> Vec<Leftover> {
    let is_started =
        |pid: &u32| Facts::from_pid(*pid).is_some_and(|facts| facts.group == *pid && facts.session != *pid);
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
