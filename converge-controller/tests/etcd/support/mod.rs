//! Clusters of etcd that are the tests' own: programs on this machine, with folders that go with them.

mod cluster;
mod gateway;
mod member;
mod network;
mod proxy;

pub(crate) use cluster::Cluster;
pub(crate) use member::{Member, free_port};
pub(crate) use network::Network;
pub(crate) use proxy::Proxy;

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Whether there is a program of etcd. Otherwise it says that the test is left out, to the file that
/// `CONVERGE_TEST_SKIP_REPORT` names as well.
pub(crate) fn installed(program: &str) -> bool {
    let mut command = Command::new(program);
    let there = command.arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        skip(&format!("there is no {program} (apt-get install etcd-server openssl iproute2)"));
    }
    there
}

/// Says that this test is left out.
#[expect(clippy::print_stderr, reason = "who runs the tests reads it")]
pub(crate) fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("etcd::{}: {reason}", thread.name().unwrap_or("a test"));
    eprintln!("skipped: {line}");
    if let Some(report) = std::env::var_os("CONVERGE_TEST_SKIP_REPORT") {
        let report = std::fs::File::options().create(true).append(true).open(report);
        report.expect("the report").write_all(format!("{line}\n").as_bytes()).expect("the report");
    }
}

/// Runs a program that has to succeed, and gives what it says.
#[track_caller]
pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
