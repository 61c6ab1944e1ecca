//! Tests of names in a node: parameters, lookups, whole resources, own fields, files.

use super::manual_graphs::{ManualGraph, template, value};
use super::*;
use crate::graph::{EachIs, InputKind, Module};
use crate::inputs::scope::NodeScope;
use crate::sdk::export::Exports;
use crate::tables::node_flags::NOT_TAKEN;
use crate::tables::run_tables::{RunSetup, Shared};
use crate::tables::selection::Needed;
use crate::types::scope::{Scope, ScopeError};
use crate::types::value::Value;
use converge_language::language::WorkBudget;
use converge_sdk::Context;
use converge_sdk::Limits;

/// Returns the tables of a run in which all nodes have ended.
///
/// Parameters export their `val`, toys their path as `state`.
fn ended(graph: &Arc<Graph>, not_taken: &[&str]) -> Shared {
    let world = World::new();
    let context = Context::new(world.clone(), RunId::new("test"), RunMode::Apply);
    let setup = RunSetup {
        context,
        budget: WorkBudget::from_limits(Limits::default()),
        approval: None,
        needed: Needed::default(),
        observes_reads: false,
        keeps_exports: false,
        kept: None,
        span: tracing::Span::none(),
        room: None,
    };
    let shared = Shared::new(Arc::clone(graph), setup, None, None);
    for (index, node) in graph.nodes() {
        if not_taken.contains(&node.id.short()) {
            shared.flags.add(index, NOT_TAKEN);
            continue;
        }
        let mut exports = Exports::new();
        match node.attributes.first().filter(|_| node.id.name().starts_with("param.")) {
            Some(attribute) => exports.insert("val", attribute.input.known_value().unwrap()),
            None => exports.insert("state", Value::from(node.id.short())),
        }
        shared.keep_exports(index, Box::new(exports));
    }
    shared
}

fn show(result: Result<Value, ScopeError>) -> String {
    match result {
        Ok(value) => value.to_string(),
        Err(error) => error.to_string(),
    }
}

/// Returns a graph with everything that can be named, and a toy that depends on all of it.
fn everything() -> Arc<Graph> {
    let names = [
        "param.os",
        "toy.near",
        "module.web",
        "switch.s/case.a/toy.x",
        "switch.s/case.b/toy.x",
        "switch.s/case.b/toy.y",
        "toy.page",
        "toy.page[\"a.b\"]",
        "toy.page[\"c\"]",
        "module.host",
        "switch.s",
    ];
    ManualGraph::new()
        .param("param.os", value("linux"))
        .toy("toy.near", vec![])
        .toy("toy.elsewhere", vec![])
        .end("switch.s", Role::Switch)
        .gate("switch.s/case.a", Some(value(false)))
        .toy("switch.s/case.a/toy.x", vec![])
        .gate("switch.s/case.b", Some(value(true)))
        .toy("switch.s/case.b/toy.x", vec![])
        .toy("switch.s/case.b/toy.y", vec![])
        .end("switch.t", Role::Switch)
        .gate("switch.t/case.c", Some(value(true)))
        .toy("switch.t/case.c/toy.far", vec![])
        .end("module.web", Role::Module)
        .param("module.web/param.port", value(80))
        .param("module.web/param.key", value(Value::from("hunter2").into_secret()))
        .toy("module.web/toy.inner", vec![])
        .end("toy.page", Role::ForEach)
        .instance("toy.page", "a.b", vec![])
        .instance("toy.page", "c", vec![])
        .end("module.host", Role::ForEach)
        .end("module.host[\"one\"]", Role::Module)
        .param("module.host[\"one\"]/param.port", value(1))
        .toy("toy.me", vec![])
        .waits("toy.me", EdgeReason::Lookup, &names)
        .waits("module.host", EdgeReason::ForEach, &["module.host[\"one\"]"])
        .build()
}

