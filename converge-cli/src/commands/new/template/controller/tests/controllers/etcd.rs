//! Tests with a store in etcd.
//!
//! `cargo test --features etcd` starts the program `etcd`, which must be installed (Debian: `etcd-server`).
//!
//! `ETCD_ENDPOINTS=http://127.0.0.1:2379 cargo test --features etcd` uses an existing cluster. Choose one for
//! tests: the written data stays in it, below a prefix for each run.

use std::net;
use std::path;
use std::process;
use std::sync::Arc;
use std::time;

use converge_controller::storage::{Etcd, EtcdOptions};
use converge_controller::testing::ControllerTest;

use crate::shared_cases;

/// An etcd cluster for one test.
struct Cluster {
    endpoints: String,
    /// The member that was started for the test, with its data folder.
    member: Option<(process::Child, tempfile::TempDir)>,
}

impl Cluster {
    fn new() -> Self {
        if let Ok(endpoints) = std::env::var("ETCD_ENDPOINTS") {
            return Self { endpoints, member: None };
        }
        for _ in 0..10 {
            let folder = tempfile::tempdir().unwrap();
            let (client, peer) = (free_address(), free_address());
            let mut process = member(folder.path(), client, peer);
            // The process ends at once if another one has taken its address in the meantime.
            while process.try_wait().unwrap().is_none() {
                if net::TcpStream::connect(client).is_ok() {
                    return Self { endpoints: format!("http://{client}"), member: Some((process, folder)) };
                }
                std::thread::sleep(time::Duration::from_millis(20));
            }
        }
        panic!("etcd ends as soon as it is started")
    }

    async fn start(&self, test: &str) -> ControllerTest {
        let prefix = format!("/sample-crate/{test}-{}", process::id());
        // The member accepts connections before it has elected a leader.
        let patience = time::Duration::from_secs(40);
        let options = EtcdOptions::new(self.endpoints.split(',')).prefix(prefix).request_timeout(patience);
        let store = Etcd::connect(options).await.unwrap();
        shared_cases::builder().store(Arc::new(store)).start().await
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some((member, _)) = &mut self.member {
            let _ = member.kill();
            let _ = member.wait();
        }
    }
}

/// Starts a cluster with one member.
fn member(folder: &path::Path, client: net::SocketAddr, peer: net::SocketAddr) -> process::Child {
    let (client, peer) = (format!("http://{client}"), format!("http://{peer}"));
    let mut etcd = process::Command::new("etcd");
    etcd.args(["--name", "one", "--initial-cluster", &format!("one={peer}"), "--data-dir"]).arg(folder);
    etcd.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    etcd.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    let started = etcd
        .stdin(process::Stdio::null())
        .stdout(process::Stdio::null())
        .stderr(process::Stdio::null())
        .spawn();
    started.expect("etcd is installed, or ETCD_ENDPOINTS names a cluster: addresses with commas between them")
}

/// Returns an address on which nothing listens.
fn free_address() -> net::SocketAddr {
    net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

#[tokio::test]
async fn lifecycle() {
    let cluster = Cluster::new();
    let test = cluster.start("lifecycle").await;
    shared_cases::lifecycle(&test.client).await;
    test.stop().await;
}

#[tokio::test]
async fn one_shot_with_another_server() {
    let cluster = Cluster::new();
    let mut test = cluster.start("one-shot").await;
    shared_cases::publish(&mut test).await;
    test.stop().await;

    let test = cluster.start("one-shot").await;
    shared_cases::verify(&test.client).await;
    test.stop().await;
}
