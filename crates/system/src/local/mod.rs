//! The machine that this process runs on.
#![expect(clippy::disallowed_methods, reason = "this is the one place that touches the real machine")]

mod account;
mod builder;
#[cfg(unix)]
mod cleaned_folders;
mod clock;
#[cfg(unix)]
mod files;
#[cfg(feature = "http")]
mod http;
#[cfg(unix)]
mod name_service;
mod network;
mod path_root;
mod platform;
mod pool;
mod processes;
mod program_settings;
mod random;
mod system_state;
#[cfg(all(test, unix))]
mod tests;
mod threads;
#[cfg(unix)]
mod users;
#[cfg(windows)]
mod windows;

use std::sync::Arc;

use super::{Clock, Files, Network, Platform, Processes, Random, System, Users};
pub use builder::LocalSystemBuilder;
use program_settings::Programs;
use system_state::Shared;
#[cfg(windows)]
pub(crate) use windows::profile;

/// The machine that this process runs on.
///
/// Programs, connections and the clock need a tokio runtime with its I/O and time drivers enabled.
///
/// User calls, and file calls that take no time worth mentioning, are made directly on the calling thread: to hand over a
/// small file costs several times what it does. Files above 256 KiB are read and written in pieces by threads of the
/// system's own, and so is whatever waits for the disk; the future is pending meanwhile, and can be dropped: a file
/// that was being written is then gone, and the one that it was to replace is as it was.
///
/// It is at home on Linux. The guide says what is less on other systems; what one of them
/// has not is [`Unsupported`](crate::SystemErrorKind::Unsupported) there.
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

    /// The same, with what the machine is now as its [platform](System::platform): its names, addresses, memory and all else that it
    /// may have other than when this one was made. Programs and files are found as before.
    ///
    /// A process that lives long looks again before each run: `Engine::with_system`.
    pub fn look_again(&self) -> Self {
        Self { platform: platform::detect(), ..self.clone() }
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
