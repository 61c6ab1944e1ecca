//! The process group of a running program.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::process::Child;
use tokio::runtime::Handle;

use crate::Exit;

/// A program and its group, which is killed when this is dropped, so that a cancelled run leaves nothing behind.
pub(super) struct ProcessGroup {
    leader: Option<Child>,
    id: Option<Pid>,
}

impl ProcessGroup {
    /// The group that `child` leads.
    pub(super) fn of(child: Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Self { leader: Some(child), id }
    }

    /// Waits for the program.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.leader {
            Some(child) => child.wait().await,
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Asks its processes to end, as long as it has not been [released](Self::release).
    pub(super) fn terminator(&self) -> impl Fn() + use<> {
        let id = self.id;
        move || {
            if let Some(group) = id {
                signal(group, Signal::SIGTERM);
            }
        }
    }

    /// Kills every process of the group.
    pub(super) fn kill(&mut self) {
        if let Some(group) = self.id {
            signal(group, Signal::SIGKILL);
        }
    }

    /// Leaves the group alone from now on. Must follow the end of its leader, as the id may then be
    /// given to another process.
    pub(super) fn release(&mut self) {
        self.id = None;
    }
}

/// Signals every process of a group. The leader of one that begins a session is alone until it has, and in no group of its own.
fn signal(group: Pid, signal: Signal) {
    // It fails only when no process is left.
    if killpg(group, signal).is_err() {
        let _ = kill(group, signal);
    }
}

/// How a program ended.
pub(super) fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(status.into_raw()),
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
        let killed = self.leader.take().filter(|_| self.id.is_some());
        // Nobody waits for it any more, and the runtime looks for such processes only when something else wakes it: a service with
        // nothing to do would have it in the table of processes for as long.
        if let (Some(mut child), Ok(runtime)) = (killed, Handle::try_current()) {
            drop(runtime.spawn(async move { child.wait().await }));
        }
    }
}
