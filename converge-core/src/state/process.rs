//! What is known of the processes of this machine.

use std::fs;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt as _;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
#[cfg(unix)]
use std::path::Path;

use serde::{Deserialize, Serialize};

/// When a process was started, in ticks since the machine was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct StartTime(u64);

impl StartTime {
    /// Of a process that runs; `None` when there is none, or it cannot be seen.
    pub(super) fn of(pid: u32) -> Option<Self> {
        Facts::of(pid).map(|facts| facts.started)
    }
}

/// What `/proc/PID/stat` says.
pub(super) struct Facts {
    #[cfg(unix)]
    pub(super) group: u32,
    #[cfg(unix)]
    pub(super) session: u32,
    started: StartTime,
}

impl Facts {
    pub(super) fn of(pid: u32) -> Option<Self> {
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The name of the program comes second, in parentheses, and may have anything in it.
        let after = text.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(text.get(after + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // Dead, though its parent has not asked for it.
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

/// The program that a process runs, without its arguments, which may be secret.
#[cfg(unix)]
pub(super) fn program(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let first = line.split(|byte| *byte == 0).next().unwrap_or_default();
    if first.is_empty() { "unknown".to_owned() } else { String::from_utf8_lossy(first).into_owned() }
}

/// The processes that have a file open, but for this one, as far as they can be seen.
#[cfg(unix)]
pub(super) fn with_open(path: &Path) -> Vec<u32> {
    let Ok(file) = fs::metadata(path) else { return Vec::new() };
    let this = std::process::id();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids =
        processes.filter_map(|entry| std::str::from_utf8(entry.file_name().as_bytes()).ok()?.parse().ok());
    let name = path.file_name().unwrap_or_default();
    let has_open = |pid: &u32| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        // By its name first: to look at a file of a server that is gone would take for ever.
        let named =
            open.filter(|entry| fs::read_link(entry.path()).is_ok_and(|to| to.file_name() == Some(name)));
        let mut named = named.filter_map(|entry| fs::metadata(entry.path()).ok());
        named.any(|open| (open.dev(), open.ino()) == (file.dev(), file.ino()))
    };
    let mut pids: Vec<u32> = pids.filter(|pid| *pid != this).filter(has_open).collect();
    pids.sort_unstable();
    pids
}
