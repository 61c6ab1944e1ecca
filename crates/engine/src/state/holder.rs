//! The holder of a run lock.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::process::StartTime;

/// The holder of a run lock, which keeps others from applying a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Holder {
    /// A run.
    Run {
        /// The process id.
        pid: u32,
        /// The root module that the run applies.
        module: String,
        /// The time at which the run took the lock.
        since: Timestamp,
    },
    /// Programs that were started by a killed run and have outlived it.
    Leftovers {
        /// The programs.
        ///
        /// Empty if this process cannot see them.
        processes: Vec<Leftover>,
        /// The root module that the run applied, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        module: Option<String>,
    },
    /// A run that has not written its record yet.
    Unknown,
}

/// A program that has outlived the run that started it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Leftover {
    /// The process id.
    pub pid: u32,
    /// The program, without its arguments.
    pub program: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run { pid, module, since } => {
                write!(f, "process {pid} applies {module} since {since:.0}")
            }
            Self::Leftovers { processes, module } => {
                match processes.as_slice() {
                    [] => write!(f, "a program that cannot be seen from here")?,
                    [first, rest @ ..] => {
                        write!(f, "{first}")?;
                        rest.iter().try_for_each(|next| write!(f, ", {next}"))?;
                    }
                }
                let owner = module.as_deref().unwrap_or("a module");
                write!(f, " still runs, started by an apply of {owner} that was killed")
            }
            Self::Unknown => write!(f, "another run that has just begun"),
        }
    }
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} ({})", self.pid, self.program)
    }
}

/// The content of a lock file: a description of the holder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) pid: u32,
    /// The start time, which distinguishes the process from a later one with the same id.
    pub(super) started: Option<StartTime>,
    pub(super) module: String,
    pub(super) since: Timestamp,
}

impl Record {
    pub(super) fn of_this_process(module: &str) -> Self {
        let pid = std::process::id();
        Self { pid, started: StartTime::from_pid(pid), module: module.to_owned(), since: Timestamp::now() }
    }

    /// Whether the process that wrote the record still runs.
    pub(super) fn is_alive(&self) -> bool {
        StartTime::from_pid(self.pid).is_some_and(|started| Some(started) == self.started)
    }
}

impl From<Record> for Holder {
    fn from(record: Record) -> Self {
        Self::Run { pid: record.pid, module: record.module, since: record.since }
    }
}
