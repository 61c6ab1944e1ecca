//! Tests of module calls.

use super::check_files;

const WEB: &str =
    "param \"port\" {}\nparam \"host\" { default = \"h\" }\na.thing \"x\" { path = \"{{param `port`}}\" }";

fn check_call(call: &str, expect: &[&str]) {
    check_files(&[("main.hcl", call), ("web.hcl", WEB)], expect);
}

#[test]
fn calls() {
    check_call("module \"web.hcl\" \"web\" {\n  params { port = 1 }\n}", &[]);
    check_call("module \"./web.hcl\" \"web\" {\n  params = { port = [1, 2] }\n}", &[]);
    check_call(
        "module \"web.hcl\" {}",
        &[
            "main.hcl:1:1 wrong-labels: this `module` has only one label: its source or its name is missing | write the source and a name: module \"web.hcl\" \"web\" { .. }",
        ],
    );
    check_call(
        "module {}",
        &[
            "main.hcl:1:1 wrong-labels: this `module` has no source and no name | write the source and a name: module \"web.hcl\" \"web\" { .. }",
        ],
    );
    check_call(
        "module \"web.hcl\" \"a/b\" {}",
        &[
            "main.hcl:1:18 bad-name: \"a/b\" cannot be the name of a `module` | a name is not empty and has no `/`, no `[\"`, no line break and no template",
        ],
    );
    check_call(
        "module \"{{param `x`}}\" \"web\" {}",
        &[
            "main.hcl:1:8 bad-source: \"{{param `x`}}\" cannot be the source of a module | the source is known before anything is computed: a path, or a URL",
        ],
    );
    check_call(
        "module \"wbe.hcl\" \"web\" {\n  params { port = 1 }\n}",
        &[
            "main.hcl:1:8 unreadable-file: cannot read wbe.hcl: there is no such file; it is called in main.hcl",
        ],
    );
    check_call(
        "module \"web.hcl\" \"web\" {\n  params { prot = 1 }\n}",
        &["main.hcl:2:12 unexpected-param: web.hcl has no parameter `prot` | did you mean `port`?"],
    );
    check_call(
        "module \"web.hcl\" \"web\" {\n  params { port = 1, zzz = 2 }\n}",
        &["main.hcl:2:22 unexpected-param: web.hcl has no parameter `zzz` | its parameters are port, host"],
    );
    check_call(
        "module \"web.hcl\" \"web\" {}",
        &[
            "main.hcl:1:1 web.hcl:1:1 missing-param: parameter `port` of web.hcl is required, and main.hcl gives it no value | give it a value: params { port = .. }",
        ],
    );
    check_call(
        "module \"web.hcl\" \"web\" {\n  params { port = \"{{param `no`}}\" }\n}",
        &[
            "main.hcl:2:28 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }",
        ],
    );
    check_call(
        "module \"web.hcl\" \"web\" {\n  params { port = 1 }\n  port = 2\n  group = \"g\"\n  dpends = []\n}",
        &[
            "main.hcl:3:3 unknown-argument: a module takes no `port` | a module takes params, depends, when, for_each, tags, optional and environment; its parameters are given in `params { .. }`",
            "main.hcl:4:3 misplaced-argument: `group` is for resources, and this is a module | write `group` on the resources in the module",
            "main.hcl:5:3 unknown-argument: a module takes no `dpends` | did you mean `depends`?",
        ],
    );
    check_call(
        "module \"web.hcl\" \"web\" {\n  params = 1\n}",
        &[
            "main.hcl:2:12 bad-params: `params` must be a block of names and values | write it like params { port = 80 }",
        ],
    );
    check_call(
        "module \"web.hcl\" \"web\" {\n  params { port = 1 }\n  params { port = 1 }\n}",
        &["main.hcl:3:3 main.hcl:2:3 duplicate-field: `params` is written twice | keep one of them"],
    );
    check_call(
        "module \"web.hcl\" \"web\" {\n  params { port = 1 }\n}\nmodule \"web.hcl\" \"web\" {\n  params { port = 1 }\n}",
        &[
            "main.hcl:4:1 main.hcl:1:1 duplicate-resource: `module.web` is declared twice | give one of them another name",
        ],
    );
}

