//! The machine that this process runs on.
#![expect(clippy::disallowed_methods, reason = "this is the one place that touches the real machine")]

mod builder;
mod clock;
mod files;
#[cfg(feature = "http")]
mod http;
mod names;
mod network;
mod place;
mod platform;
mod pool;
mod processes;
mod programs;
mod random;
mod shared;
mod swept;
#[cfg(test)]
mod tests;
mod threads;
mod users;

use std::sync::Arc;

use super::{Clock, Files, Network, Platform, Processes, Random, System, Users};
pub use builder::LocalSystemBuilder;
use programs::Programs;
use shared::Shared;

/// The machine that this process runs on.
///
/// Programs, connections and the clock need a tokio runtime with its I/O and time drivers enabled.
///
/// User calls, and file calls that take no time worth mentioning, are made directly on the calling thread: to hand over a
/// small file costs several times what it does. Files above 256 KiB are read and written in pieces by threads of the
/// system's own, and so is whatever waits for the disk; the future is pending meanwhile, and can be dropped: a file
/// that was being written is then gone, and the one that it was to replace is as it was.
#[derive(Clone, Debug)]
pub struct LocalSystem {
    platform: Platform,
    shared: Arc<Shared>,
    programs: Arc<Programs>,
    #[cfg(feature = "http")]
    http: http::LocalClient,
}

impl LocalSystem {
    /// The machine as this process sees it. Finds out what it runs, once.
    pub fn new() -> Self {
        Self {
            platform: platform::detect(),
            shared: Arc::default(),
            programs: Arc::default(),
            #[cfg(feature = "http")]
            http: http::LocalClient::default(),
        }
    }
}

impl Default for LocalSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl System for LocalSystem {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn files(&self) -> &dyn Files {
        self
    }

    fn users(&self) -> &dyn Users {
        self
    }

    fn processes(&self) -> &dyn Processes {
        self
    }

    fn network(&self) -> &dyn Network {
        self
    }

    fn clock(&self) -> &dyn Clock {
        self
    }

    fn random(&self) -> &dyn Random {
        self
    }

    fn env(&self, name: &str) -> Option<String> {
        self.programs.environment.get(name).map(|value| value.to_string_lossy().into_owned())
    }
}
