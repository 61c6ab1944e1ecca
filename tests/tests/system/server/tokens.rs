//! Tests of authorization with the real programs.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use converge_tests::etcd::Cluster;
use converge_tests::{Said, converge, run, states, with_default_signals};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::agent::Agent;
use super::{Server, agent};

const EU: &str = "/v1/resources/tenancy/v1/partition/eu";
/// The token of an administrator, who may do everything.
pub(super) const ADMIN: &str = "converge_admin_0123456789abcdef0123456789abcdef";
/// The SHA-256 of the administrator's token.
const ADMIN_SHA256: &str = "53ccf967490b67eebd349ce9d3c5bbefc1c88bea4d71887bb27f4e795cefda7b";

/// A server with authentication, and one token in a file.
pub(super) struct Place {
    pub(super) folder: TempDir,
    pub(super) server: Server,
}

impl Place {
    pub(super) fn new() -> Self {
        let folder = folder();
        let server = Server::start(&["--dev", "--tokens", policy(&folder).to_str().unwrap()]);
        Self { folder, server }
    }

    /// Runs a command with a token in its environment.
    pub(super) fn converge(&self, token: &str, arguments: &[&str]) -> Said {
        asking(&self.server.url, token, arguments)
    }

    pub(super) fn create(&self, arguments: &[&str]) -> String {
        let output = self.converge(ADMIN, &[&["token", "create"], arguments].concat()).success();
        output.stdout.trim().to_owned()
    }

    fn get(&self, token: &str, path: &str) -> (u16, Value) {
        let request = agent().get(format!("{}{path}", self.server.url));
        let answer = request.header("authorization", format!("Bearer {token}")).call().unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.into_body().read_to_string().unwrap()).unwrap())
    }

    fn put(&self, token: &str, path: &str) -> (u16, Value) {
        let request = agent().put(format!("{}{path}", self.server.url)).content_type("application/json");
        let answer = request.header("authorization", format!("Bearer {token}")).send("{}").unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.into_body().read_to_string().unwrap()).unwrap())
    }
}

fn folder() -> TempDir {
    fs::create_dir_all(states()).unwrap();
    tempfile::tempdir_in(states()).unwrap()
}

/// Writes the policy file with the only initial token.
fn policy(folder: &TempDir) -> PathBuf {
    let file = folder.path().join("tokens.json");
    let rules = json!([{"types": ["*"], "verbs": ["read", "list", "write"]}]);
    let policy = json!({"tokens": [{"name": "admin", "sha256": ADMIN_SHA256, "rules": rules}]});
    fs::write(&file, policy.to_string()).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    file
}

fn asking(url: &str, token: &str, arguments: &[&str]) -> Said {
    let mut command = converge(arguments);
    Said::from(command.env("CONVERGE_SERVER", url).env("CONVERGE_TOKEN", token).output().unwrap())
}

#[track_caller]
fn refused(output: &Said, expect: &str) {
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(output.stderr.contains(expect), "no {expect:?} in {}", output.everything());
}

/// Tests that a wait for a condition is no success if the server refuses to show changes.
#[test]
fn waiting_without_the_right_to_watch_is_an_error() {
    let place = Place::new();
    let token = place.create(&["writer", "--allow", "read,write=*"]);
    let file = place.folder.path().join("node.yaml");
    fs::write(&file, "type: converge.v1.Node\nname: web-1\n").unwrap();
    let apply = ["resource", "apply", "-f", file.to_str().unwrap()];
    let output = place.converge(&token, &[&apply[..], &["--wait", "online"]].concat());
    refused(&output, "may not list");
    assert_eq!(output.stdout, "converge.v1.Node web-1 created\n");
    place.converge(&token, &apply).success();
}

