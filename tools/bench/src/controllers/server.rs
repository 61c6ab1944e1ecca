//! An etcd server that stops when the measurements end.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::error::{BenchError, at};

/// The maximum time until etcd listens.
const PATIENCE: Duration = Duration::from_secs(30);

/// A single-member etcd with its data on the disk of the other stores.
pub(super) struct Server {
    pub(super) address: String,
    process: Child,
    // The folder is dropped after the process has ended.
    _folder: TempDir,
}

impl Server {
    /// Starts a server, or returns `None` if etcd is not installed.
    pub(super) fn start() -> Result<Option<Self>, BenchError> {
        let program = Path::new("etcd");
        let quiet = |command: &mut Command| {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        };
        let mut version = Command::new(program);
        quiet(version.arg("--version"));
        if version.status().is_err() {
            return Ok(None);
        }
        let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
        let (address, peers) = (free_address()?, free_address()?);
        let mut command = Command::new(program);
        quiet(&mut command);
        command.arg("--data-dir").arg(folder.path().join("data"));
        for option in ["--listen-client-urls", "--advertise-client-urls"] {
            command.args([option, &format!("http://{address}")]);
        }
        for option in ["--listen-peer-urls", "--initial-advertise-peer-urls"] {
            command.args([option, &format!("http://{peers}")]);
        }
        command.args(["--initial-cluster", &format!("default=http://{peers}")]);
        // The measurements fill more than the default quota.
        command.args(["--quota-backend-bytes", "8589934592"]);
        let process = command.spawn().map_err(at(program))?;
        let server = Self { address: format!("http://{address}"), process, _folder: folder };
        let end = Instant::now() + PATIENCE;
        while let Err(error) = TcpStream::connect(&address) {
            if Instant::now() > end {
                return Err(at(program)(error));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(Some(server))
    }

    /// Returns the process id.
    pub(super) fn process(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns an address on which nothing listens at the moment.
fn free_address() -> Result<String, BenchError> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.map(|address| address.to_string()).map_err(at(Path::new("127.0.0.1")))
}