#[test]
fn included_files() {
    // The module calls itself through another one.
    check_files(
        &[
            (
                "a.hcl",
                "module \"sub/b.hcl\" \"b\" {}\na.thing \"x\" {\n  path = \"p\"\n  depends = [\"module.b\"]\n}",
            ),
            ("sub/b.hcl", "module \"../a.hcl\" \"a\" {}\nmodule \"b.hcl\" \"b\" {}"),
        ],
        &[
            "sub/b.hcl:1:8 a.hcl:1:8 include-cycle: a module calls itself: a.hcl -> sub/b.hcl -> a.hcl | remove one of these calls",
            "sub/b.hcl:2:8 include-cycle: a module calls itself: sub/b.hcl -> sub/b.hcl | remove one of these calls",
        ],
    );
    // An error in a file is reported once at its position, however often the file is called.
    check_files(
        &[
            ("a.hcl", "module \"b.hcl\" \"one\" {}\nmodule \"b.hcl\" \"two\" {}"),
            (
                "b.hcl",
                "a.thing \"x\" { pth = 1 }\na.thing \"y\" { path = \"{{param `no`}}\" }\na.thing \"z\" {",
            ),
        ],
        &[
            "b.hcl:1:15 unknown-field: a.thing: unknown field `pth` | did you mean `path`?",
            "b.hcl:2:31 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }",
            "b.hcl:3:14 b.hcl:3:13 missing-close: `}` is missing",
        ],
    );
    // One of the calls sets a parameter that the other one leaves out.
    check_files(
        &[
            (
                "a.hcl",
                "module \"b.hcl\" \"one\" { params { p = 1 } }\nmodule \"b.hcl\" \"two\" {}\nmodule \"b.hcl\" \"three\" {}",
            ),
            ("b.hcl", "param \"p\" {}"),
        ],
        &[
            "a.hcl:2:1 b.hcl:1:1 missing-param: parameter `p` of b.hcl is required, and a.hcl gives it no value | give it a value: params { p = .. }",
            "a.hcl:3:1 b.hcl:1:1 missing-param: parameter `p` of b.hcl is required, and a.hcl gives it no value | give it a value: params { p = .. }",
        ],
    );
    // References into a module that could not be loaded are not reported.
    check_files(
        &[(
            "a.hcl",
            "module \"no.hcl\" \"web\" {}\na.thing \"x\" {\n  path = \"{{lookup `module.web.a.thing.y.path`}}{{lookup `module.web/a.thing.y.path`}}\"\n  depends = [\"module.web\"]\n}",
        )],
        &["a.hcl:1:8 unreadable-file: cannot read no.hcl: there is no such file; it is called in a.hcl"],
    );
    check_files(
        &[
            (
                "a.hcl",
                "module \"b.hcl\" \"web\" {}\na.thing \"x\" { path = \"{{lookup `module.web.a.thing.y.path`}}\" }",
            ),
            ("b.hcl", "a.thing \"y\" {\n  path = \n}\na.thing \"z\" { path = \"p"),
        ],
        &[
            "b.hcl:2:8 missing-value: no value after `=`",
            "b.hcl:4:22 unclosed-string: the string is not closed | a string ends on the line where it begins; for several lines use a heredoc, `<<EOF`",
            "b.hcl:4:24 b.hcl:4:13 missing-close: `}` is missing",
        ],
    );
}

