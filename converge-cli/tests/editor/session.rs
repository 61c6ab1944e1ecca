//! Tests of the begin and end of sessions, and of invalid client messages.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::client::{Client, range};

#[test]
fn an_agreed_end_is_a_success_and_others_are_none() {
    let mut client = Client::begin(&[]);
    client.request("shutdown", &Value::Null);
    client.notify("exit", &Value::Null);
    assert_eq!(client.end(), (Some(0), String::new()));
    let mut client = Client::begin(&[]);
    client.notify("exit", &Value::Null);
    assert_eq!(client.end(), (Some(1), String::new()));
    // The editor crashes, before any message and in the middle of a session.
    assert_eq!(Client::start(&[]).end(), (Some(1), String::new()));
    let mut client = Client::begin(&[]);
    client.open("main.hcl", "param \"a\" {}\n");
    assert_eq!(client.end(), (Some(1), String::new()));
    // Half of a message is not a message.
    let mut client = Client::begin(&[]);
    client.send_bytes(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\"");
    assert_eq!(client.end(), (Some(1), String::new()));
    let mut client = Client::begin(&[]);
    client.send_bytes(b"Content-Le");
    assert_eq!(client.end(), (Some(1), String::new()));
}

#[test]
fn what_is_no_message_ends_the_session_and_says_why() {
    let check = |bytes: &[u8], expect: &str| {
        let mut client = Client::start(&[]);
        client.send_bytes(bytes);
        let (code, stderr) = client.end();
        assert_eq!(code, Some(1), "{expect}");
        assert!(stderr.contains(expect), "{stderr}");
    };
    check(b"hello\r\n", "a line before a message is not a header");
    check(b"\r\n\r\n", "a message has no Content-Length");
    check(b"Content-Length: 1e9\r\n\r\n", "the length of a message is not a number");
    check(&vec![b'a'; 20_000], "the header of a message is too long");
}

#[test]
fn wrong_messages_are_answered_and_the_session_goes_on() {
    let mut client = Client::begin(&[]);
    for (text, code) in
        [("{", -32700), ("[1, 2]", -32600), ("{}", -32600), ("1", -32600), ("\u{fffd}", -32700)]
    {
        client.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
        let answer = client.wait(|message| message["id"].is_null() && message.get("error").is_some());
        assert_eq!(answer["error"]["code"], code, "{text}");
    }
    client.send_bytes(b"Content-Length: 3\r\n\r\n\xff\xfe\xfd");
    client.wait(|message| message["error"]["code"] == -32700);
    // The message is longer than the limit, and is skipped.
    let length = 65 << 20;
    client.send_bytes(format!("Content-Length: {length}\r\n\r\n").as_bytes());
    for _ in 0..65 {
        client.send_bytes(&vec![b' '; 1 << 20]);
    }
    client.wait(|message| message["error"]["code"] == -32600);
    let id = client.ask("textDocument/hover", &json!({ "textDocument": { "uri": "file:///none.hcl" } }));
    assert_eq!(client.answer(id)["error"]["code"], -32602);
    let id = client.ask("no/such/method", &Value::Null);
    assert_eq!(client.answer(id)["error"]["code"], -32601);
    client.request("shutdown", &Value::Null);
    client.notify("exit", &Value::Null);
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn places_that_are_none_are_the_nearest() {
    let mut client = Client::begin(&[]);
    client.open("main.hcl", "# \u{1f600}\n");
    // The ranges begin within a character, and far behind the end; the text stays valid.
    client.change("main.hcl", 2, &range((0, 3), (0, 3)), "x");
    client.change("main.hcl", 3, &range((7, 0), (9, 9)), "parm \"a\" {}\n");
    client.change("main.hcl", 4, &range((9, 9), (9, 9)), "");
    let problems = client.problems("main.hcl", 4);
    assert_eq!(problems[0]["range"], range((1, 0), (1, 4)));
    let params = json!({
        "textDocument": { "uri": client.uri("main.hcl") },
        "position": { "line": 4_000_000_000_u32, "character": 4_000_000_000_u32 },
    });
    for method in ["completion", "hover", "definition", "references", "prepareRename"] {
        client.request(&format!("textDocument/{method}"), &params);
    }
    // A document that is not open cannot be changed.
    client.change("other.hcl", 1, &range((0, 0), (0, 0)), "x");
    client.request("textDocument/hover", &params);
}

#[test]
fn columns_are_bytes_where_that_was_agreed_on() {
    let capabilities = json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } });
    let mut client = Client::begin_with(&[], &capabilities);
    client.open("main.hcl", "param \"\u{1f600}\" {\n  default = \"é\u{1f600}\" default\n}\n");
    let problems = client.problems("main.hcl", 1);
    assert_eq!(problems[0]["range"]["start"], json!({ "line": 1, "character": 28 }));
    let mut client = Client::begin(&[]);
    client.open("main.hcl", "param \"\u{1f600}\" {\n  default = \"é\u{1f600}\" default\n}\n");
    let problems = client.problems("main.hcl", 1);
    // The two characters have two and four bytes, and one and two UTF-16 units.
    assert_eq!(problems[0]["range"]["start"], json!({ "line": 1, "character": 25 }));
}

