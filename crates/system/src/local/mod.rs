//! The local system: the machine that this process runs on.
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

use std::sync::{Arc, LazyLock};

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
/// User lookups and fast file operations run directly on the calling thread, because handing over a small
/// file costs several times the operation itself. Threads of the system read and write files above 256 KiB in
/// pieces, and wait for the disk. The future is pending meanwhile and can be dropped. A file that was being
/// written is then gone, and the file that it was to replace is unchanged.
///
/// Linux is the main platform. The guide lists the
/// restrictions on others; a missing feature is [`Unsupported`](crate::SystemErrorKind::Unsupported).
#[derive(Clone, Debug)]
pub struct LocalSystem {
    platform: Arc<LazyLock<Platform>>,
    shared: Arc<Shared>,
    programs: Arc<Programs>,
    #[cfg(feature = "http")]
    http: http::LocalClient,
}

impl LocalSystem {
    /// Creates the system as this process sees it.
    ///
    /// The platform is detected once, when it is first asked for.
    pub fn new() -> Self {
        Self {
            platform: unknown_platform(),
            shared: Arc::default(),
            programs: Arc::default(),
            #[cfg(feature = "http")]
            http: http::LocalClient::default(),
        }
    }

    /// Returns the same system, which detects its [platform](System::platform) again.
    ///
    /// Names, addresses, memory and other facts may have changed. Programs and files are found as before. A
    /// long-lived process does this before each run:
    /// `Engine::with_system`.
    pub fn look_again(&self) -> Self {
        Self { platform: unknown_platform(), ..self.clone() }
    }
}

/// Returns the platform of this machine, which is detected when it is first read.
fn unknown_platform() -> Arc<LazyLock<Platform>> {
    Arc::new(LazyLock::new(platform::detect))
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