#[test]
fn names_across_modules() {
    const INNER: &str = "a.thing \"page\" { path = \"p\" }\nparam \"port\" { default = 1 }";
    fn check_name(field: &str, expect: &[&str]) {
        let main = format!(
            "module \"web.hcl\" \"web\" {{}}\na.thing \"first\" {{\n  path = \"p\"\n}}\na.thing \"last\" {{\n  path = \"p\"\n  {field}\n}}"
        );
        check_files(&[("main.hcl", &main), ("web.hcl", INNER)], expect);
    }
    check_name(
        "left = \"{{lookup `module.web.a.thing.page.path`}}{{lookup `module.web/a.thing.page.path`}}\"",
        &[],
    );
    check_name("depends = [\"module.web.a.thing.page\"]", &[]);
    check_name("left = \"{{lookup `module.web.params.port.x`}}\"", &[]);
    check_name(
        "left = \"{{lookup `a.thing.page.path`}}\"",
        &[
            "main.hcl:7:20 unknown-resource: lookup of `a.thing.page.path`, which does not exist | it is in `module.web`: write `module.web.a.thing.page.path`",
        ],
    );
    check_name(
        "depends = [\"a.thing.page\"]",
        &[
            "main.hcl:7:14 unknown-resource: `depends` names `a.thing.page`, which does not exist | it is in `module.web`: write `module.web.a.thing.page`",
        ],
    );
    check_name(
        "left = \"{{lookup `module.web.a.thing.pge.path`}}\"",
        &[
            "main.hcl:7:20 unknown-resource: lookup of `module.web.a.thing.pge.path`, which does not exist | did you mean `module.web.a.thing.page.path`?",
        ],
    );
    check_name(
        "left = \"{{lookup `module.web.a.thng.page.path`}}\"",
        &[
            "main.hcl:7:20 unknown-resource: lookup of `module.web.a.thng.page.path`, which does not exist | did you mean `module.web.a.thing.page.path`?",
        ],
    );
    check_name(
        "left = \"{{lookup `module.web/a.thing.pge.path`}}\"",
        &[
            "main.hcl:7:20 unknown-resource: lookup of `module.web/a.thing.pge.path`, which does not exist | did you mean `module.web/a.thing.page.path`?",
        ],
    );
    check_name(
        "left = \"{{lookup `module.wbe.a.thing.page.path`}}\"",
        &[
            "main.hcl:7:20 unknown-resource: lookup of `module.wbe.a.thing.page.path`, which does not exist | did you mean `module.web.a.thing.page.path`?",
        ],
    );
    check_name(
        "left = \"{{lookup `module.web.zzz`}}\"",
        &["main.hcl:7:20 unknown-export: `module.web` has no export `zzz` | its exports are params, output"],
    );
    check_name(
        "left = \"{{lookup `module.web`}}\"",
        &[
            "main.hcl:7:20 missing-export: this lookup names no export of `module.web` | its exports are params, output",
        ],
    );
    check_name(
        "left = \"{{lookup `module.web.begin`}}\"",
        &[
            "main.hcl:7:20 unknown-export: `module.web` has no export `begin` | its exports are params, output",
        ],
    );
    check_name(
        "depends = [\"module.wbe\"]",
        &[
            "main.hcl:7:14 unknown-resource: `depends` names `module.wbe`, which does not exist | did you mean `module.web`?",
        ],
    );
    check_name(
        "depends = [\"module.web/a.thing.pge\"]",
        &[
            "main.hcl:7:14 unknown-resource: `depends` names `module.web/a.thing.pge`, which does not exist | did you mean `module.web/a.thing.page`?",
        ],
    );
}

