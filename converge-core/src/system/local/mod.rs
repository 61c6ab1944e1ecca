//! The machine that this process runs on.
#![expect(clippy::disallowed_methods, reason = "this is the one place that touches the real machine")]

mod clock;
mod files;
#[cfg(feature = "http")]
mod http;
mod network;
mod platform;
mod processes;
mod swept;
#[cfg(test)]
mod tests;
mod users;

use std::sync::Arc;

use super::{Clock, Files, Network, Platform, Processes, System, Users};
use swept::Swept;

/// The machine that this process runs on.
///
/// File and user calls are made directly on the calling thread. Programs, connections and the clock need a tokio
/// runtime with its I/O and time drivers enabled.
#[derive(Clone, Debug)]
pub struct LocalSystem {
    platform: Platform,
    swept: Arc<Swept>,
    #[cfg(feature = "http")]
    http: http::LocalClient,
}

impl LocalSystem {
    /// Finds out what the machine runs, once.
    pub fn new() -> Self {
        Self {
            platform: platform::detect(),
            swept: Arc::default(),
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

    fn env(&self, name: &str) -> Option<String> {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    }
}
