//! Tests of nodes and modules from the view of an operator.

use std::time::Duration;

use serde_json::{Value, json};

use super::Server;

const PAUSE: Duration = Duration::from_millis(10);
const NODES: &str = "/v1/resources/converge/v1/node";
const MODULES: &str = "/v1/resources/converge/v1/module";
const ASSIGNMENTS: &str = "/v1/resources/converge/v1/assignment";

fn put(server: &Server, path: &str, resource: &Value) -> Value {
    let (status, answer) = server.put(path, &resource.to_string());
    assert_eq!(status, 200, "{answer}");
    serde_json::from_str(&answer).unwrap()
}

/// Waits until the resource at a path satisfies a condition, and returns it.
fn until(server: &Server, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    loop {
        let reply = server.json(path);
        if is_so(&reply) {
            return reply;
        }
        std::thread::sleep(PAUSE);
    }
}

fn condition(resource: &Value, condition_type: &str) -> Value {
    let conditions = resource["status"]["scheduler"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.into_iter().find(|condition| condition["type"] == condition_type).unwrap_or_default()
}

fn module(text: &str) -> Value {
    json!({"data": {"content": {"text": text}, "mode": "MODE_ENFORCE", "nodes": "role=web"}})
}

#[test]
fn a_module_reaches_its_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let server = Server::start(&data);
    for (name, role) in [("web-1", "web"), ("web-2", "web"), ("db-1", "db")] {
        put(&server, &format!("{NODES}/{name}"), &json!({"metadata": {"role": role}}));
    }
    let site = format!("{MODULES}/site");
    let first = put(&server, &site, &module("task \"a\" { check = \"true\" }"));
    assert_eq!(first["data"]["interval"], "1800s");
    let reply = until(&server, ASSIGNMENTS, |found| found["resources"].as_array().unwrap().len() == 2);
    let nodes: Vec<_> = reply["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|assignment| &assignment["data"]["node"]["name"])
        .collect();
    assert_eq!(nodes, ["web-1", "web-2"]);
    until(&server, &site, |site| condition(site, "scheduled")["message"] == "nodes: 2");

    // Changes while the server is away are not lost, nor is the earlier state.
    let revision = reply["resources"][0]["data"]["revision"]["name"].clone();
    let (status, answer) = server.put(&site, &module("task \"b\" { check = \"true\" }").to_string());
    assert_eq!(status, 200, "{answer}");
    server.ends_by("-KILL");
    let server = Server::start(&data);
    let is_changed = |found: &Value| {
        let assignments = found["resources"].as_array().unwrap();
        assignments.len() == 2
            && assignments.iter().all(|assignment| assignment["data"]["revision"]["name"] != revision)
    };
    until(&server, ASSIGNMENTS, is_changed);
    let waiting = "applied on 0 of 2, waiting for web-1, web-2";
    until(&server, &site, |site| condition(site, "applied")["message"] == waiting);
    let (status, answer) = server.put(&site, &json!({"data": {"mode": "MODE_ENFORCE"}}).to_string());
    assert_eq!(status, 400, "{answer}");
    assert!(
        answer.contains("nodes is empty: write labels, such as role=web, or * for every node"),
        "{answer}"
    );
}
