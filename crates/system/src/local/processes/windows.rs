//! A running program on Windows. Its children are not known, so what is killed is the program alone.

use std::io;
use std::process::ExitStatus;

use tokio::process::Child;

use crate::Exit;

/// A program, which is killed when this is dropped.
pub(super) struct ProcessGroup {
    leader: Child,
    is_released: bool,
}

impl ProcessGroup {
    pub(super) fn of(child: Child) -> Self {
        Self { leader: child, is_released: false }
    }

    /// Waits for the program.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.leader.wait().await
    }

    /// A program without a window cannot be asked to end: it has until its time is over.
    #[expect(clippy::unused_self, reason = "elsewhere it is the group that is asked")]
    pub(super) fn terminator(&self) -> impl Fn() + use<> {
        || ()
    }

    pub(super) fn kill(&mut self) {
        // It fails only when it has ended.
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

/// How a program ended. There are no signals.
pub(super) fn exit_of(status: ExitStatus) -> Exit {
    Exit::Code(status.code().unwrap_or_default())
}
