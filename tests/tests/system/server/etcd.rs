//! Several servers over one etcd, with real members.

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use converge_tests::skip;
use tempfile::TempDir;

use super::Server;
use super::agent as http;
use super::rollout::{Place, pages};

const MEMBERS: usize = 3;

/// The address of the next cluster that is started.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A cluster on this machine. Its addresses are of this process alone, as all that begin with 127 are of this machine.
pub(super) struct Cluster {
    /// Which address is that of its first member.
    first: usize,
    members: Vec<Option<Child>>,
    folder: TempDir,
}

impl Cluster {
    /// None where there is no etcd, which is reported.
    pub(super) fn start() -> Option<Self> {
        if Command::new("etcd").arg("--version").stdout(Stdio::null()).status().is_err() {
            skip("server::etcd", "etcd is not installed (Debian's etcd-server)");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let first = NEXT.fetch_add(MEMBERS, Ordering::Relaxed);
        let members = (0..MEMBERS).map(|number| Some(start(first, number, &folder))).collect();
        let cluster = Self { first, members, folder };
        (0..MEMBERS).for_each(|number| healthy(first + number));
        Some(cluster)
    }

    /// What servers are given.
    pub(super) fn store(&self) -> String {
        let members: Vec<_> =
            (0..self.members.len()).map(|number| format!("{}:2379", address(self.first + number))).collect();
        format!("etcd://{}/site", members.join(","))
    }

    /// Ends a member as a loss of power would.
    fn kill(&mut self, number: usize) {
        let mut member = self.members[number].take().unwrap();
        member.kill().unwrap();
        member.wait().unwrap();
    }

    /// Sends a signal to a member.
    fn signal(&self, number: usize, signal: &str) {
        let id = self.members[number].as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    fn start_again(&mut self, number: usize) {
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

fn address(number: usize) -> String {
    let [.., third, last] = std::process::id().to_be_bytes();
    format!("127.{}.{third}.{last}", 100 + number)
}

/// A member of those whose addresses begin with `first`.
fn start(first: usize, number: usize, folder: &TempDir) -> Child {
    let name = |number: usize| format!("m{number}");
    let (client, peer) = (
        format!("http://{}:2379", address(first + number)),
        format!("http://{}:2380", address(first + number)),
    );
    let cluster: Vec<_> = (0..MEMBERS)
        .map(|number| format!("{}=http://{}:2380", name(number), address(first + number)))
        .collect();
    let log = File::options().create(true).append(true).open(folder.path().join("log")).unwrap();
    let mut command = Command::new("etcd");
    command.args(["--name", &name(number), "--initial-cluster", &cluster.join(",")]);
    command.arg("--data-dir").arg(folder.path().join(name(number)));
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

/// Waits until a member has found the others.
fn healthy(number: usize) {
    let url = format!("http://{}:2379/health", address(number));
    while !http().get(&url).call().is_ok_and(|answer| answer.status() == 200) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn rollouts_go_on_when_a_member_and_the_servers_die_one_after_the_other() {
    let Some(mut cluster) = Cluster::start() else { return };
    let store = cluster.store();
    let mut place = Place::with(|_| vec![vec!["--store".to_owned(), store.clone()]; 2]);
    place.says("first", "");
    place.ended().success();
    assert_eq!(place.pages(), pages("first"));

    // One of the two servers does the work of the scheduler. Each is killed in turn, so that one of them is.
    place.says("second", "");
    cluster.kill(0);
    place.kill_server(0);
    place.ended().success();
    assert_eq!(place.pages(), pages("second"));
    place.start_server_again(0);
    cluster.start_again(0);
    place.says("third", "");
    place.kill_server(1);
    place.ended().success();
    assert_eq!(place.pages(), pages("third"));

    let rollouts: Vec<_> =
        (1..=3).rev().map(|number| (number.to_string(), "PHASE_COMPLETE".to_owned())).collect();
    assert_eq!(place.history(), rollouts);
}

#[test]
fn a_server_is_ready_when_most_members_answer() {
    let Some(cluster) = Cluster::start() else { return };
    let server = Server::start(&["--store", &cluster.store()]);
    let until = |status: u16| {
        loop {
            let (found, said) = server.get("/v1/ready");
            if found == status {
                return said;
            }
            // Neither is the other in between: it answers in words of its own, and in time.
            assert!([200, 503].contains(&found), "{found}: {said}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    until(200);
    // They are there, take what is sent to them, and say nothing.
    let stopped = [0, 1];
    for number in stopped {
        cluster.signal(number, "-STOP");
    }
    let said = until(503);
    assert!(said.contains("\"status\":\"not ready\""), "{said}");
    assert_eq!(server.get("/v1/health").0, 200);
    for number in stopped {
        cluster.signal(number, "-CONT");
    }
    until(200);
}