#[test]
fn whoever_has_no_token_is_told_nothing() {
    let place = Place::new();
    assert_eq!(place.put(ADMIN, EU).0, 200);
    let paths = [
        EU,
        "/v1/resources/tenancy/v1/partition/none",
        "/v1/controllers",
        "/v1/openapi.json",
        "/metrics",
        "/none",
    ];
    let get = |path: &str| place.server.get(path);
    let first = get(EU);
    assert_eq!(first.0, 401, "{}", first.1);
    assert!(first.1.contains("the request has no token"), "{}", first.1);
    for path in paths {
        assert_eq!(get(path), first, "{path}");
    }
    assert_eq!(place.server.put(EU, "{}").0, 401);
    // Probes need no token.
    assert_eq!((get("/v1/health").0, get("/v1/ready").0), (200, 200));
    let with_invalid_token = place.get("guess", EU);
    assert_eq!(
        (with_invalid_token.0, with_invalid_token.1["error"]["code"].as_str()),
        (401, Some("unauthenticated")),
        "{}",
        with_invalid_token.1
    );
    // The existence of a token with this name is not revealed either.
    let token = place.create(&["ci", "--read-only"]);
    for guess in ["converge_ci_0", "converge_none_0", &token[..token.len() - 1], ADMIN_SHA256] {
        assert_eq!(place.get(guess, EU), with_invalid_token, "{guess}");
    }
    refused(
        &run(&["resource", "list", "partition", "--server", &place.server.url]),
        "the request has no token",
    );
    refused(&run(&["controllers", "status", "--server", &place.server.url]), "the request has no token");
    assert!(place.converge(&token, &["controllers", "status"]).success().stdout.contains("scheduler"));
}

#[test]
fn a_token_is_good_for_what_it_says_until_it_ends() {
    let place = Place::new();
    assert_eq!(place.put(ADMIN, EU).0, 200);
    let reader = place.create(&["wall", "--read-only", "--description", "the wall"]);
    assert_eq!(place.get(&reader, EU).0, 200);
    place.converge(&reader, &["resource", "list", "partition"]).success();
    // Existing and missing resources are refused in the same words.
    let message = |name: &str| {
        let (status, reply) = place.put(&reader, &format!("/v1/resources/tenancy/v1/partition/{name}"));
        assert_eq!(status, 403, "{reply}");
        reply["error"]["message"].as_str().unwrap().replace(name, "NAME")
    };
    assert_eq!(message("eu"), message("asia"));
    refused(&place.converge(&reader, &["token", "create", "mine", "--admin"]), "may not write");
    refused(&place.converge(&reader, &["token", "revoke", "wall"]), "may not write");

    let team = place.create(&["team", "--allow", "read,list,write=converge.*.*", "--namespace", "web"]);
    assert_eq!(place.put(&team, EU).0, 403);
    assert_eq!(place.put(&team, "/v1/resources/access/v1/token/mine").0, 403);

    let is_time = |word: &&str| word.len() == "2026-01-01T00:00:00Z".len() && word.ends_with('Z');
    // Both tokens were used, which is recorded after a moment.
    let listed = loop {
        assert_eq!(place.put(&team, EU).0, 403);
        let listed = place.converge(&reader, &["token", "list"]).success().stdout;
        let used = listed.split_whitespace().filter(is_time).count();
        if used == 2 {
            break listed;
        }
    };
    assert!(listed.lines().next().unwrap().contains("LAST USED"), "{listed}");
    let rows: Vec<Vec<&str>> =
        listed.lines().map(|line| line.split_whitespace().filter(|word| !is_time(word)).collect()).collect();
    assert_eq!(rows[1], ["team", "read,list,write=converge.*.*", "in", "namespace", "web"], "{listed}");
    assert_eq!(rows[2], ["wall", "read,list=*", "the", "wall"], "{listed}");
    assert!(!listed.contains(reader.rsplit('_').next().unwrap()));

    refused(&place.converge(ADMIN, &["token", "create", "wall", "--admin"]), "the token wall already exists");
    refused(&place.converge(ADMIN, &["token", "create", "wall2"]), "--admin");
    refused(&place.converge(ADMIN, &["token", "revoke", "wal"]), "there is no token wal");
    place.converge(ADMIN, &["token", "revoke", "wall"]).success();
    assert_eq!(place.get(&reader, EU).0, 401);

    let short = place.create(&["short", "--read-only", "--expires", "1s"]);
    let ended = loop {
        match place.get(&short, EU) {
            (200, _) => std::thread::sleep(Duration::from_millis(50)),
            ended => break ended,
        }
    };
    assert_eq!((ended.0, &ended.1["error"]["message"]), (401, &json!("the token has expired")));
}

