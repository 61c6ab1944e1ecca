//! Tests of meta-arguments.

use super::{check, load};
use crate::graph::Graph;

/// Checks a resource with these arguments.
fn check_thing(fields: &str, expect: &[&str]) {
    check(&format!("a.thing \"x\" {{\n  path = \"p\"\n  {fields}\n}}"), expect);
}

#[test]
fn forms() {
    check_thing("when = true", &[]);
    check_thing("when = \"eq `a` `a`\"", &[]);
    check_thing("timeout = \"30s\"", &[]);
    check_thing("timeout = 30", &[]);
    check_thing("retry { attempts = 3 }", &[]);
    check_thing("retry = { attempts = 3, delay = \"2s\", backoff = 1.5 }", &[]);
    check_thing("for_each = [\"a\", \"b\", 1]", &[]);
    check_thing("for_each = { a = 1, b = [] }", &[]);
    check_thing("for_each = {}", &[]);
    check_thing("on_change_of = []", &[]);
    check_thing(
        "when = 1",
        &[
            "3:10 bad-meta-argument: `when` must be true, false, or a predicate | write it like when = \"eq (param `os`) `linux`\"",
        ],
    );
    check_thing("when = \"eq 1\"", &["3:11 template: `eq` takes at least 2 arguments, but got 1"]);
    check_thing(
        "when { }",
        &[
            "3:3 bad-meta-argument: `when` must be true, false, or a predicate | write it like when = \"eq (param `os`) `linux`\"",
        ],
    );
    check_thing(
        "when = \"eq `a` (param `no`)\"",
        &["3:25 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }"],
    );
    check_thing(
        "timeout = \"soon\"",
        &["3:13 bad-meta-argument: `timeout` must be a duration such as \"30s\", not \"soon\""],
    );
    check_thing("timeout = 0", &["3:13 bad-meta-argument: `timeout` must be more than nothing, not 0"]);
    check_thing(
        "timeout = [1]",
        &["3:13 bad-meta-argument: `timeout` must be a duration such as \"30s\", not [1]"],
    );
    check_thing(
        "timeout = \"{{lookup `a.thing.y.path`}}\"",
        &[
            "3:23 value-not-known: `timeout` must be known when the module is loaded, and waits for a.thing.y.path | use a parameter: lookups, `env` and `platform` are not known when the module is loaded",
        ],
    );
    check_thing(
        "retry = 3",
        &["3:11 bad-meta-argument: `retry` must be a block | write it like retry { attempts = 3 }"],
    );
    check_thing("retry { }", &["3:3 bad-meta-argument: `attempts` must be written, not left out"]);
    check_thing(
        "retry { attempts = 0 }",
        &["3:22 bad-meta-argument: `attempts` must be a whole number of at least 1, not 0"],
    );
    check_thing(
        "retry {\n attempts = 2\n dely = 1\n}",
        &["5:2 unknown-argument: `retry` takes no `dely` | did you mean `delay`?"],
    );
    check_thing(
        "retry {\n attempts = 2\n delay = \"x\"\n backoff = 0.5\n}",
        &[
            "5:10 bad-meta-argument: `delay` must be a duration such as \"30s\", not \"x\"",
            "6:12 bad-meta-argument: `backoff` must be a number of at least 1, not 0.5",
        ],
    );
}

#[test]
fn tags() {
    check_thing("tags = [\"web\", \"v1.2:b-c\", \"web\"]", &[]);
    check_thing("tags = []", &[]);
    check_thing(
        "tags = \"web\"",
        &["3:10 bad-meta-argument: `tags` must be a list of words | write it like tags = [\"web\"]"],
    );
    check_thing(
        "tags = [\"a,b\", 1]",
        &[
            "3:11 bad-tag: \"a,b\" is not a tag, as it has ',': a tag is made of letters, digits, `-`, `_`, `.` and `:` | write each by itself: tags = [\"a\", \"b\"]",
            "3:18 bad-meta-argument: `tags` must be a list of words | write it like tags = [\"web\"]",
        ],
    );
    check_thing(
        "tags = [\"never\"]",
        &[
            "3:11 bad-tag: `never` cannot be a tag: it has a special meaning in other tools, but not here | dependencies of a chosen resource always run; write `when` for a resource that runs only on request",
        ],
    );
    check_thing(
        "tags = [param.x]",
        &[
            "3:11 bad-meta-argument: a name in `tags` cannot be computed | write the name in quotes: \"param.x\"",
        ],
    );
    check(
        "param \"p\" {\n  default = 1\n  tags = [\"a\"]\n}",
        &[
            "3:3 misplaced-argument: `tags` is for resources, and this is a parameter | remove it: a parameter is a value, and nothing is applied for it",
        ],
    );
}

