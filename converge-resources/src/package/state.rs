//! Whether packages are to be there.

use converge_core::prelude::*;

/// Whether packages are to be installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub enum State {
    /// Installed.
    #[default]
    Present,
    /// Not installed.
    Absent,
}

impl State {
    /// As a difference shows it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Absent => "absent",
        }
    }
}
