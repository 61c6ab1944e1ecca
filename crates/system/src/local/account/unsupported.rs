//! A stub for platforms other than Linux.
//!
//! Groups belong to a whole process here and cannot be set for a new process only.

use crate::{RunAs, SystemError, SystemErrorKind};

/// An uninhabited type: programs cannot run as another user on this platform.
#[derive(Debug)]
pub(crate) enum Account {}

impl Account {
    pub(crate) fn find(name: &str) -> Result<Self, SystemError> {
        let kind = SystemErrorKind::unsupported("another user for programs");
        Err(SystemError::other("run programs as", name, kind))
    }

    pub(crate) fn ids(&self) -> &RunAs {
        match *self {}
    }
}
