//! Tests of explanations with made-up reports, and of the names by which nodes are found.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::{Explanation, Reports, Verdict, explain, find};
use crate::graph::{Edge, EdgeReason, Graph, Input, LexicalScope, Meta, Node, NodeId, NodeIndex, Role};
use crate::sdk::registry::Registry;
use crate::sdk::status::{DiffValue, StatusLevel};
use converge_engine::{Difference, Outcome, ResourceReport, Skipped};
use converge_load::{Loader, TypeTable};

fn loaded(text: &str) -> Arc<Graph> {
    Loader::new(&Registry::new()).load_text("web.hcl", text).into_graph().unwrap()
}

fn report(id: &str, outcome: Outcome) -> (NodeId, ResourceReport) {
    let id = NodeId::root().child(id);
    (id.clone(), ResourceReport::new(id, outcome))
}

fn differing(id: &str, outcome: Outcome, difference: Difference) -> (NodeId, ResourceReport) {
    let (id, mut report) = report(id, outcome);
    report.level = StatusLevel::MayChange;
    report.differences.push(difference);
    (id, report)
}

fn of_default(name: &str, after: impl Into<DiffValue>) -> Difference {
    Difference { field: Some("default".into()), ..Difference::new(name, "", after) }
}

const CHAIN: &str = "param \"a\" { default = \"{{param `b`}}-{{param `c`}}\" }\n\
                     param \"b\" { default = \"{{param `d`}}\" }\n\
                     param \"c\" { default = 1 }\n\
                     param \"d\" { default = 1 }\n";

#[test]
fn what_is_unknown_came_through_a_reference() {
    let graph = loaded(CHAIN);
    let check = |id: &str, reports: Reports, expect: serde_json::Value| {
        let explained = json!(explain(&graph, find(&graph, id).unwrap(), &reports));
        assert_eq!(explained["differences"], expect, "{id}");
    };
    let place = |line, column, end_column| json!({ "file": "web.hcl", "line": line, "column": column, "end_line": line, "end_column": end_column });
    check("param.a", Reports::new(), json!([]));
    // Names are those for people. A known value lists no references as its cause.
    check(
        "param.a",
        Reports::from([
            differing("param.a", Outcome::WillChange, of_default("Default", "x")),
            report("param.b", Outcome::MayChange),
        ]),
        json!([{ "name": "Default", "field": "default", "before": "", "after": "x", "changes": true, "written": true, "place": place(1, 13, 20) }]),
    );
    // A difference that is not a field has the place of the resource.
    check(
        "param.a",
        Reports::from([differing("param.a", Outcome::WillChange, Difference::new("state", "", "x"))]),
        json!([{ "name": "state", "before": "", "after": "x", "changes": true, "written": false, "place": place(1, 1, 10) }]),
    );
    check(
        "param.a",
        Reports::from([
            differing("param.a", Outcome::MayChange, of_default("default", DiffValue::Unknown)),
            report("param.b", Outcome::MayChange),
            report("param.c", Outcome::Unchanged),
        ]),
        json!([{
            "name": "default", "field": "default", "before": "", "after": "(known after apply)", "changes": true,
            "unknown": true, "written": true, "place": place(1, 13, 20),
            "through": [
                { "on": "root/param.b", "reason": "param", "place": place(1, 32, 35), "outcome": "may-change" },
            ],
        }]),
    );
    // A node that passes on a value is itself unchanged.
    check(
        "param.a",
        Reports::from([
            differing("param.a", Outcome::MayChange, of_default("default", DiffValue::Unknown)),
            report("param.b", Outcome::Unchanged),
            report("param.c", Outcome::Unchanged),
            report("param.d", Outcome::WillChange),
        ]),
        json!([{
            "name": "default", "field": "default", "before": "", "after": "(known after apply)", "changes": true,
            "unknown": true, "written": true, "place": place(1, 13, 20),
            "through": [
                { "on": "root/param.b", "reason": "param", "place": place(1, 32, 35), "outcome": "unchanged" },
            ],
        }]),
    );
}

