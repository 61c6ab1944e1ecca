//! Tests of the writing and storage of secrets with the real programs.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use converge_tests::{Said, converge, states, with_default_signals};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Server;
use super::agent::PAUSE;

const SECRETS: &str = "/v1/resources/converge/v1/secret";
/// A value that occurs nowhere else, and its form in JSON bytes.
const CANARY: &str = "canary-Zk4h2Q9wLx";
const OLD: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const NEW: &str = "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// The folder of a server and its key.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        fs::create_dir_all(states()).unwrap();
        let place = Self(tempfile::tempdir_in(states()).unwrap());
        place.keys(&[OLD]);
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn keys(&self, lines: &[&str]) {
        fs::write(self.file("keys"), lines.join("\n")).unwrap();
        fs::set_permissions(self.file("keys"), Permissions::from_mode(0o600)).unwrap();
    }

    fn start(&self, with_key: bool) -> Server {
        let (data, keys) = (self.file("data"), self.file("keys"));
        let mut arguments = vec!["--data", data.to_str().unwrap(), "--open-on-loopback"];
        if with_key {
            arguments.extend(["--secrets-key", keys.to_str().unwrap()]);
        }
        Server::start_with_log(&arguments, self.file("log").to_str().unwrap())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.file("log")).unwrap()
    }
}

/// Runs a command with standard input.
fn given(server: &Server, arguments: &[&str], input: &str) -> Said {
    let mut command = with_default_signals(&converge(arguments));
    command.env("CONVERGE_SERVER", &server.url).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that does not read its input has already failed with a reason.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    Said::from(child.wait_with_output().unwrap())
}

/// Returns the files below a folder that contain these bytes, and the number of all files.
fn files_with(folder: &Path, bytes: &[u8]) -> (Vec<PathBuf>, usize) {
    let (mut paths, mut count) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let (nested_paths, nested_count) = files_with(&path, bytes);
            paths.extend(nested_paths);
            count += nested_count;
        } else {
            count += 1;
            if fs::read(&path).unwrap().windows(bytes.len()).any(|window| window == bytes) {
                paths.push(path);
            }
        }
    }
    (paths, count)
}

#[track_caller]
fn refused((status, said): (u16, String), expect: (u16, &str)) {
    assert_eq!(status, expect.0, "{said}");
    assert!(said.contains(expect.1) && !said.contains(CANARY), "no {:?} in {said}", expect.1);
}

#[test]
fn what_is_sealed_is_shown_to_nobody() {
    let place = Place::new();
    let server = place.start(true);
    let mut watch = with_default_signals(&converge(&["resource", "watch", "secret", "-o", "json"]));
    watch.env("CONVERGE_SERVER", &server.url).stdout(Stdio::piped());
    let mut watch = watch.spawn().unwrap();
    let mut events = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);

    let set = ["secret", "set", "db", "--description", "of the database"];
    let output = given(&server, &set, &format!("{CANARY}\n")).success();
    assert_eq!(output.stdout, "created default/default/db\n");
    let first = server.json(&format!("{SECRETS}/db"));
    assert_eq!(first["data"]["description"], "of the database");
    let file = place.file("value");
    fs::write(&file, CANARY).unwrap();
    let from_file = ["secret", "set", "db", "--from-file", file.to_str().unwrap()];
    assert_eq!(given(&server, &from_file, "").success().stdout, "changed default/default/db\n");
    let second = server.json(&format!("{SECRETS}/db"));
    assert_eq!(second["data"]["description"], "of the database");
    // Equal values have different ciphertexts.
    assert_ne!(first["data"]["sealed"], second["data"]["sealed"]);

    let mut texts = vec![
        events.by_ref().find(|line| line.contains("sealed")).unwrap(),
        server.get(SECRETS).1,
        server.get("/metrics").1,
        given(&server, &["secret", "list", "-o", "json"], "").success().stdout,
        given(&server, &["resource", "read", "secret", "db", "-o", "yaml"], "").success().stdout,
    ];
    let table = given(&server, &["secret", "list"], "").success().stdout;
    assert!(table.lines().nth(1).unwrap().contains("of the database"), "{table}");
    let value = json!({ "data": { "value": CANARY, "description": "of the database" } }).to_string();
    for path in [format!("{SECRETS}/db?dry_run=true"), format!("{SECRETS}/db"), format!("{SECRETS}/new")] {
        let (status, reply) = server.put(&path, &value);
        assert_eq!(status, 200, "{reply}");
        assert!(reply.contains("sealed"), "{reply}");
        texts.push(reply);
    }
    watch.kill().unwrap();
    watch.wait().unwrap();
    texts.extend([table, place.log()]);
    for text in texts {
        assert!(!text.contains(CANARY), "{text}");
    }
    let log = place.log();
    assert!(!log.contains(CANARY), "{log}");
    let (paths, count) = files_with(&place.file("data"), CANARY.as_bytes());
    assert!(paths.is_empty() && count > 0, "{count} {paths:?}");
    assert!(!files_with(&place.file("data"), b"of the database").0.is_empty(), "nothing would be found");

    given(&server, &["secret", "delete", "db", "new"], "").success();
    let output = given(&server, &["secret", "delete", "db"], "");
    assert!(
        output.code == Some(1) && output.stderr.contains("there is no secret db"),
        "{}",
        output.everything()
    );
    assert_eq!(server.ends_by("-TERM").code(), Some(0));
}

