//! Tests of `converge resource` with servers that are broken or lie.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;

use converge_tests::{Said, converge, with_default_signals};
use serde_json::{Value, json};

/// A server with a fixed answer to each request; the first request is for its types.
struct Liar {
    url: String,
}

impl Liar {
    fn new(mut answer: impl FnMut(&str, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let Some(request_line) = lines.next() else { continue };
                // The head of the request; the body is not read.
                lines.find(String::is_empty);
                if request_line.contains("/v1/openapi.json") {
                    let _ = stream.write_all(&ok(&types().to_string()));
                } else {
                    answer(&request_line, &mut stream);
                }
            }
        });
        Self { url }
    }

    /// Creates a server that always gives the same answer.
    fn saying(reply: Vec<u8>) -> Self {
        Self::new(move |_, stream| drop(stream.write_all(&reply)))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = with_default_signals(converge(&["resource"]).args(arguments));
        command.env("CONVERGE_SERVER", &self.url);
        command
    }

    fn run(&self, arguments: &[&str]) -> Said {
        Said::from(self.command(arguments).output().unwrap())
    }
}

fn types() -> Value {
    let artist = json!({ "group": "demo", "group_version": "v2", "kind": "Artist" });
    json!({ "components": { "schemas": {} }, "x-converge-types": [{ "type": artist }] })
}

fn resource(name: &str, version: &str) -> Value {
    let artist = json!({ "group": "demo", "group_version": "v2", "kind": "Artist" });
    json!({ "id": { "type": artist, "tenancy": {}, "name": name, "uid": name }, "version": version })
}

fn ok(body: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[track_caller]
fn fails(output: &Said, expect: &str) {
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(output.stderr.contains(expect), "no {expect:?} in {}", output.everything());
}

#[test]
fn what_is_no_answer_is_told() {
    let check = |said: &[u8], expect: &str| {
        fails(&Liar::saying(said.to_vec()).run(&["read", "artist", "tool"]), expect);
    };
    check(&ok("<html>"), "is not a converge server");
    check(&ok("{}"), "missing field `id`");
    check(&ok(&resource("other", "1").to_string()), "asked for tool, it answers with other");
    check(
        b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
        "it answers 302 Found",
    );
    check(b"HTTP/1.1 500 Oh\r\ncontent-length: 3\r\n\r\nno!", "it answers 500");
    check(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}", "no server answers at");
    check(b"SSH-2.0-OpenSSH\r\n", "is not a converge server");
    check(b"", "no server answers at");
    let refusal =
        json!({ "error": { "code": "unavailable", "message": "\u{1b}[2J\u{202e}not now" } }).to_string();
    let refused = format!("HTTP/1.1 503 x\r\ncontent-length: {}\r\n\r\n{refusal}", refusal.len());
    check(refused.as_bytes(), "error: \\u{1b}[2J\\u{202e}not now");
}

#[test]
fn an_answer_without_end_is_given_up() {
    let liar = Liar::new(|_, stream| {
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        let mut result = stream.write_all(head);
        while result.is_ok() {
            result = stream.write_all(chunk.as_bytes());
        }
    });
    fails(&liar.run(&["read", "artist", "tool"]), "it answers with more than 67108864 bytes");
    fails(&liar.run(&["watch", "artist"]), "it sends an event of more than");
}

#[test]
fn nothing_that_a_terminal_obeys_is_shown_in_a_table() {
    let liar =
        Liar::saying(ok(&json!({ "resources": [resource("\u{1b}]0;x\u{7}\u{9b}2J", "1")] }).to_string()));
    let output = liar.run(&["list", "artist"]).success();
    assert_eq!(output.stdout, "NAME\n\\u{1b}]0;x\\u{7}\\u{9b}2J\n");
    // A program gets the unmodified data.
    let yaml = liar.run(&["list", "artist", "-o", "yaml"]).success().stdout;
    assert!(yaml.contains(r#"name: "\u001b]0;x\u0007\u009b2J""#), "{yaml}");
}

fn events(events: &[(&str, Value)]) -> String {
    let texts: Vec<_> =
        events.iter().map(|(name, data)| format!("event: {name}\ndata: {data}\n\n")).collect();
    texts.concat()
}

#[test]
fn a_watch_outlives_its_connections_and_tells_only_what_is_new() {
    let mut times = 0;
    let liar = Liar::new(move |_, stream| {
        times += 1;
        let reply = match times {
            1 => events(&[
                ("upsert", resource("a", "1")),
                ("upsert", resource("b", "1")),
                ("end_of_snapshot", json!({})),
            ]),
            // The connection closes before any event.
            2 => String::new(),
            // Meanwhile one resource has changed, one was deleted, and one is new.
            3 => events(&[
                ("upsert", resource("b", "2")),
                ("upsert", resource("c", "1")),
                ("end_of_snapshot", json!({})),
            ]),
            _ => events(&[
                ("upsert", resource("b", "2")),
                ("error", json!({ "error": { "code": "invalid_argument", "message": "enough" } })),
            ]),
        };
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let _ = stream.write_all(format!("{head}: here\n\n{reply}").as_bytes());
    });
    let output = liar.run(&["watch", "artist"]);
    fails(&output, "error: enough");
    let expect = "added    a\nadded    b\nchanged  b\nadded    c\ndeleted  a\n";
    assert_eq!(output.stdout, expect, "{}", output.everything());
    assert_eq!(
        output.stderr.matches("changes made meanwhile are shown").count(),
        2,
        "{}",
        output.everything()
    );
}

#[test]
fn a_server_that_says_nothing_does_not_hold_a_signal() {
    let (sender, was_asked) = std::sync::mpsc::channel();
    let liar = Liar::new(move |_, stream| {
        sender.send(stream.try_clone().unwrap()).unwrap();
    });
    let mut child = liar.command(&["read", "artist", "tool"]).stderr(Stdio::null()).spawn().unwrap();
    let connection = was_asked.recv().unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(connection);
}