/// Parameters without errors have no reports of their own.
#[test]
fn what_is_unknown_came_through_parameters() {
    let graph = loaded(&format!("{CHAIN}param \"z\" {{ default = \"{{{{param `a`}}}}\" }}\n"));
    let reports = Reports::from([
        differing("param.z", Outcome::MayChange, of_default("default", DiffValue::Unknown)),
        report("param.d", Outcome::WillChange),
    ]);
    let explained = json!(explain(&graph, find(&graph, "param.z").unwrap(), &reports));
    assert_eq!(explained["differences"][0]["through"][0]["on"], "root/param.a");
}

#[test]
fn both_directions_of_the_edges() {
    let graph = loaded(CHAIN);
    let reports = Reports::from([report("param.a", Outcome::MayChange), report("param.d", Outcome::Failed)]);
    let explained = json!(explain(&graph, find(&graph, "b").unwrap(), &reports));
    let place = json!({ "file": "web.hcl", "line": 2, "column": 32, "end_line": 2, "end_column": 35 });
    assert_eq!(
        explained["waits_for"],
        json!([{ "on": "root/param.d", "reason": "param", "place": place, "outcome": "failed" }])
    );
    assert_eq!(
        explained["dependents"],
        json!([{ "id": "root/param.a", "reasons": ["param"], "outcome": "may-change" }])
    );
}

/// Returns a graph with a resource in a second case, in a module with a condition.
fn gated() -> Graph {
    use EdgeReason::{Gate, Switch};
    let node = |id: &str, role, when: Option<&str>| Node {
        id: NodeId::root().child(id),
        resource: Arc::clone(TypeTable::new(&Registry::new()).get("param").unwrap()),
        role,
        attributes: Arc::default(),
        scope: LexicalScope::root(),
        group: Some("apt".into()).filter(|_| role == Role::Resource),
        meta: when.map(|condition| {
            Box::new(Meta {
                when: Some(Input::value(condition)),
                timeout: Some(Duration::from_millis(1500)),
                ..Meta::default()
            })
        }),
        span: None,
        declared: 0,
    };
    let nodes = vec![
        node("module.m", Role::Module, None),
        node("module.m/begin", Role::Begin, Some("outer")),
        node("module.m/switch.s", Role::Switch, None),
        node("module.m/switch.s/case.a", Role::Case, Some("first")),
        node("module.m/switch.s/case.b", Role::Case, Some("second")),
        node("module.m/switch.s/case.b/task.t", Role::Resource, Some("own")),
        node("task.t", Role::Resource, None),
    ];
    let edges: [(usize, usize, EdgeReason); 4] = [(3, 1, Gate), (4, 1, Gate), (4, 3, Switch), (5, 4, Gate)];
    let mut dependencies = vec![Vec::new(); nodes.len()];
    for (from, dependency, reason) in edges {
        dependencies[from].push(Edge { on: NodeIndex::new(dependency), reason, span: None });
    }
    Graph::new(nodes, dependencies, Arc::default())
}

