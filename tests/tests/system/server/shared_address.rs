//! Tests of servers with HTTP and gRPC at one address.

use std::fs::File;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU16, Ordering};

use converge_tests::{converge, with_default_signals};
use serde_json::Value;

use super::Server;
use super::browser::{Browser, ENTER};
use super::tls::Place;

/// Returns a loopback address that only this process uses, even while a server restarts.
pub(super) fn address() -> String {
    static PORTS: AtomicU16 = AtomicU16::new(10_000);
    let [_, b, c, d] = std::process::id().to_be_bytes();
    format!("{}:{}", Ipv4Addr::new(127, b | 64, c, d), PORTS.fetch_add(1, Ordering::Relaxed))
}

impl Server {
    /// Starts a server with HTTP and gRPC at one address, whose standard error goes to a file.
    pub(super) fn at_one_address(arguments: &[&str], log: &str) -> Self {
        let address = address();
        let command = converge(&["server", "--http", &address, "--grpc", &address]);
        let log = File::create(log).unwrap();
        Self::spawn(with_default_signals(&command).args(arguments).stderr(log))
    }
}

#[test]
fn calls_and_requests_are_answered_at_one_address() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log").to_str().unwrap().to_owned();
    let server = Server::at_one_address(&["--dev"], &log);
    assert_eq!(server.address(), server.grpc);
    server.serves();
    let list = converge(&["resource", "list", "namespace", "--server", &server.url]).output().unwrap();
    assert!(list.status.success() && String::from_utf8_lossy(&list.stdout).contains("default"), "{list:?}");
    let metrics = server.get("/metrics").1;
    for line in [
        "converge_server_requests_total{door=\"grpc\",method=\"Read\",route=\"converge.resource.ResourceService\",code=\"OK\"} 1",
        "converge_server_connections_accepted_total{door=\"grpc\"} 0",
    ] {
        assert!(metrics.lines().any(|entry| entry == line), "no {line} in {metrics}");
    }
    assert_eq!(server.ends_by("-TERM").code(), Some(0));
}

#[test]
fn a_browser_speaks_http2_to_it() {
    let Some(browser) = Browser::start("http2") else { return };
    let place = Place::at_one_address();
    browser.open(&format!("{}/#/modules", place.url));
    browser.until_text("This server needs a token");
    browser.until("document.activeElement.id === 'token'");
    let token = std::fs::read_to_string(place.identity().join("admin.token")).unwrap();
    let keys: Vec<_> = token.trim().split_inclusive(|_| true).chain([ENTER]).collect();
    browser.press(&keys);
    browser.until_text("There is no module.");
    // The page opens endless watches. More of them than HTTP/1.1 would allow share one connection.
    let script =
        "return [...new Set(performance.getEntries().map((entry) => entry.nextHopProtocol).filter(Boolean))]";
    assert_eq!(browser.run(script), serde_json::json!(["h2"]));
    assert_eq!(browser.complaints(), [Value::Null; 0]);
}