#[test]
fn names_lead_to_values() {
    let graph = everything();
    let shared = ended(&graph, &["switch.s/case.a", "switch.s/case.a/toy.x"]);
    let scope = NodeScope::new(&shared, graph.find("root/toy.me").unwrap());
    let lookup = |path: &str, expect: &str| assert_eq!(show(scope.lookup(path)), expect, "{path}");
    let traverse = |path: &str, expect: &str| assert_eq!(show(scope.traverse(path)), expect, "{path}");
    let param = |name: &str, expect: &str| assert_eq!(show(scope.param(name)), expect, "{name}");

    param("os", "\"linux\"");
    param("so", "there is no parameter `so`");
    param("oss", "there is no parameter `oss`; did you mean `os`?");

    lookup("toy.near.state", "\"toy.near\"");
    lookup("toy.near", "`toy.near` is a resource: name one of its exports, as in `toy.near.FIELD`");
    lookup("toy.near.size", "`toy.near` exports no `size`");
    lookup(
        "toy.neat.state",
        "there is no resource `toy.neat.state`; did you mean `toy.near.state` or `toy.me.state`?",
    );
    lookup("toy.elsewhere.state", "`toy.elsewhere` is not a dependency: add `depends = [\"toy.elsewhere\"]`");
    lookup(
        "switch.t.case.c.toy.far.state",
        "`switch.t/case.c/toy.far` is not a dependency: add `depends = [\"switch.t/case.c/toy.far\"]`",
    );
    traverse("toy.near", "{state = \"toy.near\"}");
    traverse("toy.near.state", "\"toy.near\"");

    // A toy is found by its own name, and by the whole path.
    lookup("toy.x.state", "\"switch.s/case.b/toy.x\"");
    lookup("switch.s.case.b.toy.y.state", "\"switch.s/case.b/toy.y\"");
    lookup(
        "switch.s.case.a.toy.x.state",
        "`switch.s.case.a.toy.x.state` has no value: `case \"a\"` of `switch.s` was not taken",
    );

    lookup("module.web.params.port", "80");
    lookup("module.web.params.key", "(sensitive)");
    lookup("module.web.params", "{key = (sensitive), port = 80}");
    lookup("module.web.params.prot", "there is no parameter `prot`; did you mean `port`?");
    lookup("module.web.port", "`module.web` exports no `port`, only `params` and `output`");
    lookup(
        "module.web",
        "`module.web` is a module: name one of its outputs or parameters, as in `module.web.output.NAME` or `module.web.params.NAME`",
    );
    lookup("module.web/toy.inner.state", "\"module.web/toy.inner\"");
    traverse("module.web", "{params = {key = (sensitive), port = 80}}");

    lookup("toy.page[\"a.b\"].state", "\"toy.page[\\\"a.b\\\"]\"");
    lookup("toy.page.c.state", "\"toy.page[\\\"c\\\"]\"");
    lookup("toy.page[\"a.c\"].state", "there is no instance `a.c`; did you mean `a.b`?");
    lookup("toy.page", "`toy.page` has `for_each`: name an instance, as in `toy.page[\"KEY\"].FIELD`");
    traverse(
        "toy.page",
        "{a.b = {state = \"toy.page[\\\"a.b\\\"]\"}, c = {state = \"toy.page[\\\"c\\\"]\"}}",
    );
    lookup("module.host[\"one\"].params.port", "1");
    lookup("switch.s.state", "`switch.s` exports nothing: name a resource in it");
}

#[test]
fn what_was_not_taken_says_why() {
    let graph = ManualGraph::new()
        .end("switch.s", Role::Switch)
        .gate("switch.s/case.a", None)
        .toy("switch.s/case.a/toy.x", vec![])
        .gate("switch.s/case.default", None)
        .toy("switch.s/case.default/toy.x", vec![])
        .toy("toy.own", vec![])
        .end("module.web", Role::Module)
        .gate("module.web/begin", None)
        .end("module.web/switch.t", Role::Switch)
        .gate("module.web/switch.t/case.b", None)
        .toy("module.web/switch.t/case.b/toy.z", vec![])
        .toy("toy.me", vec![])
        .waits(
            "toy.me",
            EdgeReason::Lookup,
            &[
                "switch.s/case.a/toy.x",
                "switch.s/case.default/toy.x",
                "toy.own",
                "module.web",
                "module.web/switch.t/case.b/toy.z",
            ],
        )
        .build();
    let mut not_taken = vec![
        "switch.s/case.a",
        "switch.s/case.a/toy.x",
        "switch.s/case.default/toy.x",
        "toy.own",
        "module.web",
        "module.web/begin",
        "module.web/switch.t/case.b",
        "module.web/switch.t/case.b/toy.z",
    ];
    let check = |not_taken: &[&str], path: &str, expect: &str| {
        let shared = ended(&graph, not_taken);
        let scope = NodeScope::new(&shared, graph.find("root/toy.me").unwrap());
        assert_eq!(show(scope.lookup(path)), format!("`{path}` has no value: {expect}"));
    };
    check(&not_taken, "toy.own.state", "its `when` is false");
    check(&not_taken, "toy.x.state", "its `when` is false");
    check(&not_taken, "module.web.params.port", "`module.web` was not taken");
    check(&not_taken, "module.web.switch.t.case.b.toy.z.state", "`module.web` was not taken");
    not_taken.push("switch.s/case.default");
    check(&not_taken, "toy.x.state", "none of `case \"a\"` of `switch.s`, `default` of `switch.s` was taken");
}

