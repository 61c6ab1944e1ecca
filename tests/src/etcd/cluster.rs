//! An etcd cluster of three members.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;

use crate::skip;

const MEMBERS: usize = 3;

/// The number of the next member address.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A cluster on this machine with addresses that only this process uses.
pub struct Cluster {
    /// The number of the first member's address.
    first: usize,
    members: Vec<Option<Child>>,
    folder: TempDir,
}

impl Cluster {
    /// Starts a cluster.
    ///
    /// Without etcd, returns `None` and reports the test as skipped.
    ///
    /// # Panics
    ///
    /// A member does not start.
    pub fn start(test: &str) -> Option<Self> {
        if Command::new("etcd").arg("--version").stdout(Stdio::null()).status().is_err() {
            skip(test, "etcd is not installed (Debian's etcd-server)");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let first = take(MEMBERS);
        let members = (0..MEMBERS).map(|number| Some(start(first, number, &folder))).collect();
        let cluster = Self { first, members, folder };
        (0..MEMBERS).for_each(|number| wait_until_healthy(first + number));
        Some(cluster)
    }

    /// Returns the store address for servers.
    pub fn store(&self) -> String {
        let members: Vec<_> =
            (0..self.members.len()).map(|number| format!("{}:2379", address(self.first + number))).collect();
        format!("etcd://{}/site", members.join(","))
    }

    /// Kills a member, from 0 to 2, as a loss of power would.
    ///
    /// # Panics
    ///
    /// The member is not running.
    pub fn kill(&mut self, number: usize) {
        let mut member = self.members[number].take().expect("it runs");
        member.kill().expect("it can be ended");
        member.wait().expect("it ends");
    }

    /// Sends a signal to a member.
    ///
    /// # Panics
    ///
    /// The member is not running.
    pub fn signal(&self, number: usize, signal: &str) {
        let id = self.members[number].as_ref().expect("it runs").id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().is_ok_and(|status| status.success()));
    }

    /// Restarts a killed member.
    pub fn start_again(&mut self, number: usize) {
        self.members[number] = Some(start(self.first, number, &self.folder));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for mut member in self.members.iter_mut().filter_map(Option::take) {
            let _ = member.kill();
            let _ = member.wait();
        }
    }
}

/// Reserves addresses for a number of members, and returns the number of the first.
pub(super) fn take(members: usize) -> usize {
    NEXT.fetch_add(members, Ordering::Relaxed)
}

/// Returns an address of this process.
///
/// All addresses that begin with 127 belong to this machine.
pub(super) fn address(number: usize) -> String {
    let [.., third, last] = std::process::id().to_be_bytes();
    format!("127.{}.{third}.{last}", 100 + number)
}

/// Starts a member of the cluster whose addresses begin with `first`.
fn start(first: usize, number: usize, folder: &TempDir) -> Child {
    let name = |number: usize| format!("m{number}");
    let (client, peer) = (
        format!("http://{}:2379", address(first + number)),
        format!("http://{}:2380", address(first + number)),
    );
    let cluster: Vec<_> = (0..MEMBERS)
        .map(|number| format!("{}=http://{}:2380", name(number), address(first + number)))
        .collect();
    let log = File::options().create(true).append(true).open(folder.path().join("log")).expect("a file");
    let mut command = Command::new("etcd");
    command.args(["--name", &name(number), "--initial-cluster", &cluster.join(",")]);
    command.arg("--data-dir").arg(folder.path().join(name(number)));
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    command
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a file"))
        .stderr(log)
        .spawn()
        .expect("etcd starts")
}

/// Waits until a member has joined the others.
fn wait_until_healthy(number: usize) {
    while !is_healthy(number).unwrap_or(false) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn is_healthy(number: usize) -> std::io::Result<bool> {
    let mut connection = TcpStream::connect((address(number), 2379))?;
    connection.set_read_timeout(Some(Duration::from_secs(5)))?;
    connection.write_all(b"GET /health HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    Ok(answer.contains(" 200 OK"))
}
