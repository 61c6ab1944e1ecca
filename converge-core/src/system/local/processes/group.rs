//! The process group of a running program.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::Child;

/// Kills the group when dropped, so that a cancelled run leaves nothing behind.
pub(super) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// The group that `child` leads.
    pub(super) fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw))
    }

    /// Kills every process of the group.
    pub(super) fn kill(&self) {
        if let Some(group) = self.0 {
            // It fails only when no process is left.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }

    /// Leaves the group alone from now on. Must follow the end of its leader, as the id may then be
    /// given to another process.
    pub(super) fn release(&mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}
