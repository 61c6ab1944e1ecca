//! Tests of the stores of a server.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use converge_tests::{programs, run};
use serde_json::Value;

use super::Server;
use super::shared_address::address;

#[track_caller]
fn refused(arguments: &[&str], expect: &str) {
    let output = run(&[&["server", "--grpc", "127.0.0.1:0", "--open-on-loopback"], arguments].concat());
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(output.stderr.contains(expect), "no {expect:?} in {}", output.everything());
    assert_eq!(output.stdout, "", "{}", output.everything());
}

#[test]
fn a_store_has_one_server_and_outlives_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let server = Server::start(&["--data", data]);
    assert_eq!(server.get("/v1/ready"), (200, r#"{"status":"ready"}"#.to_owned()));
    let holder = format!("resources.redb is in use by process {}", server.process.id());
    refused(&["--data", data, "--http", "127.0.0.1:0"], &holder);
    assert_eq!(server.get("/v1/ready").0, 200, "the first one has noticed nothing");

    let partition = "/v1/resources/tenancy/v1/partition/eu";
    let reply = server.put(partition, r#"{"data": {"description": "here"}}"#);
    assert_eq!(reply.0, 200, "{}", reply.1);

    assert_eq!(server.ends_by("-KILL").signal(), Some(9));
    let server = Server::start(&["--data", data]);
    // The resource is the same by its uid, although its controller may have added a finalizer since.
    let parse = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let read = server.json(partition);
    assert_eq!((&read["id"], &read["data"]), (&parse(&reply.1)["id"], &parse(&reply.1)["data"]));
    assert_eq!(server.ends_by("-INT").code(), Some(0));
    let server = Server::start(&["--data", data]);
    assert_eq!(server.ends_by("-TERM").code(), Some(0));
}

#[test]
fn what_is_no_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    fs::File::create(folder.path().join("resources.redb")).unwrap().write_all(&[7; 8192]).unwrap();
    refused(&["--data", path, "--http", "127.0.0.1:0"], "is not a store of resources");
    assert_eq!(fs::read(folder.path().join("resources.redb")).unwrap(), [7; 8192]);
    let nested_path = format!("{path}/resources.redb/data");
    refused(&["--data", &nested_path, "--http", "127.0.0.1:0"], "Not a directory");
    // Nobody, not even root, can create folders here.
    refused(&["--data", "/proc/data", "--http", "127.0.0.1:0"], "cannot open /proc/data");
}

#[test]
fn a_port_that_is_taken_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let expect = format!("cannot listen on {address}");
    refused(&["--data", data.to_str().unwrap(), "--http", &address], &expect);
    assert!(!data.exists());
}

#[test]
fn a_file_that_may_not_become_larger_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut limited = Command::new("prlimit");
    limited.arg("--fsize=6000000:").arg(programs().join("converge"));
    limited
        .args(["server", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--open-on-loopback", "--data"])
        .arg(folder.path());
    let server = Server::run(&limited);
    let body = format!(r#"{{"data": {{"description": "{}"}}}}"#, "x".repeat(50_000));
    let put_partition = |name: &str| server.put(&format!("/v1/resources/tenancy/v1/partition/{name}"), &body);
    let (status, reply) = (0..1_000)
        .map(|number| put_partition(&format!("p{number}")))
        .find(|(status, _)| *status != 200)
        .expect("the file is larger than it may be");
    assert_eq!(status, 503, "{reply}");
    assert!(reply.contains("resources.redb cannot be used: I/O error: File too large"), "{reply}");
    assert_eq!(server.get("/v1/resources/tenancy/v1/partition/p0").0, 200);

    let process = server.process.id().to_string();
    assert!(
        Command::new("prlimit").args(["--pid", &process, "--fsize=unlimited:"]).status().unwrap().success()
    );
    let (status, reply) = put_partition("last");
    assert_eq!(status, 200, "{reply}");
    assert_eq!(server.ends_by("-TERM").code(), Some(0));
}

#[test]
fn an_etcd_that_cannot_be_had_is_told() {
    let check = |arguments: &[&str], expect: &str| {
        refused(&[&["--http", "127.0.0.1:0"], arguments].concat(), expect);
    };
    // Nothing has ever listened at this address.
    let store = format!("etcd://{}", address());
    check(&["--store", &store], "nothing listens there: start etcd");
    check(&["--store", &store, "--etcd-ca", "ca.pem"], "certificates are of no use without TLS");
    let secure = store.replace("etcd://", "etcds://");
    check(
        &["--store", &secure, "--etcd-ca", "/there/is/no.pem"],
        "cannot read /there/is/no.pem: No such file",
    );
}