#[test]
fn environment() {
    check_thing("environment = { A = \"b\", B = 3 }", &[]);
    check_thing("environment { A = \"b\" }", &[]);
    check_thing(
        "environment = \"A=b\"",
        &[
            "3:17 bad-meta-argument: `environment`: it must be a map of texts | write it like environment = { http_proxy = param.proxy }",
        ],
    );
    check_thing(
        "environment = { A = platform.OS }",
        &[
            "3:17 value-not-known: `environment` must be known when the module is loaded, and waits for the machine | use a parameter: lookups, `env` and `platform` are not known when the module is loaded",
        ],
    );
    check_thing(
        "environment = { A = each.key }",
        &[
            "3:23 no-for-each: `each` is used where there is no `for_each` | write `for_each` on the same block",
        ],
    );
    check_thing("for_each = [\"a\"]\n  environment = { A = each.key }", &[]);
    check(
        "param \"p\" {\n  default = 1\n  environment = { A = 1 }\n}",
        &[
            "3:3 misplaced-argument: `environment` is for resources, and this is a parameter | remove it: a parameter is a value, and nothing is applied for it",
        ],
    );
}

#[test]
fn optional() {
    check_thing("optional = true", &[]);
    check_thing(
        "optional = \"{{platform.OS}}\"",
        &[
            "3:14 value-not-known: `optional` must be known when the module is loaded, and waits for the machine | use a parameter: lookups, `env` and `platform` are not known when the module is loaded",
        ],
    );
    check_thing("optional = 3", &["3:14 bad-meta-argument: `optional` must be true or false, not 3"]);
    check_thing(
        "even_after = \"a.thing.y\"",
        &[
            "3:16 bad-meta-argument: `even_after` must be a list of names | write it like even_after = [\"task.probe\"]",
        ],
    );
    check_thing(
        "even_after = [\"a.thing.y\"]",
        &["3:17 unknown-resource: `even_after` names `a.thing.y`, which does not exist"],
    );
}

#[test]
fn what_for_each_takes() {
    check_thing(
        "for_each = 1",
        &["3:14 bad-meta-argument: `for_each` must be a list of texts, or a map, not an integer"],
    );
    check_thing(
        "for_each = [[1]]",
        &["3:15 bad-meta-argument: `for_each` must be made of texts, not a list"],
    );
    check_thing(
        "for_each = [\"a\", \"b\", \"a\", \"1\", 1]",
        &[
            "3:25 duplicate-key: `a` is twice in `for_each` | each item names one instance: keep one of them",
            "3:35 duplicate-key: `1` is twice in `for_each` | each item names one instance: keep one of them",
        ],
    );
    check_thing("for_each = [\"{{each.key}}\"]", &["3:18 template: each: there is no `for_each` here"]);
    check_thing(
        "for_each = \"{{env `X`}}\"",
        &["3:14 bad-meta-argument: `for_each` must be a list of texts, or a map, not a string"],
    );
    check_thing(
        "for_each = [{ a = 1 }, { a = 2 }]",
        &[
            "3:15 bad-meta-argument: `for_each` must be a list of texts, or a map, not a list of records | name each instance by a part of its record, as in for_each = { for item in LIST : item.path => item }",
        ],
    );
    check_thing(
        "on_change_of = \"a\"",
        &[
            "3:18 bad-meta-argument: `on_change_of` must be a list of names | write it like on_change_of = [\"file.content.conf\"]",
        ],
    );
    check_thing(
        "on_change_of = [\"a.thing.y\"]",
        &[
            "3:3 no-refresh: a `a.thing` cannot be refreshed | no type of this program can be refreshed",
            "3:19 unknown-resource: `on_change_of` names `a.thing.y`, which does not exist",
        ],
    );
    check(
        "param \"p\" {\n  default = 1\n  for_each = []\n  when = true\n}",
        &[
            "3:3 misplaced-argument: `for_each` is for resources, and this is a parameter | remove it: a parameter is a value, and nothing is applied for it",
            "4:3 misplaced-argument: `when` is for resources, and this is a parameter | remove it: a parameter is a value, and nothing is applied for it",
        ],
    );
}

