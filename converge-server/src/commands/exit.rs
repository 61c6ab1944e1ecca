//! Exit codes. They mean what those of `converge` mean.

use std::process::ExitCode;

/// What came of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It was done; a server was told to stop, and has stopped.
    Done,
    /// Something is wrong with the command line, or with what it is about.
    Error,
    /// A second signal ended a server that was about to stop.
    Interrupted,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Error => 1,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
