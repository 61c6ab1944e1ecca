//! Progress events of the programs that a resource runs.

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Output, SystemError};

/// The output of a program that is sent as progress events.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OutputProgress {
    Lines,
    /// Nothing is sent, because the output may show a secret, or is not needed.
    Nothing,
}

impl OutputProgress {
    pub(crate) async fn run(self, cx: &Context, command: Command) -> Result<Output, SystemError> {
        match self {
            Self::Lines => cx.progress().run(command).await,
            Self::Nothing => cx.system().processes().run(command).await,
        }
    }
}