#[test]
fn instances_by_name() {
    const SET: &str = "a.thing \"set\" {\n  path = \"p\"\n  for_each = [\"a\", \"b/c\"]\n}\na.thing \"none\" {\n  path = \"p\"\n  for_each = []\n}\n";
    fn check_name(field: &str, expect: &[&str]) {
        check(&format!("{SET}a.thing \"x\" {{\n  path = \"p\"\n  {field}\n}}"), expect);
    }
    check_name("left = \"{{lookup `a.thing.set[\\\"b/c\\\"].path`}}\"", &[]);
    check_name("depends = [\"a.thing.set[\\\"b/c\\\"]\", \"a.thing.none\"]", &[]);
    check_name(
        "left = \"{{lookup `a.thing.set[\\\"d\\\"].path`}}\"",
        &["11:20 unknown-instance: `a.thing.set` has no instance `d` | its instances are a, b/c"],
    );
    check_name(
        "left = \"{{lookup `a.thing.set.path`}}\"",
        &[
            "11:20 unknown-instance: this lookup names no instance of `a.thing.set` | its instances are a, b/c",
        ],
    );
    check_name(
        "left = \"{{lookup `a.thing.set`}}\"",
        &[
            "11:20 unknown-instance: this lookup names no instance of `a.thing.set` | its instances are a, b/c",
        ],
    );
    check_name(
        "left = \"{{lookup `a.thing.none.path`}}\"",
        &[
            "11:20 unknown-instance: this lookup names no instance of `a.thing.none` | its `for_each` is empty",
        ],
    );
    check_name(
        "left = \"{{lookup `a.thing.set[\\\"a\\\"].pth`}}\"",
        &["11:20 unknown-export: `a.thing.set[\"a\"]` has no export `pth` | did you mean `path`?"],
    );
    check_name(
        "depends = [\"a.thing.set[\\\"d\\\"]\"]",
        &["11:14 unknown-instance: `a.thing.set` has no instance `d` | its instances are a, b/c"],
    );
}

#[test]
fn what_is_kept() {
    let loaded = load(
        "a.thing \"x\" {\n  path = \"p\"\n  when = \"true\"\n  timeout = \"1m\"\n  retry { attempts = 3 }\n}\na.thing \"y\" {\n  path = \"p\"\n  retry {\n    attempts = 2\n    delay = \"2s\"\n    backoff = 2\n  }\n}\na.thing \"z\" { path = \"p\" }",
    );
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let meta_of = |graph: &Graph, id: &str| {
        let meta = graph.node(graph.find(id).unwrap()).meta.as_ref();
        meta.map(|meta| format!("{} {:?} {:?}", meta.when.is_some(), meta.timeout, meta.retry))
    };
    assert_eq!(
        meta_of(loaded.partial_graph(), "root/a.thing.x").as_deref(),
        Some("true Some(60s) Some(Retry { attempts: 3, delay: 1s, backoff: 1.0 })")
    );
    assert_eq!(
        meta_of(loaded.partial_graph(), "root/a.thing.y").as_deref(),
        Some("false None Some(Retry { attempts: 2, delay: 2s, backoff: 2.0 })")
    );
    assert_eq!(meta_of(loaded.partial_graph(), "root/a.thing.z"), None);
}

const SERVICE: &str = "param \"names\" { default = [\"a\", \"b\"] }\nparam \"seconds\" { default = 5 }\n";

#[test]
fn what_parameters_decide() {
    let check_ids = |text: &str, expect: &[&str]| {
        let loaded = load(&format!("{SERVICE}{text}"));
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        let ids = loaded.partial_graph().nodes().map(|(_, node)| node.id.short());
        let ids: Vec<&str> = ids.filter(|id| id.starts_with("a.thing")).collect();
        assert_eq!(ids, expect, "{text}");
    };
    let thing = |fields: &str| format!("a.thing \"x\" {{\n  path = \"p\"\n  {fields}\n}}");
    let expected_ids = ["a.thing.x", "a.thing.x[\"a\"]", "a.thing.x[\"b\"]"];
    check_ids(&thing("for_each = \"{{paramList `names`}}\""), &expected_ids);
    check_ids(&thing("for_each = param.names"), &expected_ids);
    check_ids(&thing("for_each = { for name in param.names : name => 1 }"), &expected_ids);
    check_ids(
        &thing("for_each = param.names\n  timeout = param.seconds\n  left = each.value"),
        &expected_ids,
    );
}

