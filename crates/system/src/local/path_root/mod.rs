//! Where the paths of a system begin.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::Place;
#[cfg(windows)]
pub(super) use windows::Place;