#[test]
fn what_is_written_by_hand_or_is_no_secret_is_refused() {
    let place = Place::new();
    let server = place.start(true);
    let path = format!("{SECRETS}/db");
    given(&server, &["secret", "set", "db"], CANARY).success();
    let read: Value = server.json(&path);
    let put_data = |path: &str, data: &Value| server.put(path, &json!({ "data": data }).to_string());
    // The data as they were read, with another description.
    let mut data = read["data"].clone();
    data["description"] = json!("other");
    assert_eq!(put_data(&path, &data).0, 200);
    assert_eq!(server.json(&path)["data"]["sealed"], read["data"]["sealed"]);

    let not_here = (400, "was not sealed under this name");
    refused(put_data(&format!("{SECRETS}/other"), &data), not_here);
    refused(
        put_data(&format!("{path}?dry_run=true"), &json!({ "sealed": "AAAA", "key": data["key"] })),
        not_here,
    );
    refused(
        put_data(&path, &json!({ "sealed": data["sealed"], "key": "0" })),
        (412, "a key that this server does not have"),
    );
    refused(put_data(&path, &json!({ "description": "x" })), (400, "value is missing"));
    refused(put_data(&path, &json!({ "value": "abc" })), (400, "has 3 bytes"));
    refused(
        put_data(&path, &json!({ "value": CANARY.repeat(5_000) })),
        (400, "a secret has from 4 to 65,536"),
    );
    refused(put_data(&path, &json!({ "value": "false" })), (400, "cannot be hidden"));
    let output = given(&server, &["secret", "set", "db", CANARY], "");
    assert_eq!(output.code, Some(1), "a value is no argument: {}", output.everything());
}

#[test]
fn keys_are_taken_in_turn_and_a_server_without_one_says_so() {
    let place = Place::new();
    let server = place.start(true);
    let path = format!("{SECRETS}/db");
    given(&server, &["secret", "set", "db"], CANARY).success();
    let key = |server: &Server| server.json(&path)["data"]["key"].as_str().unwrap().to_owned();
    let write_back = |server: &Server| {
        let read = server.json(&path);
        server.put(&path, &json!({ "data": read["data"] }).to_string())
    };
    let old = key(&server);
    // The new key encrypts, and the previous key decrypts existing values.
    place.keys(&["# this year", NEW, OLD]);
    server.signal("-HUP");
    while !place.log().contains("the keys for secrets were read again") {
        std::thread::sleep(PAUSE);
    }
    assert_eq!((write_back(&server).0, key(&server)), (200, old.clone()));
    given(&server, &["secret", "set", "db"], CANARY).success();
    assert_ne!(key(&server), old);
    assert_eq!(server.ends_by("-TERM").code(), Some(0));

    place.keys(&[OLD]);
    let server = place.start(true);
    refused(write_back(&server), (412, "a key that this server does not have"));
    assert_eq!(server.ends_by("-TERM").code(), Some(0));

    let server = place.start(false);
    assert_eq!(server.get(&path).0, 200);
    let output = given(&server, &["secret", "set", "db"], CANARY);
    assert!(
        output.code == Some(1) && output.stderr.contains("--secrets-key FILE"),
        "{}",
        output.everything()
    );
    assert!(!output.everything().contains(CANARY));
    refused(write_back(&server), (412, "this server has no key for secrets"));
    given(&server, &["secret", "delete", "db"], "").success();
    assert_eq!(server.ends_by("-TERM").code(), Some(0));

    // A key file that is readable by others or has other content is refused.
    let keys = place.file("keys");
    let start = || {
        let arguments =
            ["server", "--dev", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--secrets-key"];
        Said::from(converge(&arguments).arg(&keys).output().unwrap())
    };
    fs::write(&keys, CANARY).unwrap();
    let output = start();
    assert!(output.stderr.contains("line 1 is not a key: 64 hexadecimal digits"), "{}", output.everything());
    assert!(!output.stderr.contains(CANARY), "{}", output.everything());
    fs::set_permissions(&keys, Permissions::from_mode(0o640)).unwrap();
    let output = start();
    assert!(output.stderr.contains("other users can read"), "{}", output.everything());
}

/// The `/proc` files of a process that cannot be dumped belong to root.
///
/// This shows for a process of another user.
#[cfg(target_os = "linux")]
#[test]
fn memory_of_servers_and_agents_is_for_nobody_else() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    use std::os::unix::process::CommandExt as _;

    let place = Place::new();
    let user = converge_tests::is_root().then_some(65_534);
    let state = place.file("state");
    fs::create_dir(&state).unwrap();
    fs::set_permissions(&state, Permissions::from_mode(0o700)).unwrap();
    for folder in [place.0.path(), &state] {
        chown(folder, user, user).unwrap();
    }
    let server = ["server", "--dev", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"];
    let agent = ["agent", "--server", "http://127.0.0.1:1", "--node", "n", "--state-dir"];
    for arguments in [server.to_vec(), [&agent[..], &[state.to_str().unwrap()]].concat()] {
        let mut command = with_default_signals(&converge(&arguments));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).env("HOME", &state);
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let mut process = command.spawn().unwrap();
        // Both programs report something once they have started: that nothing is persistent, and that the
        // server is away.
        let mut stderr_line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut stderr_line).unwrap();
        let owner = fs::metadata(format!("/proc/{}/environ", process.id())).unwrap().uid();
        assert_eq!(owner, 0, "{arguments:?}: {stderr_line}");
        assert_eq!(process.try_wait().unwrap(), None, "{arguments:?}");
        process.kill().unwrap();
        process.wait().unwrap();
    }
}