#[test]
fn a_node_sees_its_own_fields() {
    let graph = ManualGraph::new()
        .toy(
            "toy.me",
            vec![("state", template("a{{param `p`}}")), ("secret", value("hunter2")), ("size", value(7))],
        )
        .param("param.p", value("p"))
        .waits("toy.me", EdgeReason::Param, &["param.p"])
        .instance("toy.page", "k", vec![])
        .build();
    let shared = ended(&graph, &[]);
    let scope_of = |id: &str| NodeScope::new(&shared, graph.find(id).unwrap());
    let scope = scope_of("root/toy.me");
    let check_field = |field: &str, expect: &str| assert_eq!(show(scope.this(field)), expect, "{field}");
    check_field("state", "\"ap\"");
    check_field("state", "\"ap\"");
    check_field("size", "7");
    check_field("secret", "(sensitive)");
    check_field("mood", "null");
    check_field("stat", "there is no field `stat`; did you mean `state`?");
    // In a parameter, its own name refers to its value.
    assert_eq!(show(scope_of("root/param.p").param("p")), "\"p\"");
    assert_eq!(scope.each(), None);
    let page = scope_of("root/toy.page[\"k\"]");
    assert_eq!(
        page.each().map(|instance| (&*instance.key, instance.value.to_string())),
        Some(("k", "\"value of k\"".into()))
    );
}

#[test]
fn files_are_read_next_to_the_module() {
    let folder = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the file is that of a test")]
    std::fs::write(folder.path().join("motd"), "hello").unwrap();
    let scope_in = |directory: Option<std::path::PathBuf>| {
        ManualGraph::new()
            .node("toy.me", Role::Resource, |node| {
                let module = Module {
                    id: NodeId::root(),
                    source: "a.hcl".into(),
                    directory,
                    root: None,
                    call: None,
                    tags: Arc::default(),
                    environment: Arc::default(),
                    optional: false,
                    files: None,
                    visible: Arc::default(),
                    paths: Arc::default(),
                };
                node.scope = Arc::new(LexicalScope {
                    container: NodeId::root(),
                    module: Arc::new(module),
                    each: EachIs::Nothing,
                });
            })
            .build()
    };
    let check = |graph: &Arc<Graph>, path: &str, expect: Result<&str, &str>| {
        let shared = ended(graph, &[]);
        let read = NodeScope::new(&shared, NodeIndex::new(0)).read(path);
        match (read, expect) {
            (Ok(text), Ok(expect)) => assert_eq!(&*text, expect),
            (Err(error), Err(expect)) => {
                assert!(error.to_string().contains(expect), "{error}");
            }
            (found, _) => panic!("{path}: {found:?}"),
        }
    };
    let scope = scope_in(Some(folder.path().to_owned()));
    check(&scope, "motd", Ok("hello"));
    check(&scope, "none", Err("there is no such file"));
    check(&scope_in(None), "motd", Err("motd"));
}

#[tokio::test]
async fn values_come_through_modules_and_instances() {
    let graph = ManualGraph::new()
        .end("module.web", Role::Module)
        .param("module.web/param.port", value("80"))
        .instance("toy.page", "k", vec![("state", value("s"))])
        .end("toy.page", Role::ForEach)
        .toy(
            "toy.me",
            vec![("state", template("{{lookup `module.web.params.port`}} {{lookup `toy.page.k.out`}}"))],
        )
        .toy("toy.lookup", vec![("state", InputKind::Lookup("module.web.params.port".into()))])
        .waits("toy.me", EdgeReason::Lookup, &["module.web", "toy.page"])
        .waits("toy.lookup", EdgeReason::Lookup, &["module.web"])
        .waits("toy.page", EdgeReason::ForEach, &["toy.page[\"k\"]"])
        .build();
    let world = World::new();
    let run = apply(&world, &graph, 2).await;
    assert!(run.summary.is_success(), "{:?}", run.events);
    assert_eq!(world.state("me"), "80 out of page[\"k\"]");
    assert_eq!(world.state("lookup"), "80");
    let run = plan(&World::new(), &graph, 2).await;
    assert_eq!(run.report("me").outcome, Outcome::MayChange);
}
