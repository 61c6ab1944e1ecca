//! A member of a cluster.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use super::run;

/// Returns a free port outside the range for outgoing connections.
///
/// An outgoing connection could otherwise take the port before its use.
pub(crate) fn free_port() -> u16 {
    const PORTS: std::ops::Range<u16> = 10_000..30_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Test programs that run in parallel begin at different ports.
    let begin = u64::from(std::process::id()) * 199;
    loop {
        let number = begin + u64::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = PORTS.start + u16::try_from(number % PORTS.len() as u64).expect("it is in the range");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A member that runs until it is killed.
pub(crate) struct Member {
    pub(crate) name: String,
    /// The client address.
    pub(crate) client: String,
    /// The address for other members.
    pub(crate) peer: String,
    /// The command that precedes `etcd`, such as one that changes the network namespace.
    pub(crate) within: Vec<String>,
    /// Additional arguments.
    pub(crate) arguments: Vec<String>,
    pub(crate) process: Option<Child>,
}

impl Member {
    /// Returns a member on this machine that does not run yet.
    pub(crate) fn local(number: usize) -> Self {
        let address = || format!("http://127.0.0.1:{}", free_port());
        Self {
            name: format!("m{number}"),
            client: address(),
            peer: address(),
            within: Vec::new(),
            arguments: Vec::new(),
            process: None,
        }
    }

    /// Starts the member, for the first time or again.
    pub(crate) fn start(&mut self, folder: &Path, cluster: &str) {
        let data = folder.join(&self.name);
        let log = std::fs::File::options().create(true).append(true).open(folder.join("log")).expect("a log");
        let mut words = self.within.iter().map(String::as_str).chain(["etcd"]);
        let mut command = Command::new(words.next().expect("there is a program"));
        command.args(words).args(["--name", &self.name, "--data-dir"]).arg(data);
        command.args(["--listen-client-urls", &self.client, "--advertise-client-urls", &self.client]);
        command.args(["--listen-peer-urls", &self.peer, "--initial-advertise-peer-urls", &self.peer]);
        command.args(["--initial-cluster", cluster, "--logger", "zap", "--log-level", "warn"]);
        command.args(["--heartbeat-interval", "50", "--election-timeout", "500"]);
        command.args(&self.arguments).stdin(Stdio::null());
        command.stdout(log.try_clone().expect("a log")).stderr(log);
        self.process = Some(command.spawn().expect("etcd starts"));
    }

    /// Kills the member, as a loss of power would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("it can be killed");
            process.wait().expect("it ends");
        }
    }

    /// Pauses the member until [`go_on`](Self::go_on), with its connections open.
    pub(crate) fn stop(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let process = self.process.as_ref().expect("it runs");
        run("kill", &[signal, &process.id().to_string()]);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.kill();
    }
}
