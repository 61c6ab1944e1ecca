//! Tests of which of several servers runs a singleton.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use converge_controller::service::List;
use converge_controller::storage::{EtcdOptions, WatchEvent};
use converge_controller::testing::{ControllerTest, resource};
use converge_controller::{Scope, Typed};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::server::{LEASE, Ledger, PATIENCE, Signature, Told, next, observe, only, order, start};
use crate::support::{Cluster, run};

/// The environment variable that makes a test act as a server process.
///
/// Its value is the address of a member.
const CHILD: &str = "CONVERGE_TEST_SERVER";

/// A server process, a child of the test, which runs until it is killed.
struct Process(Child);

impl Process {
    /// Runs a test as the server with a name.
    fn start(test: &str, cluster: &Cluster, name: &'static str, sender: Told) -> Self {
        let test = format!("controllers::takeover::{test}");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", &test, "--nocapture", "--test-threads", "1"])
            .env(CHILD, format!("{name} {}", cluster.address(0)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some((_, message)) = line.split_once("told: ") {
                    let _ = sender.send(message.to_owned());
                }
            }
        });
        Self(child)
    }

    fn signal(&self, signal: &str) {
        run("kill", &[signal, &self.0.id().to_string()]);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Acts as the server, if the test was started as one.
async fn serve() -> bool {
    let Ok(arguments) = std::env::var(CHILD) else { return false };
    let (name, address) = arguments.split_once(' ').expect("a name and an address");
    let (name, seed) = if name == "a" { ("a", 1) } else { ("b", 2) };
    let (sender, mut listener) = mpsc::unbounded_channel();
    let store = converge_controller::storage::Etcd::connect(EtcdOptions::new([address]).lease_time(LEASE));
    let _server = start(store.await.expect("etcd answers"), name, seed, sender).await;
    while let Some(message) = listener.recv().await {
        let _ = writeln!(std::io::stdout(), "told: {message}");
    }
    true
}

fn orders(from: usize) -> Vec<String> {
    (from..from + 5).map(|number| format!("order-{number}")).collect()
}

/// Checks that each order is entered once, by the expected server.
#[track_caller]
fn entered_by(ledger: &Ledger, servers: &[&str]) {
    let mut orders = ledger.orders.clone();
    orders.sort_unstable();
    orders.dedup();
    assert_eq!(orders.len(), ledger.orders.len(), "none is entered twice: {ledger:?}");
    let expect: Vec<_> = servers.iter().flat_map(|server| [*server; 5]).collect();
    assert_eq!(ledger.servers, expect);
}

async fn observer(cluster: &Cluster) -> ControllerTest {
    let observer = observe(cluster.connect(cluster.options()).await).await;
    observer.client.write(resource::<Ledger>("only").build()).await.expect("a ledger");
    observer
}

/// Returns the servers that signed, without repetitions; it completes once `last` has signed.
async fn signatures(observer: &ControllerTest, last: &'static str) -> JoinHandle<Vec<String>> {
    observer.client.wait_for_resource_state(&only::<Signature>(), |_| true).await;
    let selection = List::for_type::<Signature>().in_tenancy(Scope::Namespace.default_tenancy());
    let mut watch = observer.client.watch_list(&selection).await.expect("a watch");
    tokio::spawn(async move {
        let mut signed: Vec<String> = Vec::new();
        while signed.last().is_none_or(|signed| signed != last) {
            let event = timeout(PATIENCE, watch.next()).await.expect("somebody signs").expect("an event");
            if let WatchEvent::Upsert(signature) = event {
                let signature = Typed::<Signature>::try_from(signature).expect("a signature");
                if signed.last() != Some(&signature.server) {
                    signed.push(signature.server.clone());
                }
            }
        }
        signed
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_that_runs_it_is_killed() {
    if serve().await {
        return;
    }
    let Some(cluster) = Cluster::start(1) else { return };
    let observer = observer(&cluster).await;
    let (sender, mut listener) = mpsc::unbounded_channel();
    let test_name = "the_server_that_runs_it_is_killed";
    let first = Process::start(test_name, &cluster, "a", sender.clone());
    assert_eq!(next(&mut listener).await, "began a");
    let _second = Process::start(test_name, &cluster, "b", sender.clone());
    entered_by(&order(&observer.client, &orders(0)).await, &["a"]);

    let signed = signatures(&observer, "b").await;
    drop(first);
    assert_eq!(next(&mut listener).await, "began b");
    entered_by(&order(&observer.client, &orders(5)).await, &["a", "b"]);
    assert_eq!(signed.await.expect("no panic"), ["a", "b"]);
    observer.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_that_runs_it_stands_still() {
    if serve().await {
        return;
    }
    let Some(cluster) = Cluster::start(1) else { return };
    let observer = observer(&cluster).await;
    let (sender, mut listener) = mpsc::unbounded_channel();
    let test_name = "the_server_that_runs_it_stands_still";
    let first = Process::start(test_name, &cluster, "a", sender.clone());
    assert_eq!(next(&mut listener).await, "began a");
    let second = Process::start(test_name, &cluster, "b", sender.clone());
    entered_by(&order(&observer.client, &orders(0)).await, &["a"]);

    let signed = signatures(&observer, "b").await;
    first.signal("-STOP");
    assert_eq!(next(&mut listener).await, "began b");
    entered_by(&order(&observer.client, &orders(5)).await, &["a", "b"]);
    assert_eq!(signed.await.expect("no panic"), ["a", "b"]);

    // The first server does not know that it lost the lease and continues, so its writes are refused.
    let signed = signatures(&observer, "a").await;
    first.signal("-CONT");
    let mut signers = [next(&mut listener).await, next(&mut listener).await];
    signers.sort_unstable();
    assert_eq!(signers, ["ended a", "refused a"]);
    entered_by(&order(&observer.client, &orders(10)).await, &["a", "b", "b"]);
    // The first server is an ordinary candidate.
    drop(second);
    assert_eq!(next(&mut listener).await, "began a");
    entered_by(&order(&observer.client, &orders(15)).await, &["a", "b", "b", "a"]);
    assert_eq!(signed.await.expect("no panic"), ["b", "a"]);
    observer.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_member_behind_which_it_runs_stands_still() {
    let Some(cluster) = Cluster::start(3) else { return };
    cluster.leader_when_ready().await;
    let connect =
        async |numbers: &[usize]| cluster.connect(cluster.options_of(numbers).lease_time(LEASE)).await;
    let observer = observe(connect(&[1, 2]).await).await;
    observer.client.write(resource::<Ledger>("only").build()).await.expect("a ledger");
    let (sender, mut listener) = mpsc::unbounded_channel();
    let first = start(connect(&[0]).await, "a", 1, sender.clone()).await;
    assert_eq!(next(&mut listener).await, "began a");
    let second = start(connect(&[1, 2]).await, "b", 2, sender.clone()).await;
    entered_by(&order(&observer.client, &orders(0)).await, &["a"]);

    let signed = signatures(&observer, "b").await;
    cluster.members()[0].stop();
    // The holder noticed the loss before the other server could begin.
    assert_eq!(next(&mut listener).await, "ended a");
    assert_eq!(next(&mut listener).await, "began b");
    entered_by(&order(&observer.client, &orders(5)).await, &["a", "b"]);
    assert_eq!(signed.await.expect("no panic"), ["a", "b"]);

    let signed = signatures(&observer, "a").await;
    cluster.members()[0].go_on();
    assert_eq!(next(&mut listener).await, "refused a");
    entered_by(&order(&observer.client, &orders(10)).await, &["a", "b", "b"]);
    second.stop().await;
    let mut signers = [next(&mut listener).await, next(&mut listener).await, next(&mut listener).await];
    signers.sort_unstable();
    assert_eq!(signers, ["began a", "ended b", "refused b"]);
    assert_eq!(signed.await.expect("no panic"), ["b", "a"]);
    first.stop().await;
    observer.stop().await;
}
