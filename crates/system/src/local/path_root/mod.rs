//! The root and the working directory of a system's paths.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::PathRoot;
#[cfg(windows)]
pub(super) use windows::PathRoot;