#[test]
fn references_of_expressions() {
    const SET: &str = "a.thing \"one\" { path = \"p\" }\na.thing \"set\" {\n  path = \"p\"\n  for_each = [\"a\"]\n}\nparam \"p\" { default = 1 }\n";
    fn check_value(value: &str, expect: &[&str]) {
        check(&format!("{SET}a.thing \"x\" {{\n  path = \"p\"\n  left = {value}\n}}"), expect);
    }
    check_value("a.thing.one.path", &[]);
    check_value("jsonencode(a.thing.one)", &[]);
    check_value("jsonencode(a.thing.set)", &[]);
    check_value("a.thing.set[\"a\"].path", &[]);
    check_value("upper(self.path)", &[]);
    check_value("format(\"%s\", param.p)", &[]);
    check_value(
        "a.thing.oen.path",
        &[
            "9:10 unknown-resource: lookup of `a.thing.oen.path`, which does not exist | did you mean `a.thing.one.path` or `a.thing.set.path`?",
        ],
    );
    check_value(
        "a.thing.one.pth",
        &["9:10 unknown-export: `a.thing.one` has no export `pth` | did you mean `path`?"],
    );
    check_value(
        "a.thing.set[\"b\"].path",
        &["9:10 unknown-instance: `a.thing.set` has no instance `b` | its instances are a"],
    );
    check_value(
        "a.thing.set.path",
        &["9:10 unknown-instance: this lookup names no instance of `a.thing.set` | its instances are a"],
    );
    check_value(
        "param.q",
        &["9:10 unknown-param: unknown parameter `q` | declare it: param \"q\" { default = \"..\" }"],
    );
    check_value("self.pth", &["9:10 unknown-field: a.thing: unknown field `pth` | did you mean `path`?"]);
    check_value(
        "self.left",
        &["9:10 field-cycle: a.thing: a field depends on itself: left -> left | remove one of these uses"],
    );
    check_value(
        "self.right\n  right = self.left",
        &[
            "9:10 10:11 field-cycle: a.thing: a field depends on itself: left -> right -> left | remove one of these uses",
        ],
    );
    check_value(
        "each.key",
        &[
            "9:10 no-for-each: `each` is used where there is no `for_each` | write `for_each` on the same block",
        ],
    );
    check(
        "param \"p\" { default = self.x }",
        &[
            "1:23 unknown-field: param: unknown field `x` | the fields of param are default, type, description, sensitive, validation",
        ],
    );
    check(
        "module \"x.hcl\" \"x\" { params { p = self.x } }",
        &[
            "1:8 unreadable-file: cannot read x.hcl: there is no such file; it is called in m.hcl",
            "1:35 no-self: `self` is used where there is no resource | write `self` only in the fields of a resource",
        ],
    );
}

#[test]
fn what_only_a_run_knows_makes_instances_then() {
    const LATER: &str = "a.thing \"y\" { path = \"p\" }\na.thing \"set\" {\n  for_each = [a.thing.y.path]\n  path = each.key\n";
    fn check_later(rest: &str, expect: &[&str]) {
        check(&format!("{LATER}{rest}"), expect);
    }
    check_later("}\n", &[]);
    check_later(
        "  when = each.key != \"a\"\n  tags = [\"t\"]\n  group = \"g\"\n  timeout = \"3s\"\n}\n",
        &[],
    );
    // Errors that do not depend on the instances are reported at load.
    check_later(
        "  left = each.value.x\n  sise = 1\n}\n",
        &[
            "6:3 unknown-field: a.thing: unknown field `sise` | the fields of a.thing are path, mode, flag, numbers, env, part, left, right, place, password",
        ],
    );
    check_later(
        "  timeout = each.key\n}\n",
        &[
            "5:13 value-not-known: `timeout` must be known when the module is loaded, and waits for `for_each` | use a parameter: lookups, `env` and `platform` are not known when the module is loaded",
        ],
    );
    // Only the exports of an instance are known.
    check_later("}\na.thing \"x\" { path = a.thing.set[\"a\"].path }\n", &[]);
    check_later(
        "}\na.thing \"x\" {\n  path = \"p\"\n  depends = [\"a.thing.set\", \"a.thing.set[\\\"a\\\"]\"]\n}\n",
        &[],
    );
    check_later(
        "}\na.thing \"x\" { path = a.thing.set[\"a\"].pth }\n",
        &["6:22 unknown-export: `a.thing.set` has no export `pth` | did you mean `path`?"],
    );
    check_later(
        "}\na.thing \"x\" { path = a.thing.set.path }\n",
        &[
            "6:22 unknown-instance: this names no instance of `a.thing.set` | the keys of `for_each` are known only in a run: name an instance as in a.thing.set[\"KEY\"].FIELD",
        ],
    );
}
