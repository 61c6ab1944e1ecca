//! Tests of a session without streams and threads: messages, answers and jobs.

use std::ops::ControlFlow;

use converge_core::load::Sources;
use serde_json::{Value, json};

use super::analysis::Job;
use super::message::Incoming;
use super::server::Server;

fn request(id: i64, method: &str, params: Value) -> Incoming {
    Incoming::Request { id: super::message::RequestId::Number(id), method: method.to_owned(), params }
}

fn notification(method: &str, params: Value) -> Incoming {
    Incoming::Notification { method: method.to_owned(), params }
}

fn send(server: &mut Server<'_>, message: Incoming) -> Vec<Value> {
    assert!(matches!(server.handle(message), ControlFlow::Continue(_)));
    sent(server)
}

fn sent(server: &mut Server<'_>) -> Vec<Value> {
    server.out.take().iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

const URI: &str = "file:///there-is-no-such-folder/main.hcl";

/// Begins a session with one open text.
fn begin<'r>(registry: &'r converge_core::Registry, text: &str) -> Server<'r> {
    let mut server = Server::new(registry, Sources::new());
    send(&mut server, request(1, "initialize", json!({ "capabilities": {} })));
    let document = json!({ "uri": URI, "languageId": "hcl", "version": 1, "text": text });
    send(&mut server, notification("textDocument/didOpen", json!({ "textDocument": document })));
    server
}

fn insert(version: i64, line: u32, character: u32, text: &str) -> Incoming {
    let place = json!({ "line": line, "character": character });
    let change = json!({ "range": { "start": place, "end": place }, "text": text });
    let params = json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": [change] });
    notification("textDocument/didChange", params)
}

/// Runs a job in this thread, and returns the messages to the client.
fn finish(server: &mut Server<'_>, job: Job) -> Vec<Value> {
    let (sender, receiver) = std::sync::mpsc::channel();
    job.start(move |findings| sender.send(findings).unwrap()).unwrap();
    server.found(&receiver.recv().unwrap());
    sent(server)
}

#[test]
fn of_many_edits_only_what_they_led_to_is_looked_at() {
    let registry = converge_core::Registry::new();
    let mut server = begin(&registry, "");
    for version in 0..5000 {
        send(&mut server, insert(version + 2, 0, 0, "x"));
    }
    let job = server.next_job().unwrap();
    assert_eq!(job.text.len(), 5000);
    assert!(server.next_job().is_none(), "one is looked at at a time");
    let notifications = finish(&mut server, job);
    assert_eq!(notifications.len(), 1);
    assert_eq!(notifications[0]["params"]["version"], 5001);
    assert!(server.next_job().is_none(), "there is nothing else to find out");
}

#[test]
fn what_was_found_about_an_older_text_is_not_told() {
    let registry = converge_core::Registry::new();
    let mut server = begin(&registry, "param \"a\" {}\n");
    let old = server.next_job().unwrap();
    send(&mut server, insert(2, 0, 0, "parm \"b\" {}\n"));
    assert!(old.token.is_cancelled());
    assert!(finish(&mut server, old).is_empty());
    let new = server.next_job().unwrap();
    let notifications = finish(&mut server, new);
    assert_eq!(notifications[0]["params"]["version"], 2);
    assert_eq!(notifications[0]["params"]["diagnostics"][0]["code"], "unknown-type");
}

#[test]
fn a_session_has_an_order() {
    let registry = converge_core::Registry::new();
    let mut server = Server::new(&registry, Sources::new());
    let code = |answers: Vec<Value>| answers[0]["error"]["code"].as_i64();
    let hover = || request(7, "textDocument/hover", json!({}));
    assert_eq!(code(send(&mut server, hover())), Some(-32002));
    // Notifications before `initialize` are ignored.
    assert!(send(&mut server, insert(1, 0, 0, "x")).is_empty());
    let replies = send(&mut server, request(1, "initialize", json!({ "capabilities": {} })));
    assert_eq!(replies[0]["result"]["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(code(send(&mut server, request(2, "initialize", json!({})))), Some(-32600));
    assert_eq!(code(send(&mut server, hover())), Some(-32602));
    assert_eq!(code(send(&mut server, request(3, "textDocument/other", json!({})))), Some(-32601));
    assert_eq!(send(&mut server, request(4, "shutdown", Value::Null))[0]["result"], Value::Null);
    assert_eq!(code(send(&mut server, hover())), Some(-32600));
    let end = server.handle(notification("exit", Value::Null));
    assert!(matches!(end, ControlFlow::Break(super::server::End::Clean)));
}

#[test]
fn edits_of_what_is_not_open_and_wrong_parameters_are_let_be() {
    let registry = converge_core::Registry::new();
    let mut server = Server::new(&registry, Sources::new());
    send(&mut server, request(1, "initialize", json!({ "capabilities": {} })));
    assert!(send(&mut server, insert(1, 0, 0, "x")).is_empty());
    for params in
        [json!(null), json!([]), json!({ "textDocument": 1 }), json!({ "textDocument": { "uri": "" } })]
    {
        for method in ["didOpen", "didChange", "didClose", "didSave"] {
            assert!(
                send(&mut server, notification(&format!("textDocument/{method}"), params.clone())).is_empty()
            );
        }
    }
    assert!(server.next_job().is_none());
}

#[test]
fn a_keystroke_parses_what_has_changed_and_nothing_else() {
    let registry = converge_core::Registry::new();
    let mut server = begin(&registry, "module \"web.hcl\" \"web\" {}\n");
    let web = json!({
        "uri": "file:///there-is-no-such-folder/web.hcl", "languageId": "hcl", "version": 1, "text": "param \"port\" {}\n",
    });
    send(&mut server, notification("textDocument/didOpen", json!({ "textDocument": web })));
    while let Some(job) = server.next_job() {
        finish(&mut server, job);
    }
    send(&mut server, insert(2, 1, 0, "# a comment\n"));
    let job = server.next_job().unwrap();
    let cache = job.cache.clone();
    let before = cache.stats();
    finish(&mut server, job);
    let after = cache.stats();
    assert_eq!((after.misses - before.misses, after.hits - before.hits), (1, 1));
    // The other file does not read this one.
    assert!(server.next_job().is_none());
}

#[test]
fn what_a_file_calls_since_a_moment_ago_is_looked_at_again() {
    let registry = converge_core::Registry::new();
    let mut server = begin(&registry, "");
    let open = |text: &str| {
        let web = json!({ "uri": "file:///there-is-no-such-folder/web.hcl", "languageId": "hcl", "version": 1, "text": text });
        notification("textDocument/didOpen", json!({ "textDocument": web }))
    };
    send(&mut server, open("param \"port\" { default = 1 }\n"));
    while let Some(job) = server.next_job() {
        finish(&mut server, job);
    }
    send(&mut server, insert(2, 0, 0, "module \"web.hcl\" \"web\" {}\n"));
    let job = server.next_job().unwrap();
    let change = json!({ "range": null, "text": "param \"port\" {}\n" });
    let web = json!({ "uri": "file:///there-is-no-such-folder/web.hcl", "version": 2 });
    send(
        &mut server,
        notification("textDocument/didChange", json!({ "textDocument": web, "contentChanges": [change] })),
    );
    finish(&mut server, job);
    let mut notifications = Vec::new();
    while let Some(job) = server.next_job() {
        notifications.extend(finish(&mut server, job));
    }
    let last = notifications.iter().rev().find(|message| message["params"]["uri"] == URI).unwrap();
    assert_eq!(last["params"]["diagnostics"][0]["code"], "missing-param");
}