#[test]
fn of_a_flood_of_edits_the_last_one_counts() {
    let mut client = Client::begin(&[]);
    client.open("main.hcl", "");
    for version in 2..2002 {
        client.change("main.hcl", version, &range((0, 0), (0, 0)), "#");
    }
    client.change("main.hcl", 2002, &range((0, 2000), (0, 2000)), "\nparm \"a\" {}\n");
    assert_eq!(client.problems("main.hcl", 2002)[0]["code"], "unknown-type");
}

#[test]
fn a_request_that_nobody_waits_for_any_more_is_not_answered() {
    let mut client = Client::begin(&[]);
    let place = client.open_at("main.hcl", "file.$0\n");
    // The messages are sent in one piece, so that the cancellation has arrived before the request is
    // answered. A large text before them keeps the server busy.
    let ask = json!({ "jsonrpc": "2.0", "id": 900, "method": "textDocument/completion", "params": place });
    let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 900 } });
    let mut text = String::new();
    for number in 0..20_000 {
        let _ = writeln!(text, "file.content \"a{number}\" {{ destination = \"/x\" }}");
    }
    client.open("large.hcl", &text);
    let symbols = json!({ "textDocument": { "uri": client.uri("large.hcl") } });
    let symbols =
        json!({ "jsonrpc": "2.0", "id": 899, "method": "textDocument/documentSymbol", "params": symbols });
    let mut frames = String::new();
    for message in [symbols, ask, cancel] {
        let text = message.to_string();
        let _ = write!(frames, "Content-Length: {}\r\n\r\n{text}", text.len());
    }
    client.send_bytes(frames.as_bytes());
    assert_eq!(client.answer(900)["error"]["code"], -32800);
}

#[test]
fn a_document_that_is_too_long_is_one_mistake() {
    let mut client = Client::begin(&[]);
    client.open("main.hcl", &"# a comment that goes on\n".repeat(2 << 20));
    let problems = client.problems("main.hcl", 1);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0]["code"], "file-too-large");
    client.change("main.hcl", 2, &range((0, 0), (u32::MAX, 0)), "parm \"a\" {}\n");
    assert_eq!(client.problems("main.hcl", 2)[0]["code"], "unknown-type");
}

#[test]
fn files_that_change_on_the_disk_are_read_again() {
    let capabilities = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut client = Client::begin_with(&[], &capabilities);
    let request = client.wait(|message| message["method"] == "client/registerCapability");
    assert_eq!(
        request["params"]["registrations"][0]["registerOptions"]["watchers"][0]["globPattern"],
        "**/*.hcl"
    );
    client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": null }));
    client.open("main.hcl", "module \"web.hcl\" \"web\" {}\n");
    assert_eq!(client.problems("main.hcl", 1)[0]["code"], "unreadable-file");
    std::fs::write(client.path().join("web.hcl"), "param \"a\" { default = 1 }\n").unwrap();
    let change = json!({ "changes": [{ "uri": client.uri("web.hcl"), "type": 1 }] });
    client.notify("workspace/didChangeWatchedFiles", &change);
    assert_eq!(client.problems("main.hcl", 1), Vec::<Value>::new());
}
