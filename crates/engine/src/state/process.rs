//! Information about the processes of this machine.

use std::fs;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt as _;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
#[cfg(unix)]
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The start time of a process, in clock ticks since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct StartTime(u64);

impl StartTime {
    /// Returns the start time of a running process; `None` if it does not run or cannot be seen.
    pub(super) fn from_pid(pid: u32) -> Option<Self> {
        Facts::from_pid(pid).map(|facts| facts.started)
    }
}

/// The fields of `/proc/PID/stat` that are used.
pub(super) struct Facts {
    #[cfg(unix)]
    pub(super) group: u32,
    #[cfg(unix)]
    pub(super) session: u32,
    started: StartTime,
}

impl Facts {
    pub(super) fn from_pid(pid: u32) -> Option<Self> {
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The program name is the second field, in parentheses, and may contain any character.
        let after = text.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(text.get(after + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // Zombies are dead processes that their parent has not reaped.
        if matches!(*fields.first()?, "Z" | "X") {
            return None;
        }
        Some(Self {
            #[cfg(unix)]
            group: fields.get(2)?.parse().ok()?,
            #[cfg(unix)]
            session: fields.get(3)?.parse().ok()?,
            started: StartTime(fields.get(19)?.parse().ok()?),
        })
    }
}

/// Returns the program of a process, without its arguments, which may be secret.
#[cfg(unix)]
pub(super) fn program(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let first = line.split(|byte| *byte == 0).next().unwrap_or_default();
    if first.is_empty() { "unknown".to_owned() } else { String::from_utf8_lossy(first).into_owned() }
}

/// Returns the visible processes, other than this one, that have a file open.
#[cfg(unix)]
pub(super) fn with_open(path: &Path) -> Vec<u32> {
    let Ok(file) = fs::metadata(path) else { return Vec::new() };
    let own_id = std::process::id();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids =
        processes.filter_map(|entry| std::str::from_utf8(entry.file_name().as_bytes()).ok()?.parse().ok());
    let name = path.file_name().unwrap_or_default();
    let has_open = |pid: &u32| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        // Names are compared first, because a stat of a file on a dead network server would hang.
        let links =
            open.filter(|entry| fs::read_link(entry.path()).is_ok_and(|to| to.file_name() == Some(name)));
        let mut targets = links.filter_map(|entry| fs::metadata(entry.path()).ok());
        targets.any(|open| (open.dev(), open.ino()) == (file.dev(), file.ino()))
    };
    let mut pids: Vec<u32> = pids.filter(|pid| *pid != own_id).filter(has_open).collect();
    pids.sort_unstable();
    pids
}
