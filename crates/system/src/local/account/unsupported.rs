//! Groups belong to a whole process here, and cannot be changed for a new one alone: there is no such user.

use crate::{RunAs, SystemError, SystemErrorKind};

/// The user whom programs run as.
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
