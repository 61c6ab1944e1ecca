//! A descriptor that only the programs of one run inherit.
//!
//! Inheritance is a flag of the descriptor, which applies to all programs started meanwhile. The flag is
//! therefore set on one marker at a time. A program with another marker waits until the programs being
//! started have started.

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
