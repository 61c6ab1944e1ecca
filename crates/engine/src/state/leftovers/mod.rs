//! Detection of programs that a killed run has left running.
//!
//! While a run has the lock, each program that it starts inherits a descriptor of one locked file. Programs
//! of other runs do not. The lock belongs to all copies of the descriptor. A run that ends normally unlocks
//! the file for all copies, so programs left in the background on purpose hold nothing. If the run is killed,
//! the programs with a copy keep the lock.
//!
//! The next run waits only for programs that the killed run itself started: each leads a process group in the
//! session of the run. Programs in their own session, such as daemons, and those whose script has ended were
//! meant to continue and are not waited for.
//!
//! Only Linux shows which processes have a file open. On other Unix systems, everything that a killed run
//! left keeps the lock until it ends. On Windows programs inherit nothing, and nothing is waited for.

mod claim;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(super) use claim::ClaimResult;
#[cfg(unix)]
pub(super) use unix::{Inherited, find_leftovers};
#[cfg(windows)]
pub(super) use windows::{Inherited, find_leftovers};
