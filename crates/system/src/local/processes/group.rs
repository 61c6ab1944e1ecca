//! The process group of a running program.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::process::Child;
use tokio::runtime::Handle;

use crate::Exit;

/// A program and its process group, which is killed on drop.
///
/// A cancelled run thus leaves nothing behind.
pub(super) struct ProcessGroup {
    leader: Option<Child>,
    id: Option<Pid>,
}

impl ProcessGroup {
    pub(super) fn new(child: Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Self { leader: Some(child), id }
    }

    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.leader {
            Some(child) => child.wait().await,
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Returns a function that asks the group to terminate, unless it has been [released](Self::release).
    pub(super) fn terminator(&self) -> impl Fn() + use<> {
        let id = self.id;
        move || {
            if let Some(group) = id {
                signal(group, Signal::SIGTERM);
            }
        }
    }

    pub(super) fn kill(&mut self) {
        if let Some(group) = self.id {
            signal(group, Signal::SIGKILL);
        }
    }

    /// Stops signalling the group.
    ///
    /// Call this after the end of its leader, when the id may be reused.
    pub(super) fn release(&mut self) {
        self.id = None;
    }
}

/// Signals all processes of a group.
///
/// A leader that is about to begin a session has no group yet, and is signalled alone.
fn signal(group: Pid, signal: Signal) {
    // Signalling the leader fails only if it no longer exists.
    if killpg(group, signal).is_err() {
        let _ = kill(group, signal);
    }
}

pub(super) fn to_exit(status: ExitStatus) -> Exit {
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
        // A task reaps the process. Otherwise it would stay a zombie until the runtime wakes for another
        // reason.
        if let (Some(mut child), Ok(runtime)) = (killed, Handle::try_current()) {
            drop(runtime.spawn(async move { child.wait().await }));
        }
    }
}
