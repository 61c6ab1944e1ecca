//! Notification of the service manager about the state of this process, see `sd_notify(3)`.
//!
//! Without a manager that asks for it, nothing is sent.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::time::{MissedTickBehavior, interval};

use crate::output::one_line;

/// The environment variable with the socket of the manager.
const SOCKET: &str = "NOTIFY_SOCKET";
/// The environment variable with the microseconds of silence after which the process counts as hung.
const WATCHDOG: &str = "WATCHDOG_USEC";
/// The environment variable with the id of the process that the watchdog is about.
const WATCHDOG_PID: &str = "WATCHDOG_PID";

/// The service manager that started this process, if it wants notifications.
///
/// Clones share one socket.
#[derive(Clone, Debug)]
pub(super) struct Manager(Option<Arc<Listener>>);

#[derive(Debug)]
struct Listener {
    socket: UnixDatagram,
    address: SocketAddr,
}

impl Manager {
    /// Returns the manager that the environment names.
    ///
    /// If its socket is unusable, a warning is logged and nothing is sent.
    pub(super) fn from_environment() -> Self {
        let Some(name) = std::env::var_os(SOCKET).filter(|name| !name.is_empty()) else { return Self(None) };
        match Listener::new(&name) {
            Ok(listener) => Self(Some(Arc::new(listener))),
            Err(error) => {
                tracing::warn!(%error, "{SOCKET} is {name:?}, which is not a usable socket");
                Self(None)
            }
        }
    }

    /// Announces that the process is ready.
    pub(super) fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={}", one_line(status)));
    }

    /// Announces that files are read again; [`ready`](Self::ready) announces the end.
    pub(super) fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let since_boot = Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.try_into().unwrap_or_default());
        self.send(&format!("RELOADING=1\nMONOTONIC_USEC={}", since_boot.as_micros()));
    }

    /// Announces that the process stops once its current work is done.
    pub(super) fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=finishes what it has begun");
    }

    /// Sends watchdog messages, if requested, as long as the async runtime schedules tasks.
    pub(super) fn keep_alive(&self) {
        let variable = |name| std::env::var(name).ok();
        let is_meant = variable(WATCHDOG_PID).is_none_or(|pid| pid == std::process::id().to_string());
        let longest = variable(WATCHDOG).and_then(|text| text.parse().ok()).map(Duration::from_micros);
        // Half of the interval is the recommended pause.
        let pause = longest.map(|longest| longest / 2).filter(|pause| is_meant && !pause.is_zero());
        let (Some(pause), true) = (pause, self.0.is_some()) else { return };
        let manager = self.clone();
        tokio::spawn(async move {
            let mut ticks = interval(pause);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                manager.send("WATCHDOG=1");
            }
        });
    }

    fn send(&self, message: &str) {
        let Some(listener) = &self.0 else { return };
        if let Err(error) = listener.socket.send_to_addr(message.as_bytes(), &listener.address) {
            tracing::warn!(%error, "the service manager cannot be notified: {message}");
        }
    }
}

impl Listener {
    /// Connects to a socket by its path, or by an abstract name that starts with `@`.
    fn new(name: &OsStr) -> io::Result<Self> {
        let address = match name.as_bytes() {
            [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
            [b'/', ..] => SocketAddr::from_pathname(name)?,
            _ => return Err(io::Error::new(io::ErrorKind::Unsupported, "it begins with neither / nor @")),
        };
        let socket = UnixDatagram::unbound()?;
        // A manager that does not read must not block this process.
        socket.set_nonblocking(true)?;
        Ok(Self { socket, address })
    }
}
