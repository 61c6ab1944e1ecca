//! Tests of `output`.

use super::{check, check_files, load};
use crate::graph::Role;

const INNER: &str = "param \"p\" { default = \"x\" }\na.thing \"t\" { path = param.p }\noutput \"url\" { value = a.thing.t.path }\noutput \"all\" {\n  value = { a = [1] }\n  description = \"All.\"\n  sensitive = true\n}";

/// Checks the path of a resource beside a call of [`INNER`].
fn check_path(path: &str, expect: &[&str]) {
    let main = format!("module \"in.hcl\" \"in\" {{}}\na.thing \"x\" {{ path = {path} }}");
    check_files(&[("main.hcl", &main), ("in.hcl", INNER)], expect);
}

#[test]
fn forms() {
    check("output \"a\" { value = 1 }\noutput \"b\" { value = output.a }", &[]);
    check("a.thing \"x\" { path = \"p\" }\noutput \"a\" {\n  value = 1\n  depends = [\"a.thing.x\"]\n}", &[]);
    check("output \"a\" {}", &["1:1 missing-field: output: `value` is required"]);
    check("output \"a\" { value = 1 / 0 }", &["1:26 expression: division by zero"]);
    check(
        "output \"a\" {\n  value = 1\n  when = true\n  for_each = []\n}",
        &[
            "3:3 misplaced-argument: `when` is for resources, and this is an output | remove it: an output is a value, and nothing is applied for it",
            "4:3 misplaced-argument: `for_each` is for resources, and this is an output | remove it: an output is a value, and nothing is applied for it",
        ],
    );
    check(
        "param \"p\" { default = true }\noutput \"a\" {\n  value = 1\n  sensitive = param.p\n}",
        &["4:15 bad-output: `sensitive` of an output cannot be computed | write it as it is"],
    );
    check(
        "output \"a\" { value = self.x }",
        &[
            "1:22 no-self: `self` is used where there is no resource | write `self` only in the fields of a resource",
        ],
    );
    check(
        "switch \"s\" {\n  default {\n    output \"a\" { value = 1 }\n  }\n}",
        &[
            "3:5 misplaced-block: a case holds only resources, and this is a `output` | declare it outside of the switch",
        ],
    );
}

#[test]
fn names() {
    check_path("module.in.output.url", &[]);
    check_path("module.in.output.all.a[0]", &[]);
    check_path("join(\",\", keys(module.in.output))", &[]);
    check_path("\"{{lookup `module.in.output.url`}}\"", &[]);
    check_path(
        "module.in.output.ulr",
        &["main.hcl:2:22 unknown-output: `module.in` has no output `ulr` | did you mean `url`?"],
    );
    check_path(
        "module.in.output.other",
        &["main.hcl:2:22 unknown-output: `module.in` has no output `other` | its outputs are all, url"],
    );
    // This is the syntax of another tool.
    check_path(
        "module.in.url",
        &[
            "main.hcl:2:22 unknown-resource: lookup of `module.in.url`, which does not exist | it is an output: write `module.in.output.url`",
        ],
    );
    check_files(
        &[
            ("main.hcl", "module \"in.hcl\" \"in\" {}\na.thing \"x\" { path = module.in.output.url }"),
            ("in.hcl", ""),
        ],
        &[
            "main.hcl:2:22 unknown-output: `module.in` has no output `url` | it has no outputs: declare it there, output \"url\" { value = .. }",
        ],
    );
    check(
        "output \"a\" { value = 1 }\noutput \"a\" { value = 2 }",
        &["2:1 1:1 duplicate-resource: `output.a` is declared twice | give one of them another name"],
    );
    check(
        "output \"a\" { value = output.b }\noutput \"b\" { value = output.a }",
        &[
            "1:22 2:22 cycle: resources wait for each other: output.a -> output.b -> output.a | remove one of these steps",
        ],
    );
    // A call waits only for the dependencies of its parameters.
    let main =
        "module \"in.hcl\" \"a\" {}\nmodule \"in.hcl\" \"b\" {\n  params { p = module.a.output.url }\n}";
    check_files(&[("main.hcl", main), ("in.hcl", INNER)], &[]);
}

#[test]
fn an_output_is_no_resource() {
    let graph = load("output \"a\" { value = 1 }").into_graph().unwrap();
    assert_eq!(graph.resources().count(), 0);
    let roles: Vec<_> = graph.nodes().map(|(_, node)| node.role).collect();
    assert_eq!(roles, [Role::Output]);
}