#[test]
fn gates_say_what_they_decided() {
    let graph = gated();
    let id = "module.m/switch.s/case.b/task.t";
    let check = |report: Option<ResourceReport>, expect: [(&str, Verdict<'_>); 2]| {
        let reports = report.map(|report| (report.id.clone(), report)).into_iter().collect();
        let explained = explain(&graph, find(&graph, id).unwrap(), &reports);
        let actual: Vec<_> =
            explained.gates.iter().map(|gate| (gate.called.as_str(), gate.verdict.clone())).collect();
        assert_eq!(actual, expect);
        let predicates: Vec<_> = explained.gates.iter().filter_map(|gate| gate.predicate.clone()).collect();
        assert_eq!(predicates, ["second", "outer"]);
    };
    let (case, module) = ("`case \"b\"` of `module.m/switch.s`", "`module.m`");
    let explain_with = |outcome, skipped: Option<(&str, &str)>| {
        let (_, mut report) = report(id, outcome);
        report.skipped = skipped
            .map(|(cause, reason)| Skipped { cause: NodeId::root().child(cause), reason: reason.to_owned() });
        Some(report)
    };
    check(None, [(case, Verdict::NotAsked), (module, Verdict::NotAsked)]);
    check(explain_with(Outcome::WillChange, None), [(case, Verdict::Taken), (module, Verdict::Taken)]);
    check(explain_with(Outcome::Skipped, None), [(case, Verdict::NotAsked), (module, Verdict::NotAsked)]);
    let reason = "`first` is true";
    check(
        explain_with(Outcome::NotTaken, Some(("module.m/switch.s/case.b", reason))),
        [(case, Verdict::NotTaken { reason }), (module, Verdict::Taken)],
    );
    check(
        explain_with(Outcome::NotTaken, Some(("module.m", reason))),
        [(case, Verdict::NotAsked), (module, Verdict::NotTaken { reason })],
    );
    // The condition of the resource itself does not affect the verdicts of the gates.
    check(
        explain_with(Outcome::NotTaken, Some((id, reason))),
        [(case, Verdict::Taken), (module, Verdict::Taken)],
    );
    check(
        explain_with(Outcome::MayChange, Some((id, reason))),
        [(case, Verdict::Taken), (module, Verdict::Taken)],
    );
    check(explain_with(Outcome::MayChange, None), [(case, Verdict::Taken), (module, Verdict::Taken)]);
    // An earlier undecided case leaves this one undecided as well.
    let reason = "whether `case \"a\"` of `module.m/switch.s` is taken is known after apply: it waits for x";
    check(
        explain_with(Outcome::MayChange, Some(("module.m/switch.s/case.a", reason))),
        [(case, Verdict::Undecided { reason }), (module, Verdict::Taken)],
    );
    check(
        explain_with(Outcome::MayChange, Some(("module.m", reason))),
        [(case, Verdict::NotAsked), (module, Verdict::Undecided { reason })],
    );
}

#[test]
fn meta_arguments() {
    let graph = gated();
    let reports = Reports::new();
    let explained =
        |name: &str| -> Explanation<'_> { explain(&graph, find(&graph, name).unwrap(), &reports) };
    let record = json!(explained("case.b/task.t"));
    assert_eq!(record["group"], "apt");
    assert_eq!(record["when"], json!({ "predicate": "own" }));
    assert_eq!(record["timeout_seconds"], 1.5);
    let record = json!(explained("root/task.t"));
    assert_eq!((&record["when"], &record["retry"]), (&json!(null), &json!(null)));
}

#[test]
fn nodes_are_found_by_as_much_of_their_path_as_is_needed() {
    let graph = gated();
    let check = |name: &str, expect: Result<&str, &str>| {
        let actual = find(&graph, name)
            .map(|index| graph.node(index).id.short().to_owned())
            .map_err(|error| error.to_string());
        assert_eq!(actual.as_deref().map_err(String::as_str), expect, "{name}");
    };
    let inner = "module.m/switch.s/case.b/task.t";
    check("root/task.t", Ok("task.t"));
    check("task.t", Ok("task.t"));
    check(&format!("root/{inner}"), Ok(inner));
    check(inner, Ok(inner));
    check("module.m.switch.s.case.b.task.t", Ok(inner));
    check("case.b/task.t", Ok(inner));
    check("b/task.t", Ok(inner));
    check("case.a", Ok("module.m/switch.s/case.a"));
    check("begin", Ok("module.m/begin"));
    check("t", Err(&format!("`t` can be `{inner}` or `task.t`; write more of the path")));
    check("ask.t", Err("there is no resource `ask.t`; did you mean `task.t`?"));
    check(
        "case.ab",
        Err(
            "there is no resource `case.ab`; did you mean `module.m/switch.s/case.a` or `module.m/switch.s/case.b`?",
        ),
    );
    check("", Err("there is no resource ``"));
    check("nothing.like.it", Err("there is no resource `nothing.like.it`"));
}
