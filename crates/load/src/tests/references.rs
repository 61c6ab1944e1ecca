//! Tests of names in templates and `depends`, and of values from outside.

use super::{check, load, registry};
use crate::Loader;
use crate::graph::{EdgeReason, Graph};

#[test]
fn references() {
    let two = |field: &str, expect: &[&str]| {
        let first = "param \"user\" { default = 1 }\na.thing \"first\" { path = \"p\" }\n";
        check(&format!("{first}a.thing \"x\" {{\n  path = \"p\"\n  {field}\n}}"), expect);
    };
    two("left = \"{{param `user`}} {{lookup `a.thing.first.Status.Stdout`}}\"", &[]);
    two("left = \"{{lookup `a.thing.first.names.whatever`}}\"", &[]);
    two("depends = [\"a.thing.first\", \"param.user\"]", &[]);
    two(
        "left = \"\\t{{param `usr`}}\"",
        &["5:21 unknown-param: unknown parameter `usr` | did you mean `user`?"],
    );
    two(
        "left = \"{{if true}}{{else}}{{param `no`}}{{end}}\"",
        &["5:38 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }"],
    );
    two(
        "left = <<EOF\nline\n  {{param `no`}}\nEOF",
        &["7:11 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }"],
    );
    two(
        "left = \"{{lookup `a.thing.frst.path`}}\"",
        &[
            "5:20 unknown-resource: lookup of `a.thing.frst.path`, which does not exist | did you mean `a.thing.first.path`?",
        ],
    );
    two(
        "left = \"{{lookup `a.thing.first`}}\"",
        &[
            "5:20 missing-export: this lookup names no export of `a.thing.first` | its exports are path, status, names",
        ],
    );
    two(
        "left = \"{{lookup `a.thing.first.pth`}}\"",
        &["5:20 unknown-export: `a.thing.first` has no export `pth` | did you mean `path`?"],
    );
    two(
        "left = \"{{lookup `a.thing.first.status.stdut`}}\"",
        &["5:20 unknown-export: `a.thing.first` has no export `status.stdut` | did you mean `stdout`?"],
    );
    two(
        "left = \"{{lookup `a.thing.first.status.x`}}\"",
        &["5:20 unknown-export: `a.thing.first` has no export `status.x` | its exports are stdout"],
    );
    two(
        "left = \"{{lookup `a.thing.first.path.x`}}\"",
        &["5:20 unknown-export: `a.thing.first` has no export `path.x` | it is a plain value without fields"],
    );
    two(
        "depends = [\"a.thing.frst\"]",
        &[
            "5:14 unknown-resource: `depends` names `a.thing.frst`, which does not exist | did you mean `a.thing.first`?",
        ],
    );
    two(
        "depends = [\"a.thing.first.path\"]",
        &[
            "5:14 unknown-resource: `depends` names `a.thing.first.path`, which does not exist | did you mean `a.thing.first`?",
        ],
    );
}

#[test]
fn cycles_are_shown_step_by_step() {
    check(
        "a.thing \"x\" {\n  path = \"{{lookup `a.thing.y.path`}}\"\n}\na.thing \"y\" {\n  path = \"p\"\n  depends = [\"a.thing.x\"]\n}",
        &[
            "2:20 6:14 cycle: resources wait for each other: a.thing.x -> a.thing.y -> a.thing.x | remove one of these steps",
        ],
    );
    check(
        "a.thing \"x\" {\n  path = \"p\"\n  depends = [\"a.thing.x\"]\n}",
        &["3:14 cycle: `a.thing.x` waits for itself | remove one of these steps"],
    );
}

#[test]
fn params_from_outside() {
    let registry = registry();
    let check = |given: &[(&str, &str)], expect: &[&str]| {
        let loader = given
            .iter()
            .fold(Loader::new(&registry), |loader, (name, value)| loader.with_param(*name, *value));
        let module = loader.load_text("m.hcl", "param \"must\" {}\nparam \"may\" { default = 1 }");
        let lines: Vec<String> =
            module.diagnostics.iter().map(|diagnostic| diagnostic.one_line(&module.sources)).collect();
        assert_eq!(lines, expect);
    };
    check(&[("must", "x")], &[]);
    check(&[("must", "x"), ("may", "y")], &[]);
    check(&[], &["m.hcl:1:1: error[missing-param]: parameter `must` of m.hcl is required"]);
    let looked_at = Loader::new(&registry).for_inspection().load_text("m.hcl", "param \"_must\" {}");
    assert!(looked_at.diagnostics.is_empty(), "{:?}", looked_at.diagnostics);
    check(&[("must", "x"), ("mya", "y")], &["error[unexpected-param]: m.hcl has no parameter `mya`"]);
}

#[test]
fn edges_have_their_reasons() {
    let loaded = load(
        "param \"p\" { default = 1 }\na.thing \"a\" { path = \"{{param `p`}}\" }\na.thing \"b\" {\n  path = \"{{lookup `a.thing.a.path`}}\"\n  depends = [\"a.thing.a\"]\n  group = \"g\"\n}",
    );
    let graph = loaded.partial_graph();
    let ids: Vec<&str> = graph.nodes().map(|(_, node)| node.id.as_str()).collect();
    assert_eq!(ids, ["root/a.thing.a", "root/a.thing.b", "root/param.p"]);
    let reasons = |id: &str| {
        let edges = graph.dependencies(graph.find(id).unwrap());
        edges.iter().map(|edge| (graph.node(edge.on).id.short(), edge.reason)).collect::<Vec<_>>()
    };
    assert_eq!(reasons("root/a.thing.a"), [("param.p", EdgeReason::Param)]);
    assert_eq!(
        reasons("root/a.thing.b"),
        [("a.thing.a", EdgeReason::Depends), ("a.thing.a", EdgeReason::Lookup)]
    );
    assert_eq!(graph.node(graph.find("root/a.thing.b").unwrap()).group.as_deref(), Some("g"));
}

#[test]
fn the_order_of_the_source_does_not_show() {
    let shape = |graph: &Graph| -> Vec<String> {
        graph
            .nodes()
            .map(|(index, node)| format!("{} {}", node.id, graph.dependencies(index).len()))
            .collect()
    };
    let a = "a.thing \"a\" { path = \"p\" }\n";
    let b = "a.thing \"b\" {\n  path = \"p\"\n  depends = [\"a.thing.a\"]\n}\n";
    assert_eq!(shape(load(&[a, b].concat()).partial_graph()), shape(load(&[b, a].concat()).partial_graph()));
}
