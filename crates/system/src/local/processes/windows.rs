//! Running programs on Windows.
//!
//! Child processes are not tracked, so only the program itself is killed.

use std::io;
use std::process::ExitStatus;

use tokio::process::Child;

use crate::Exit;

/// A program that is killed on drop.
pub(super) struct ProcessGroup {
    leader: Child,
    is_released: bool,
}

impl ProcessGroup {
    pub(super) fn new(child: Child) -> Self {
        Self { leader: child, is_released: false }
    }

    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.leader.wait().await
    }

    /// Returns a function that does nothing: a program without a window cannot be asked to end.
    #[expect(clippy::unused_self, reason = "elsewhere it is the group that is asked")]
    pub(super) fn terminator(&self) -> impl Fn() + use<> {
        || ()
    }

    pub(super) fn kill(&mut self) {
        // Fails only if the program has ended.
        let _ = self.leader.start_kill();
    }

    pub(super) fn release(&mut self) {
        self.is_released = true;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.is_released {
            self.kill();
        }
    }
}

pub(super) fn to_exit(status: ExitStatus) -> Exit {
    Exit::Code(status.code().unwrap_or_default())
}
