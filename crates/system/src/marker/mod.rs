//! A descriptor that the programs of one run inherit, and no others.
//!
//! What a process hands on to a new one is a flag of the descriptor, for all that are started meanwhile. So the flag of one marker at a
//! time is set, and a program with another one waits until those that are being started have been.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
#[doc(hidden)]
pub use unix::Marker;
#[cfg(unix)]
pub(crate) use unix::start_with;
#[cfg(windows)]
#[doc(hidden)]
pub use windows::Marker;
#[cfg(windows)]
pub(crate) use windows::start_with;
