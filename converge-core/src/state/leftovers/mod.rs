//! What a killed run has left running.
//!
//! While a run has the lock, every program that it starts, and no program of another run, inherits a descriptor of one file, which is locked. The lock belongs
//! to all copies of the descriptor together, so when the run ends in order it is taken off for all of them, and what the run
//! left in the background on purpose holds nothing. When the run is killed, it stays with the programs that have a copy.
//!
//! Of these the programs that the run itself started are waited for: each leads a process group, in the session of the run. What
//! has a session of its own, as daemons do, or whose script has ended, was to go on by itself and is not waited for.
//!
//! Who has a file open is known on Linux alone. Elsewhere in Unix whatever a killed run has left keeps the lock, until it ends. On Windows
//! programs inherit nothing, and nothing is waited for.

mod claim;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(super) use claim::Claimed;
#[cfg(unix)]
pub(super) use unix::{Inherited, left};
#[cfg(windows)]
pub(super) use windows::{Inherited, left};
