//! What is told of the programs that a resource runs.

use converge_core::prelude::*;
use converge_core::system::{Command, Output, SystemError};

/// What is told of a program while it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    /// The lines that it prints.
    Lines,
    /// They may show a secret, or nobody wants them.
    Nothing,
}

impl Told {
    pub(crate) async fn run(self, cx: &Context, command: Command) -> Result<Output, SystemError> {
        match self {
            Self::Lines => cx.progress().run(command).await,
            Self::Nothing => cx.system().processes().run(command).await,
        }
    }
}
