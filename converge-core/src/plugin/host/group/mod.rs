//! The process group of a plugin.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use other::{Group, how};
#[cfg(unix)]
pub(super) use unix::{Group, how};
