//! The etcd servers of tests.

mod cluster;

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub use cluster::Cluster;

/// The maximum time until etcd listens, which usually takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(30);
/// The interval between two checks.
const EVERY: Duration = Duration::from_millis(20);

/// A single-member etcd in a temporary folder, which is stopped on drop.
pub struct Etcd {
    /// The address for clients.
    pub address: String,
    process: Child,
    // The folder is dropped after the process has ended.
    _folder: tempfile::TempDir,
}

impl Etcd {
    /// Starts a server, or returns `None` if etcd is not installed.
    ///
    /// # Panics
    ///
    /// The server does not listen.
    pub fn start() -> Option<Self> {
        Command::new("etcd").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        let folder = tempfile::tempdir().expect("a folder");
        let host = cluster::address(cluster::take(1));
        let (address, peers) = (format!("{host}:2379"), format!("{host}:2380"));
        let mut command = Command::new("etcd");
        command.arg("--data-dir").arg(folder.path().join("data"));
        for option in ["--listen-client-urls", "--advertise-client-urls"] {
            command.args([option, &format!("http://{address}")]);
        }
        for option in ["--listen-peer-urls", "--initial-advertise-peer-urls"] {
            command.args([option, &format!("http://{peers}")]);
        }
        command.args(["--initial-cluster", &format!("default=http://{peers}")]);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = quiet.spawn().expect("etcd starts");
        let etcd = Self { address: format!("http://{address}"), process, _folder: folder };
        let end = Instant::now() + PATIENCE;
        while TcpStream::connect(&address).is_err() {
            assert!(Instant::now() < end, "etcd does not listen at {address}");
            std::thread::sleep(EVERY);
        }
        Some(etcd)
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
