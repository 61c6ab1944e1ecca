//! Process groups on Unix, identified by the process id of the leader.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The process group that a process leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group(Pid);

impl Group {
    pub(crate) fn led_by(leader: &Child) -> Option<Self> {
        i32::try_from(leader.id()).ok().and_then(Pid::from_raw).map(Self)
    }

    /// Kills all processes of the group.
    ///
    /// A group that has already ended is no error.
    pub(crate) fn kill(self) {
        let _ = kill_process_group(self.0, Signal::KILL);
    }

    /// Whether the leader has ended.
    ///
    /// The leader must not have been reaped yet.
    pub(crate) fn has_ended(self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        matches!(waitid(WaitId::Pid(self.0), options), Ok(Some(_)) | Err(_))
    }
}

/// Describes the end of a process for a message.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