#[test]
fn a_watch_ends_when_its_token_is_taken_back() {
    let place = Place::new();
    let reader = place.create(&["wall", "--read-only"]);
    let request = agent().get(format!("{}/v1/resources/tenancy/v1/partition?watch=true", place.server.url));
    let answer = request.header("authorization", format!("Bearer {reader}")).call().unwrap();
    let mut lines = BufReader::new(answer.into_body().into_reader()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "event: end_of_snapshot"));
    place.converge(ADMIN, &["token", "revoke", "wall"]).success();
    let end: Vec<_> = lines.skip_while(|line| line != "event: error").collect();
    assert!(end[1].contains("unauthenticated"), "{end:?}");
}

#[test]
fn files_of_tokens_are_read_again_and_kept_from_others() {
    let place = Place::new();
    let file = place.folder.path().join("tokens.json");
    fs::write(&file, "{").unwrap();
    place.server.signal("-HUP");
    // An unreadable file changes nothing.
    assert_eq!(place.get(ADMIN, EU).0, 404);
    fs::write(&file, r#"{"tokens": []}"#).unwrap();
    place.server.signal("-HUP");
    while place.get(ADMIN, EU).0 != 401 {
        std::thread::sleep(Duration::from_millis(20));
    }

    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    let server = |arguments: &[&str]| {
        run(&[&["server", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"], arguments].concat())
    };
    let path = file.to_str().unwrap();
    refused(&server(&["--dev", "--tokens", path]), "other users can write");
    let data = place.folder.path().join("data");
    let data = data.to_str().unwrap();
    refused(&server(&["--data", data]), "the server has no tokens");
    refused(&server(&["--dev", "--tokens", path, "--open-on-loopback"]), "cannot be used with");
    assert!(!fs::exists(data).unwrap());

    let token = place.folder.path().join("token");
    fs::write(&token, ADMIN).unwrap();
    fs::set_permissions(&token, Permissions::from_mode(0o640)).unwrap();
    for command in [&["resource", "list", "partition"][..], &["controllers", "status"]] {
        let command_line =
            [command, &["--server", &place.server.url, "--token-file", token.to_str().unwrap()]].concat();
        refused(&run(&command_line), "other users can read");
    }
    // A token is not sent over an unencrypted connection to another machine.
    for command in [&["resource", "list", "partition"][..], &["controllers", "status"]] {
        refused(&asking("http://192.0.2.1:8500", ADMIN, command), "the token would be sent unencrypted");
    }
}

#[test]
fn an_agent_works_with_a_token() {
    let place = Place::new();
    let token = place.create(&["web-1", "--allow", "read,list,write=converge.*.*"]);
    let file = place.folder.path().join("token");
    fs::write(&file, token).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let state = place.folder.path().join("state");
    let command = converge(&["agent", "--server", &place.server.url, "--node", "web-1", "--token-file"]);
    let mut command = with_default_signals({ command }.arg(file).arg("--state-dir").arg(state));
    let _agent = Agent(command.spawn().unwrap());
    let report = "/v1/resources/converge/v1/nodereport/web-1";
    while place.get(ADMIN, report).1["status"]["agent"].is_null() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_token_holds_at_every_server_of_a_store() {
    let Some(cluster) = Cluster::start("server::tokens") else { return };
    let folder = folder();
    let policy = policy(&folder);
    let store = cluster.store();
    let start = || Server::start(&["--store", &store, "--tokens", policy.to_str().unwrap()]);
    let (first, second) = (start(), start());
    for number in 0..10 {
        let name = format!("ci-{number}");
        let new_token =
            asking(&first.url, ADMIN, &["token", "create", &name, "--read-only"]).success().stdout;
        asking(&second.url, new_token.trim(), &["resource", "list", "partition"]).success();
        asking(&second.url, ADMIN, &["token", "revoke", &name]).success();
        let list = || asking(&first.url, new_token.trim(), &["resource", "list", "partition"]);
        // Another etcd member may see the change a moment later.
        while list().code == Some(0) {}
        refused(&list(), "unknown token");
    }
}
