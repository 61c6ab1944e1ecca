//! Tests of the notifications to systemd.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::Command;
use std::time::Duration;

use converge_tests::{converge, states, with_default_signals};

use super::Server;
use super::agent::Agent;

/// The maximum time to wait.
const LONG: Duration = Duration::from_mins(2);

/// Returns the next notification that is no watchdog message.
fn told(manager: &UnixDatagram) -> String {
    loop {
        let text = next(manager);
        if text != "WATCHDOG=1" {
            return text;
        }
    }
}

fn next(manager: &UnixDatagram) -> String {
    let mut message = [0; 4096];
    manager.set_read_timeout(Some(LONG)).unwrap();
    let length = manager.recv(&mut message).unwrap();
    String::from_utf8(message[..length].to_vec()).unwrap()
}

#[test]
fn a_server_says_when_it_answers_reads_again_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    let command = converge(&["server", "--dev", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]);
    let mut command = with_default_signals(&command);
    // The interval is long enough that unread messages fit into the buffer.
    let server = Server::spawn(command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "2000000"));
    let ready = told(&manager);
    assert_eq!(ready, format!("READY=1\nSTATUS=answers at {} and grpc://{}", server.url, server.grpc));
    // The watchdog messages arrive regularly.
    for _ in 0..3 {
        assert_eq!(next(&manager), "WATCHDOG=1");
    }
    server.signal("-HUP");
    let reloading = told(&manager);
    let since_boot = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").unwrap();
    assert!(since_boot.parse::<u64>().unwrap() > 0, "{reloading}");
    assert_eq!(told(&manager), ready);
    assert_eq!(server.ends_by("-TERM").code(), Some(0));
    assert!(told(&manager).starts_with("STOPPING=1\n"));
}

#[test]
fn an_agent_says_so_too_and_a_name_may_be_in_no_folder() {
    let name = format!("converge-notify-{}", std::process::id());
    let manager = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    std::fs::create_dir_all(states()).unwrap();
    let folder = tempfile::tempdir_in(states()).unwrap();
    let state = folder.path().join("state");
    let command = converge(&["agent", "--node", "web-1", "--state-dir", state.to_str().unwrap()]);
    // There is no server, and an agent works without it.
    let mut command = with_default_signals(&command);
    command.args(["--server", "http://127.0.0.1:9"]).env("NOTIFY_SOCKET", format!("@{name}"));
    let agent = Agent(command.stderr(std::process::Stdio::piped()).spawn().unwrap());
    assert_eq!(told(&manager), "READY=1\nSTATUS=works for node web-1, asks http://127.0.0.1:9");
    assert_eq!(agent.ends().0, Some(0));
    assert!(told(&manager).starts_with("STOPPING=1\n"));
}

#[test]
fn nobody_has_to_listen() {
    for socket in ["/nowhere/notify", "@converge-nobody-is-here", "strange", ""] {
        let command = converge(&["server", "--dev", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]);
        let mut command: Command = with_default_signals(&command);
        let server = Server::spawn(command.env("NOTIFY_SOCKET", socket));
        assert_eq!(server.get("/v1/health").0, 200, "{socket}");
        assert_eq!(server.ends_by("-TERM").code(), Some(0), "{socket}");
    }
}
