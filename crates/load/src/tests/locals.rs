//! Tests of `locals { .. }`.

use super::{check, check_files, load};

/// Checks a resource with this path, and these locals before it.
fn check_path(locals: &str, path: &str, expect: &[&str]) {
    check(&format!("locals {{\n{locals}\n}}\na.thing \"x\" {{\n  path = {path}\n}}"), expect);
}

#[test]
fn forms() {
    check("locals {}", &[]);
    check_path("a = \"x\"", "local.a", &[]);
    check_path("a = { b = [\"x\"] }", "local.a.b[0]", &[]);
    check_path("a {\n b = \"x\"\n}", "local.a.b", &[]);
    check_path("a = \"x\"", "\"/{{local `a`}}/{{lookup `local.a.val`}}\"", &[]);
    check_path("a = \"x\"\nb = \"{{local `a`}}y\"\nc = format(\"%s\", local.b)", "local.c", &[]);
    check_path(
        "a = self.path",
        "\"x\"",
        &[
            "2:5 no-self: `self` is used where there is no resource | write `self` only in the fields of a resource",
        ],
    );
    check_path(
        "a = each.key",
        "\"x\"",
        &[
            "2:5 no-for-each: `each` is used where there is no `for_each` | write `for_each` on the same block",
        ],
    );
    // Known values are checked at load.
    check_path("a = 1 / 0", "\"x\"", &["2:9 expression: division by zero"]);
    check_path("a = \"\"", "local.a", &["5:10 empty-value: a.thing: `path` must not be empty"]);
}

#[test]
fn names() {
    check_path(
        "port = 1\nhost = 2",
        "local.prt",
        &["6:10 unknown-local: there is no `local.prt` | did you mean `local.port`?"],
    );
    check_path(
        "port = 1",
        "\"{{local `zzz`}}\"",
        &["5:19 unknown-local: there is no `local.zzz` | declare it: locals { zzz = .. }"],
    );
    check_path("a = 1\na = 2", "\"x\"", &["3:1 2:1 duplicate-name: `a` is written twice"]);
    check_path(
        "a = local.b\nb = local.a",
        "\"x\"",
        &[
            "2:5 3:5 cycle: resources wait for each other: local.a -> local.b -> local.a | remove one of these steps",
        ],
    );
    check(
        "locals \"x\" {}",
        &["1:8 labelled-field: `locals` is a field and takes no name | write locals { .. }"],
    );
    check(
        "local \"x\" { value = 1 }",
        &[
            "1:1 unknown-type: unknown resource type `local` | write all named values in one block: locals { NAME = .. }",
        ],
    );
}

#[test]
fn a_module_has_its_own() {
    let main = "locals { a = \"out\" }\nmodule \"in.hcl\" \"in\" {}\na.thing \"x\" { path = local.a }";
    let inner = "locals { b = \"in\" }\na.thing \"x\" { path = local.b }";
    check_files(&[("main.hcl", main), ("in.hcl", inner)], &[]);
}

#[test]
fn what_is_known_shapes_the_graph() {
    let text = "param \"p\" { default = [\"k\", \"l\"] }\nlocals {\n  keys = concat(param.p, [\"m\"])\n}\na.thing \"x\" {\n  for_each = local.keys\n  path = each.key\n}";
    let graph = load(text).into_graph().unwrap();
    let names: Vec<_> = graph.resources().map(|(_, node)| node.id.name().to_owned()).collect();
    assert_eq!(names, ["a.thing.x[\"k\"]", "a.thing.x[\"l\"]", "a.thing.x[\"m\"]"]);
    let text = "a.thing \"y\" { path = \"p\" }\nlocals { keys = [a.thing.y.path] }\na.thing \"x\" {\n  for_each = local.keys\n  path = each.key\n}";
    let graph = load(text).into_graph().unwrap();
    let later: Vec<_> = graph.nodes().filter(|(_, node)| node.deferred().is_some()).collect();
    let [(later, node)] = &later[..] else { panic!("{later:?}") };
    assert_eq!(node.id.name(), "a.thing.x");
    let waits = graph.dependencies(*later).iter().map(|edge| graph.node(edge.on).id.name());
    assert_eq!(waits.collect::<Vec<_>>(), ["local.keys"]);
}
