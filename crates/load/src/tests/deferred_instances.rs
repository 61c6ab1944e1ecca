//! Tests of module calls whose `for_each` only a run knows.

use super::*;
use crate::graph::EdgeReason;

const CALL: &str = "a.thing \"names\" { path = \"p\" }\nmodule \"in.hcl\" \"in\" {\n  for_each = [a.thing.names.path]\n  params { name = each.key }\n}\n";
const INNER: &str =
    "param \"name\" {}\na.thing \"x\" { path = param.name }\noutput \"it\" { value = a.thing.x.path }\n";

fn check_with(rest: &str, inner: &str, expect: &[&str]) {
    let files = [("main.hcl", &*format!("{CALL}{rest}")), ("in.hcl", &*format!("{INNER}{inner}"))];
    check_files(&files, expect);
}

#[test]
fn what_is_in_them_is_checked_once() {
    check_with("", "", &[]);
    check_with(
        "",
        "a.thing \"y\" { pth = 1 }\na.thing \"z\" { path = param.nam }\n",
        &[
            "in.hcl:4:15 unknown-field: a.thing: unknown field `pth` | did you mean `path`?",
            "in.hcl:5:22 unknown-param: unknown parameter `nam` | did you mean `name`?",
        ],
    );
    check_with(
        "",
        "a.thing \"t\" {\n  path = \"p\"\n  timeout = param.name\n}\n",
        &[
            "in.hcl:6:13 value-not-known: `timeout` must be known when the module is loaded, and waits for `for_each` | use a parameter: lookups, `env` and `platform` are not known when the module is loaded",
        ],
    );
    check_with(
        "",
        "param \"more\" {}\n",
        &[
            "main.hcl:2:1 in.hcl:4:1 missing-param: parameter `more` of in.hcl is required, and main.hcl gives it no value | give it a value: params { more = .. }",
        ],
    );
    check_with(
        "",
        "module \"in.hcl\" \"again\" {}\n",
        &["in.hcl:4:8 include-cycle: a module calls itself: in.hcl -> in.hcl | remove one of these calls"],
    );
    // A value that only each instance knows may be anything.
    check_with(
        "",
        "a.thing \"y\" {\n  for_each = split(\",\", param.name)\n  path = each.value\n  mode = param.name\n}\n",
        &[],
    );
}

#[test]
fn what_holds_for_all_of_them_is_known_at_load() {
    let call = |argument: &str| {
        let main = CALL.replace("  params", &format!("  {argument}\n  params"));
        let files = [("main.hcl", &*main), ("in.hcl", INNER)];
        let (folder, loaded) = Folder::load(&files);
        let lines = lines(&loaded, |span| loaded.sources.location(span));
        lines.iter().map(|line| folder.short(line)).collect::<Vec<_>>()
    };
    assert_eq!(call("optional = true"), [""; 0]);
    assert_eq!(call("when = each.key != \"x\""), [""; 0]);
    assert_eq!(
        call("optional = each.key == \"x\""),
        [
            "main.hcl:4:14 value-not-known: `optional` must be known when the module is loaded, and waits for `for_each` | use a parameter: lookups, `env` and `platform` are not known when the module is loaded"
        ]
    );
}

#[test]
fn names_lead_into_them_by_a_key() {
    let thing = |value: &str| format!("a.thing \"y\" {{ path = {value} }}\n");
    for right in [
        "module.in[\"a\"].output.it",
        "module.in[\"a\"].params.name",
        "module.in[\"a\"].a.thing.x.path",
        "join(\",\", [for key, one in module.in : one.output.it])",
        "\"{{lookup `module.in[\\\"a\\\"].output.it`}}\"",
    ] {
        check_with(&thing(right), "", &[]);
    }
    check_with(
        &thing("module.in[\"a\"].output.itt"),
        "",
        &["main.hcl:6:22 unknown-output: `module.in` has no output `itt` | did you mean `it`?"],
    );
    check_with(
        &thing("module.in[\"a\"].a.thing.x.pth"),
        "",
        &["main.hcl:6:22 unknown-export: `a.thing.x` has no export `pth` | did you mean `path`?"],
    );
    check_with(
        &thing("module.in[\"a\"].a.thing.xx.path"),
        "",
        &[
            "main.hcl:6:22 unknown-resource: lookup of `module.in[\"a\"].a.thing.xx.path`, which does not exist | did you mean `module.in[\"KEY\"].a.thing.x.path`?",
        ],
    );
    check_with(
        &thing("module.in.output.it"),
        "",
        &[
            "main.hcl:6:22 unknown-instance: this names no instance of `module.in` | the keys of `for_each` are known only in a run: name an instance as in module.in[\"KEY\"].FIELD",
        ],
    );
    check_with(
        &thing("module.ins[\"a\"].output.it"),
        "",
        &[
            "main.hcl:6:22 unknown-resource: lookup of `module.ins[\"a\"].output.it`, which does not exist | did you mean `module.in.output.it`?",
        ],
    );
    let waits = |names: &str| format!("a.thing \"y\" {{\n  path = \"p\"\n  depends = [{names}]\n}}\n");
    check_with(
        &waits("\"module.in\", \"module.in[\\\"a\\\"]\", \"module.in[\\\"a\\\"]/a.thing.x\""),
        "",
        &[],
    );
    check_with(
        &waits("\"module.in[\\\"a\\\"]/a.thing.xx\""),
        "",
        &[
            "main.hcl:8:14 unknown-resource: `depends` names `module.in[\"a\"]/a.thing.xx`, which does not exist | did you mean `module.in[\"KEY\"]/a.thing.x`?",
        ],
    );
    check_with(
        &waits("\"module.inn\""),
        "",
        &[
            "main.hcl:8:14 unknown-resource: `depends` names `module.inn`, which does not exist | did you mean `module.in`?",
        ],
    );
}

#[test]
fn what_waits_for_one_waits_for_all() {
    // The name refers to one instance only, but the instances are not known yet.
    check_with(
        "a.thing \"y\" { path = module.in[\"a\"].output.it }\n",
        "a.thing \"z\" {\n  path = \"z\"\n  depends = [\"a.thing.y\"]\n}\n",
        &[
            "main.hcl:6:22 in.hcl:6:14 cycle: resources wait for each other: a.thing.y -> module.in -> a.thing.y | remove one of these steps",
        ],
    );
    let main = format!(
        "{CALL}a.thing \"y\" {{ path = module.in[\"a\"].output.it }}\na.thing \"w\" {{ path = \"w\" }}\n"
    );
    let inner = format!("{INNER}a.thing \"z\" {{\n  path = \"z\"\n  depends = [\"a.thing.w\"]\n}}\n");
    let graph = Folder::load(&[("main.hcl", &main), ("in.hcl", &inner)]).1.into_graph().unwrap();
    let edges = |id: &str| -> Vec<(String, EdgeReason)> {
        let edges = graph.dependencies(graph.find(id).unwrap()).iter();
        edges.map(|edge| (graph.node(edge.on).id.short().to_owned(), edge.reason)).collect()
    };
    let ids: Vec<&str> = graph.nodes().map(|(_, node)| node.id.short()).collect();
    assert_eq!(ids, ["a.thing.names", "a.thing.w", "a.thing.y", "module.in"]);
    assert_eq!(edges("root/a.thing.y"), [("module.in".to_owned(), EdgeReason::Lookup)]);
    assert_eq!(
        edges("root/module.in"),
        [("a.thing.names".to_owned(), EdgeReason::Lookup), ("a.thing.w".to_owned(), EdgeReason::Depends)]
    );
}
