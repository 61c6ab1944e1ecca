//! What can be seen of a supervisor.

use std::time::Duration;

use serde::Serialize;

/// What a supervisor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It waits for its lease.
    Waiting,
    /// It runs.
    Running,
    /// It failed, and waits before it begins again.
    Restarting,
    /// It has ended.
    Stopped,
}

/// What can be seen of a supervisor at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SupervisorStatus {
    /// What it does.
    pub phase: Phase,
    /// How long until it begins again, when it failed.
    pub restart_in: Option<Duration>,
    /// How many times it has begun again.
    pub restarts: u64,
    /// Why its last failed run failed.
    pub last_error: Option<String>,
}
