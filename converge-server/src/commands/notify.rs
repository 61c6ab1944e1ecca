//! Tells the manager of services how far this process is, as `sd_notify(3)` says it. Nobody is told where nobody has asked.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::time::{MissedTickBehavior, interval};

/// Where it is told.
const SOCKET: &str = "NOTIFY_SOCKET";
/// After how many microseconds without a word the manager takes this process for one that hangs.
const WATCHDOG: &str = "WATCHDOG_USEC";
/// Which process is meant by that.
const WATCHDOG_PID: &str = "WATCHDOG_PID";

/// The manager of services that has started this process, if one wants to hear of it. Clones tell the same one.
#[derive(Clone, Debug)]
pub(super) struct Manager(Option<Arc<Listener>>);

#[derive(Debug)]
struct Listener {
    socket: UnixDatagram,
    address: SocketAddr,
}

impl Manager {
    /// The one that the environment names. Where it cannot be told, it is as if nobody had asked, and a warning says why.
    pub(super) fn of_environment() -> Self {
        let Some(name) = std::env::var_os(SOCKET).filter(|name| !name.is_empty()) else { return Self(None) };
        match Listener::new(&name) {
            Ok(listener) => Self(Some(Arc::new(listener))),
            Err(error) => {
                tracing::warn!(%error, "{SOCKET} is {name:?}, where nobody can be told anything");
                Self(None)
            }
        }
    }

    /// What was asked of this process is done from now on.
    pub(super) fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={}", one_line(status)));
    }

    /// Files are read again; [`ready`](Self::ready) says that they were.
    pub(super) fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let since_boot = Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.try_into().unwrap_or_default());
        self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={}", since_boot.as_micros()));
    }

    /// The process ends as soon as it has done what it began.
    pub(super) fn stopping(&self) {
        self.tell("STOPPING=1\nSTATUS=finishes what it has begun");
    }

    /// Says again and again that this process does not hang, where that is wanted, as long as its runtime gives tasks their turn.
    pub(super) fn keep_alive(&self) {
        let variable = |name| std::env::var(name).ok();
        let is_meant = variable(WATCHDOG_PID).is_none_or(|pid| pid == std::process::id().to_string());
        let longest = variable(WATCHDOG).and_then(|text| text.parse().ok()).map(Duration::from_micros);
        // Twice in that time, as it is advised.
        let pause = longest.map(|longest| longest / 2).filter(|pause| is_meant && !pause.is_zero());
        let (Some(pause), true) = (pause, self.0.is_some()) else { return };
        let manager = self.clone();
        tokio::spawn(async move {
            let mut turns = interval(pause);
            turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                turns.tick().await;
                manager.tell("WATCHDOG=1");
            }
        });
    }

    fn tell(&self, what: &str) {
        let Some(listener) = &self.0 else { return };
        if let Err(error) = listener.socket.send_to_addr(what.as_bytes(), &listener.address) {
            tracing::warn!(%error, "the manager of services cannot be told: {what}");
        }
    }
}

impl Listener {
    /// The socket at a path, or with a name in no folder, which `@` stands before.
    fn new(name: &OsStr) -> io::Result<Self> {
        let address = match name.as_bytes() {
            [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
            [b'/', ..] => SocketAddr::from_pathname(name)?,
            _ => return Err(io::Error::new(io::ErrorKind::Unsupported, "it begins with neither / nor @")),
        };
        let socket = UnixDatagram::unbound()?;
        // A manager that does not read keeps nobody from working.
        socket.set_nonblocking(true)?;
        Ok(Self { socket, address })
    }
}

/// The end of a line is the end of what is said.
fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}
