//! A stub for platforms on which plugins are not supported.

use std::process::{Child, ExitStatus};

/// An uninhabited type: this platform has no process groups.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Group {}

impl Group {
    pub(crate) fn led_by(_leader: &Child) -> Option<Self> {
        None
    }

    pub(crate) fn kill(self) {
        match self {}
    }

    pub(crate) fn has_ended(self) -> bool {
        match self {}
    }
}

/// Describes the end of a process for a message.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    format!("ended with {status}")
}
