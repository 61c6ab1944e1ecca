//! The status of a supervisor.

use std::time::Duration;

use serde::Serialize;

/// The phase of a supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Waiting for the lease.
    Waiting,
    /// Running.
    Running,
    /// Waiting to restart after a failure.
    Restarting,
    /// Stopped.
    Stopped,
}

/// The status of a supervisor at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SupervisorStatus {
    /// The phase.
    pub phase: Phase,
    /// The time until the restart after a failure.
    pub restart_in: Option<Duration>,
    /// The number of restarts.
    pub restarts: u64,
    /// The error of the last failed run.
    pub last_error: Option<String>,
}
