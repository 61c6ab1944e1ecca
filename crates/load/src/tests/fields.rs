//! Tests of types, names and fields of resources.

use super::{check, load};

#[test]
fn what_is_right_says_nothing() {
    check("", &[]);
    check("param \"p\" { default = 1 }", &[]);
    check("a.thing \"x\" {\n  path = \"p\"\n  mode = 0644\n  flag = \"T\"\n  numbers = [1, \"2\"]\n}", &[]);
    check(
        "a.thing \"x\" {\n  path = \"p\"\n  env { A = 1 }\n  part { size = 1 }\n  part { size = 2 }\n}",
        &[],
    );
    check("a.thing \"x\" {\n  path = \"p\"\n  nums = []\n  mode = 7\n  group = \"g\"\n}", &[]);
}

#[test]
fn types_and_names() {
    check(
        "a = 1",
        &[
            "1:1 stray-attribute: `a` is written outside of any resource | a module holds only blocks: TYPE \"NAME\" { .. }",
        ],
    );
    check("a.thng \"x\" {}", &["1:1 unknown-type: unknown resource type `a.thng` | did you mean `a.thing`?"]);
    check("zzz {}", &["1:1 unknown-type: unknown resource type `zzz` | `converge docs` lists all types"]);
    check(
        "param {}",
        &["1:1 wrong-labels: this `param` has no name | write one name: param \"NAME\" { .. }"],
    );
    check(
        "param \"a\" \"b\" {}",
        &["1:1 wrong-labels: this `param` has 2 names | write one name: param \"NAME\" { .. }"],
    );
    check(
        "param \"a/b\" { default = 1 }",
        &[
            "1:7 bad-name: \"a/b\" cannot be the name of a `param` | a name is not empty and has no `/`, no `[\"`, no line break and no template",
        ],
    );
    check(
        "param \"a\" { default = 1 }\nparam \"a\" { default = 2 }",
        &["2:1 1:1 duplicate-resource: `param.a` is declared twice | give one of them another name"],
    );
}

#[test]
fn a_graph_that_is_printed_shows_no_secret() {
    let loaded = load("a.thing \"x\" {\n  path = \"p\"\n  password = \"canary\"\n}");
    let printed = format!("{:?}", loaded.partial_graph());
    assert!(printed.contains("Value((sensitive))"), "{printed}");
    assert!(!printed.contains("canary"), "{printed}");
}

#[test]
fn fields() {
    check(
        "a.thing \"x\" {\n  pth = \"p\"\n}",
        &["2:3 unknown-field: a.thing: unknown field `pth` | did you mean `path`?"],
    );
    check(
        "a.thing \"x\" {\n  nope = \"p\"\n}",
        &[
            "1:1 missing-field: a.thing: `path` is required",
            "2:3 unknown-field: a.thing: unknown field `nope` | the fields of a.thing are path, mode, flag, numbers, env, part, left, right, place, password",
        ],
    );
    let thing = |fields: &str, expect: &[&str]| {
        check(&format!("a.thing \"x\" {{\n  path = \"p\"\n  {fields}\n}}"), expect);
    };
    thing(
        "mode = 777",
        &[
            "3:10 not-a-number: a.thing.mode: 777 is a decimal number, but this field counts in base 8 | write `0777`",
        ],
    );
    thing(
        "mode = 999",
        &[
            "3:10 not-a-number: a.thing.mode: 999 is a decimal number, but this field counts in base 8 | the digits of base 8 are 0 to 7",
        ],
    );
    thing("mode = \"9\"", &["3:10 not-a-number: a.thing.mode: \"9\" is not an integer in base 8"]);
    thing(
        "flag = \"yes\"",
        &["3:10 not-a-bool: a.thing.flag: \"yes\" is not a boolean: write true or false"],
    );
    thing(
        "numbers = [1, 256]",
        &["3:17 out-of-range: a.thing.numbers[1]: 256 is out of range: at least 0 and at most 255"],
    );
    thing(
        "numbers = [\"{{param `no`}}\", \"x\"]",
        &[
            "3:23 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }",
            "3:32 not-a-number: a.thing.numbers[1]: \"x\" is not an integer",
        ],
    );
    thing("env { A = [] }", &["3:13 wrong-type: a.thing.env.A: expected a string, found a list"]);
    thing(
        "part { sise = 1 }",
        &["3:10 unknown-field: a.thing.part: unknown field `sise` | did you mean `size`?"],
    );
    thing(
        "part \"x\" { size = 1 }",
        &["3:8 labelled-field: `part` is a field and takes no name | write part { .. }"],
    );
    thing(
        "numbers = [1]\n  nums = [2]",
        &["4:3 3:3 duplicate-field: `numbers` is written twice | keep one of them"],
    );
    thing(
        "left = \"a\"\n  right = \"b\"",
        &[
            "4:3 3:3 mutually-exclusive: a.thing: `left` and `right` are mutually exclusive | write at most one of them",
        ],
    );
    thing("left = \"a\"\n  right = null", &[]);
    thing("left = upper(self.path)\n  right = null", &[]);
    thing(
        "left = upper(\"a\")\n  right = lower(\"b\")",
        &[
            "4:3 3:3 mutually-exclusive: a.thing: `left` and `right` are mutually exclusive | write at most one of them",
        ],
    );
    thing("place = \"x\"", &["3:3 deprecated-field: `place` of a.thing is deprecated: write `path`"]);
    thing(
        "password = \"UPPER\"",
        &["3:14 pattern-mismatch: a.thing.password: (sensitive) does not match the pattern `^[a-z]+$`"],
    );
    thing(
        "depends = \"a\"",
        &[
            "3:13 bad-meta-argument: `depends` must be a list of names | write it like depends = [\"task.build\"]",
        ],
    );
    thing(
        "depends { a = 1 }\n  group { }",
        &[
            "3:3 bad-meta-argument: `depends` must be a list of names | write it like depends = [\"task.build\"]",
            "4:3 bad-meta-argument: `group` must be a name | write it like group = \"apt\"",
        ],
    );
    thing(
        "group = [\"a\"]",
        &["3:11 bad-meta-argument: `group` must be a name | write it like group = \"apt\""],
    );
}