#[test]
fn cycles_through_modules() {
    fn check_cycle(call: &str, inner: &str, expect: &[&str]) {
        let main = format!(
            "module \"web.hcl\" \"web\" {{\n  {call}\n}}\na.thing \"x\" {{\n  path = \"p\"\n  depends = [\"module.web\"]\n}}"
        );
        check_files(&[("main.hcl", &main), ("web.hcl", inner)], expect);
    }
    check_cycle(
        "",
        "a.thing \"y\" {\n  path = \"p\"\n  depends = [\"module.web\"]\n}",
        &[
            "web.hcl:3:14 main.hcl:1:1 cycle: resources wait for each other: module.web -> module.web/a.thing.y -> module.web | what is in a module, a switch or a `for_each` cannot wait for all of it: remove one of the names that make these wait",
        ],
    );
    check_cycle(
        "",
        "a.thing \"y\" {\n  path = \"p\"\n  depends = [\"a.thing.x\"]\n}",
        &[
            "main.hcl:6:14 web.hcl:3:14 main.hcl:1:1 cycle: resources wait for each other: a.thing.x -> module.web -> module.web/a.thing.y -> a.thing.x | what is in a module, a switch or a `for_each` cannot wait for all of it: remove one of the names that make these wait",
        ],
    );
    check_cycle(
        "depends = [\"a.thing.x\"]",
        "a.thing \"y\" { path = \"p\" }",
        &[
            "main.hcl:6:14 main.hcl:2:14 main.hcl:1:1 cycle: resources wait for each other: a.thing.x -> module.web -> a.thing.x | what is in a module, a switch or a `for_each` cannot wait for all of it: remove one of the names that make these wait",
        ],
    );
    check_cycle(
        "depends = [\"module.web\"]",
        "a.thing \"y\" { path = \"p\" }",
        &[
            "main.hcl:2:14 main.hcl:1:1 cycle: `module.web` waits for itself | what is in a module, a switch or a `for_each` cannot wait for all of it: remove one of the names that make these wait",
        ],
    );
    check_cycle(
        "params { p = \"{{lookup `a.thing.x.path`}}\" }",
        "param \"p\" {}",
        &[
            "main.hcl:6:14 main.hcl:2:26 main.hcl:1:1 cycle: resources wait for each other: a.thing.x -> module.web -> module.web/param.p -> a.thing.x | what is in a module, a switch or a `for_each` cannot wait for all of it: remove one of the names that make these wait",
        ],
    );
}

#[test]
fn what_is_in_a_module_has_the_variables_of_its_call() {
    let files = [
        (
            "main.hcl",
            "module \"web.hcl\" \"web\" {\n  environment = { A = each.key, B = \"main\" }\n  for_each = [\"k\"]\n  optional = true\n}\na.thing \"out\" { path = \"p\" }",
        ),
        ("web.hcl", "module \"page.hcl\" \"page\" { environment = { B = \"web\", C = 1 } }"),
        (
            "page.hcl",
            "a.thing \"x\" {\n  path = \"p\"\n  environment = { C = 2 }\n}\na.thing \"y\" { path = \"q\" }",
        ),
    ];
    let (_folder, loaded) = super::Folder::load(&files);
    let graph = loaded.into_graph().unwrap();
    let actual = graph.resources().map(|(_, node)| {
        let variables = node.environment().iter().map(|(name, value)| format!("{name}={value}"));
        (variables.collect::<Vec<_>>().join(" "), node.is_optional())
    });
    let actual: Vec<_> = actual.collect();
    let expect = [("", false), ("C=2 B=web A=k", true), ("B=web C=1 A=k", true)];
    assert_eq!(actual, expect.map(|(variables, optional)| (variables.to_owned(), optional)));
}

#[test]
fn what_is_in_a_module_has_the_tags_of_its_call() {
    let files = [
        (
            "main.hcl",
            "module \"web.hcl\" \"web\" {\n  tags = [\"a\"]\n  for_each = [\"k\"]\n}\na.thing \"out\" { path = \"p\" }",
        ),
        ("web.hcl", "module \"page.hcl\" \"page\" { tags = [\"b\", \"a\"] }"),
        ("page.hcl", "a.thing \"x\" {\n  path = \"p\"\n  tags = [\"c\", \"b\"]\n}"),
    ];
    let (_folder, loaded) = super::Folder::load(&files);
    let graph = loaded.into_graph().unwrap();
    let tags = graph.resources().map(|(_, node)| node.tags().map(ToString::to_string).collect::<Vec<_>>());
    let tags: Vec<_> = tags.map(|tags| tags.join(",")).collect();
    assert_eq!(tags, ["", "c,b,a"]);
}
