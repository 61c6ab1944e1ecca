//! No plugin is run here.

use std::process::{Child, ExitStatus};

/// There is none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Group {}

impl Group {
    pub(crate) fn of(_leader: &Child) -> Option<Self> {
        None
    }

    pub(crate) fn kill(self) {
        match self {}
    }

    pub(crate) fn has_ended(self) -> bool {
        match self {}
    }
}

/// How a process ended, for people.
pub(crate) fn how(status: ExitStatus) -> String {
    format!("ended with {status}")
}
