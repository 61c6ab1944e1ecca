//! Tests of servers with TLS and the real programs.

use std::fs::{self, File, Permissions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use converge_tests::{Said, converge, run, states, with_default_signals};
use tempfile::TempDir;

use super::Server;
use super::agent::Agent;
use super::shared_address::address;

/// The files that `server init` creates.
const FILES: [&str; 6] = ["admin.token", "ca-key.pem", "ca.pem", "secrets.key", "server.pem", "tokens.json"];

/// A server with a generated identity.
pub(super) struct Place {
    pub(super) folder: TempDir,
    pub(super) server: Server,
    pub(super) url: String,
}

impl Place {
    pub(super) fn new() -> Self {
        Self::with(&[])
    }

    /// Starts a server with additional arguments.
    pub(super) fn with(arguments: &[&str]) -> Self {
        let folder = folder();
        init(folder.path()).success();
        // Other machines can reach this address.
        let server = start(&folder, "0.0.0.0:0", arguments);
        let port = server.url.strip_prefix("https://0.0.0.0:").expect("it speaks TLS").to_owned();
        Self { url: format!("https://localhost:{port}"), server, folder }
    }

    /// Starts a server at a loopback address that stays free while it is away.
    pub(super) fn at_own_address() -> Self {
        let (folder, address) = (folder(), address());
        let (host, _) = address.split_once(':').unwrap();
        run(&["server", "init", "--data", folder.path().to_str().unwrap(), "--host", host]).success();
        let server = start(&folder, &address, &[]);
        Self { url: server.url.clone(), server, folder }
    }

    /// Starts a server with HTTP and gRPC at one loopback address.
    pub(super) fn at_one_address() -> Self {
        let folder = folder();
        init(folder.path()).success();
        let log = folder.path().join("log").to_str().unwrap().to_owned();
        let server = Server::at_one_address(&["--data", folder.path().to_str().unwrap()], &log);
        Self { url: server.url.clone(), server, folder }
    }

    /// Starts two servers with one identity over one store.
    pub(super) fn two_of(store: &str) -> (Self, Server) {
        let folder = folder();
        init(folder.path()).success();
        let identity = folder.path().join("identity");
        let start = || {
            let arguments = ["server", "--store", store, "--identity", identity.to_str().unwrap()];
            let mut command = with_default_signals(&converge(&arguments));
            Server::spawn(command.args(["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]))
        };
        let (first, second) = (start(), start());
        let url = first.url.replace("127.0.0.1", "localhost");
        (Self { url, server: first, folder }, second)
    }

    /// Restarts the server at [its own address](Self::at_own_address).
    pub(super) fn start_again(&mut self) {
        self.server.process.wait().unwrap();
        self.server = start(&self.folder, self.url.strip_prefix("https://").unwrap(), &[]);
    }

    pub(super) fn identity(&self) -> PathBuf {
        self.folder.path().join("identity")
    }

    pub(super) fn authority(&self) -> PathBuf {
        self.identity().join("ca.pem")
    }

    pub(super) fn ask(&self, url: &str, authority: Option<&Path>, arguments: &[&str]) -> Said {
        let mut command = self.asking(url, arguments);
        if let Some(authority) = authority {
            command.env("CONVERGE_CA", authority);
        }
        Said::from(command.output().unwrap())
    }

    /// Creates a client command with the first token.
    fn asking(&self, url: &str, arguments: &[&str]) -> std::process::Command {
        let mut command = with_default_signals(&converge(arguments));
        command.env("CONVERGE_SERVER", url).env("CONVERGE_TOKEN_FILE", self.identity().join("admin.token"));
        command
    }

    fn until_log_says(&self, text: &str) {
        while !fs::read_to_string(self.folder.path().join("log")).unwrap().contains(text) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn start(folder: &TempDir, http: &str, arguments: &[&str]) -> Server {
    let data = folder.path().to_str().unwrap();
    let mut command = with_default_signals(&converge(&["server", "--data", data, "--http", http]));
    command.args(["--grpc", "127.0.0.1:0"]).args(arguments);
    Server::spawn(command.stderr(File::create(folder.path().join("log")).unwrap()))
}

fn folder() -> TempDir {
    fs::create_dir_all(states()).unwrap();
    tempfile::tempdir_in(states()).unwrap()
}

fn init(data: &Path) -> Said {
    run(&["server", "init", "--data", data.to_str().unwrap(), "--host", "server.example.org"])
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[track_caller]
fn refused(output: &Said, expect: &str) {
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(output.stderr.contains(expect), "no {expect:?} in {}", output.everything());
}

const LIST: [&str; 3] = ["resource", "list", "partition"];
const STATUS: [&str; 2] = ["controllers", "status"];

#[test]
fn other_machines_ask_with_an_authority_and_a_token() {
    let place = Place::new();
    let authority = place.authority();
    place.ask(&place.url, Some(&authority), &LIST).success();
    place.ask(&place.url, Some(&authority), &STATUS).success();
    // The machine does not trust the issuer of the certificate, and another authority has not signed it.
    let other_folder = folder();
    init(other_folder.path()).success();
    let other_authority = other_folder.path().join("identity/ca.pem");
    let plain_url = place.url.replace("https://", "http://");
    for command in [&LIST[..], &STATUS] {
        for authority in [None, Some(other_authority.as_path())] {
            refused(&place.ask(&place.url, authority, command), "give its authority with --ca");
        }
        refused(&place.ask(&plain_url, None, command), "this server speaks TLS: ask for https://");
        refused(
            &place.ask(&place.url, Some(&place.identity().join("tokens.json")), command),
            "no certificate in it",
        );
        let without_token =
            converge(command).env("CONVERGE_SERVER", &place.url).env("CONVERGE_CA", &authority).output();
        refused(&without_token.unwrap().into(), "the request has no token");
    }
    // Silent clients and clients without TLS do not block others.
    let silent = TcpStream::connect(place.url.trim_start_matches("https://")).unwrap();
    let mut strange = TcpStream::connect(&*place.server.grpc.replace("grpcs://", "")).unwrap();
    strange.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    let mut reply = String::new();
    strange.read_to_string(&mut reply).unwrap();
    assert!(reply.contains("this server speaks TLS"), "{reply}");
    place.ask(&place.url, Some(&authority), &LIST).success();

    let state = place.folder.path().join("state");
    let mut agent =
        place.asking(&place.url, &["agent", "--node", "web-1", "--state-dir", state.to_str().unwrap()]);
    let _agent = Agent(agent.env("CONVERGE_CA", &authority).spawn().unwrap());
    let read = ["resource", "read", "nodereport", "web-1"];
    while place.ask(&place.url, Some(&authority), &read).code != Some(0) {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(silent);
    assert_eq!(place.server.ends_by("-TERM").code(), Some(0));
}

#[test]
fn a_certificate_is_replaced_under_a_watch() {
    let place = Place::new();
    let authority = place.authority();
    let mut watch = place.asking(&place.url, &["resource", "watch", "partition"]);
    let mut watch = watch.env("CONVERGE_CA", &authority).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("default")));

    let data = place.folder.path().to_str().unwrap();
    run(&["server", "renew", "--data", data]).success();
    place.server.signal("-HUP");
    place.until_log_says("the certificate was read again");
    place.ask(&place.url, Some(&authority), &LIST).success();

    // A different authority signs the next certificate, so a new connection shows whether it is used.
    let other_folder = folder();
    init(other_folder.path()).success();
    let other_identity = other_folder.path().join("identity");
    let server = place.identity().join("server.pem");
    fs::copy(other_identity.join("server.pem"), &server).unwrap();
    place.server.signal("-HUP");
    let ask_with = |authority: &Path| place.ask(&place.url, Some(authority), &LIST);
    while ask_with(&authority).code == Some(0) {}
    refused(&ask_with(&authority), "is not trusted");
    let other_authority = other_identity.join("ca.pem");
    ask_with(&other_authority).success();

    // An unusable certificate changes nothing.
    fs::set_permissions(&server, Permissions::from_mode(0o644)).unwrap();
    place.server.signal("-HUP");
    place.until_log_says("the certificate stays as it was");
    ask_with(&other_authority).success();

    let file = place.folder.path().join("eu.yaml");
    fs::write(&file, "type: partition\nname: eu\n").unwrap();
    place
        .ask(&place.url, Some(&other_authority), &["resource", "apply", "-f", file.to_str().unwrap()])
        .success();
    assert!(lines.any(|line| line.contains("eu")), "the watch goes on");
    watch.kill().unwrap();
    watch.wait().unwrap();
}

#[test]
fn an_identity_is_made_once_and_whole() {
    let place = folder();
    let stdout = init(place.path()).success().stdout;
    for expect in [
        "server.example.org, localhost, 127.0.0.1, ::1",
        "converge server --data ",
        "export CONVERGE_SERVER=https://localhost:8500 ",
    ] {
        assert!(stdout.contains(expect), "no {expect:?} in {stdout}");
    }
    let identity = place.path().join("identity");
    assert_eq!(names(&identity), FILES);
    let token = fs::read_to_string(identity.join("admin.token")).unwrap();
    assert!(!stdout.contains(token.trim()));
    refused(&init(place.path()), "exists already, and is not overwritten");
    assert_eq!(fs::read_to_string(identity.join("admin.token")).unwrap(), token);
    refused(&run(&["server", "init", "--data", "/proc/none"]), "cannot write /proc/none");
    let bad = folder();
    let data = bad.path().to_str().unwrap();
    refused(&run(&["server", "init", "--data", data, "--host", "https://a"]), "is not the name of a host");
    refused(&run(&["server", "renew", "--data", data]), "identity: No such file");
    assert_eq!(names(bad.path()), [""; 0]);

    // The kill comes at any moment.
    for round in 0..20 {
        let place = folder();
        let data = place.path().to_str().unwrap();
        let mut making = converge(&["server", "init", "--data", data]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(round));
        let _ = making.kill();
        making.wait().unwrap();
        let identity = place.path().join("identity");
        if fs::exists(&identity).unwrap() {
            assert_eq!(names(&identity), FILES);
        } else {
            init(place.path()).success();
        }
    }
}

#[test]
fn keys_that_others_read_are_refused() {
    let place = folder();
    init(place.path()).success();
    let data = place.path().to_str().unwrap();
    let server = place.path().join("identity/server.pem");
    fs::set_permissions(&server, Permissions::from_mode(0o640)).unwrap();
    let start = || run(&["server", "--data", data, "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]);
    refused(&start(), "other users can read");
    fs::set_permissions(&server, Permissions::from_mode(0o600)).unwrap();
    fs::copy(place.path().join("identity/ca.pem"), &server).unwrap();
    refused(&start(), "it is not a key with certificates (PEM)");
    let open = ["server", "--data", data, "--open-on-loopback", "--http", "0.0.0.0:0"];
    refused(&run(&open), "for which a server needs TLS and tokens");
}
