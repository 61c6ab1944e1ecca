//! Private etcd clusters for tests: processes on this machine with temporary folders.

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

/// Returns whether a program of etcd is installed.
///
/// Otherwise it reports the skipped test, also to the file in `CONVERGE_TEST_SKIP_REPORT`.
pub(crate) fn installed(program: &str) -> bool {
    let mut command = Command::new(program);
    let is_installed = command.arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !is_installed {
        skip(&format!("there is no {program} (apt-get install etcd-server openssl iproute2)"));
    }
    is_installed
}

/// Reports that this test is skipped.
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

/// Runs a program that must succeed, and returns its output.
#[track_caller]
pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
