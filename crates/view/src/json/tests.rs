use converge_load::TypeTable;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use crate::diagnostic::{Diagnostic, SourceMap, Span};
use crate::sdk::status::StatusLevel;
use crate::types::id::NodeId;
use converge_engine::{Event, EventKind, Failure, Outcome, ResourceReport, Stage};
use converge_sdk::RunId;

fn sources() -> (SourceMap, Diagnostic) {
    let mut sources = SourceMap::new();
    let file = sources.add("web.hcl", "file.mode \"é\" {\n  mode = 9\n}\n");
    let diagnostic = Diagnostic::error("wrong-kind", "`mode` is not octal")
        .label(Span::new(file, 26, 27), "here")
        .label(Span::new(file, 10, 29), "")
        .help("write 0644");
    (sources, diagnostic)
}

fn expected() -> serde_json::Value {
    json!({
        "event": "diagnostic",
        "code": "wrong-kind",
        "severity": "error",
        "message": "`mode` is not octal",
        "labels": [
            { "file": "web.hcl", "line": 2, "column": 10, "end_line": 2, "end_column": 11, "text": "here" },
            { "file": "web.hcl", "line": 1, "column": 11, "end_line": 3, "end_column": 2, "text": "" },
        ],
        "help": "write 0644",
    })
}

#[test]
fn diagnostics_name_lines_and_columns() {
    let (sources, diagnostic) = sources();
    assert_eq!(json!(super::diagnostic(&diagnostic, &sources)), expected());
}

#[test]
fn a_label_of_another_map_is_left_out() {
    let (_, diagnostic) = sources();
    let other_map = SourceMap::new();
    assert_eq!(super::diagnostic(&diagnostic, &other_map).labels, []);
}

#[test]
fn failures_in_events_name_lines_and_columns() {
    let (sources, diagnostic) = sources();
    let mut report = ResourceReport::new(NodeId::root().child("file.mode.é"), Outcome::Failed);
    report.level = StatusLevel::Fatal;
    report.failure =
        Some(Failure { stage: Stage::Prepare, message: "not octal".into(), diagnostics: vec![diagnostic] });
    report.elapsed = Duration::from_millis(500);
    let event = EventKind::ResourceFinished(Box::new(report));
    let expect = json!({
        "event": "resource-finished",
        "id": "root/file.mode.é",
        "outcome": "failed",
        "level": "fatal",
        "failure": { "stage": "prepare", "message": "not octal", "diagnostics": [expected()] },
        "elapsed_seconds": 0.5,
    });
    assert_eq!(super::event_kind(&event, &sources).unwrap(), expect);
    let event = Event::new(event, RunId::new("r"), Timestamp::UNIX_EPOCH);
    let mut expect = expect;
    expect["run"] = "r".into();
    expect["time"] = "1970-01-01T00:00:00Z".into();
    assert_eq!(super::event(&event, &sources).unwrap(), expect);
}

#[test]
fn schemas_say_only_what_applies() {
    let registry = converge_sdk::Registry::new();
    let expect = json!({
        "name": "param",
        "doc": "A value that the module takes from outside, with or without a default.",
        "fields": [{
            "name": "default",
            "doc": "The value if none is given from outside. A parameter without a default is required.",
            "kind": { "type": "any" },
        }],
        "rules": [],
        "exports": [{ "name": "val", "doc": "The value.", "computed": false, "shape": "open" }],
    });
    let mut schema = TypeTable::new(&registry).get("param").unwrap().schema().clone();
    schema.fields.truncate(1);
    assert_eq!(super::schema(&schema), expect);
}

#[test]
fn graphs_name_the_places_of_nodes_and_edges() {
    let registry = converge_sdk::Registry::new();
    let text = "param \"a\" { default = \"{{param `b`}}\" }\nparam \"b\" {\n  default = 1\n  description = \"One.\"\n}\n";
    let loaded = converge_load::Loader::new(&registry).load_text("web.hcl", text);
    let place = |line, column, end_column| {
        json!({
            "file": "web.hcl",
            "line": line,
            "column": column,
            "end_line": line,
            "end_column": end_column,
        })
    };
    let expect = json!({
        "nodes": [
            { "id": "root/param.a", "type": "param", "role": "param", "place": place(1, 1, 10) },
            { "id": "root/param.b", "type": "param", "role": "param", "description": "One.", "place": place(2, 1, 10) },
        ],
        "edges": [
            { "from": "root/param.a", "to": "root/param.b", "reason": "param", "place": place(1, 32, 35) },
        ],
    });
    assert_eq!(json!(super::graph(loaded.partial_graph(), &loaded.sources)), expect);
}
