//! The process group of a plugin.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod unsupported;

#[cfg(unix)]
pub(super) use unix::{Group, describe_exit};
#[cfg(not(unix))]
pub(super) use unsupported::{Group, describe_exit};
