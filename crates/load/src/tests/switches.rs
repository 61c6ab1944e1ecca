//! Tests of switches.

use super::check;

/// Checks the diagnostics of a switch with this content.
fn check_switch(inside: &str, expect: &[&str]) {
    check(&format!("param \"p\" {{ default = 1 }}\nswitch \"s\" {{\n{inside}\n}}"), expect);
}

const X: &str = "a.thing \"x\" { path = \"p\" }";

/// Modules for the original Converge wait for switches and cases by the original names.
#[test]
fn names_of_the_original() {
    let switch = "switch \"s\" {\n  case \"true\" \"a\" {\n    a.thing \"in\" { path = \"p\" }\n  }\n}\n";
    let depends = |name: &str, expect: &[&str]| {
        check(&format!("{switch}a.thing \"x\" {{\n  path = \"p\"\n  depends = [\"{name}\"]\n}}"), expect);
    };
    depends("macro.switch.s", &[]);
    depends("macro.switch.s/macro.case.a", &[]);
    depends("macro.switch.s/macro.case.a/a.thing.in", &[]);
    depends(
        "macro.switch.t",
        &[
            "8:14 unknown-resource: `depends` names `macro.switch.t`, which does not exist | did you mean `switch.s`?",
        ],
    );
    depends(
        "macro.switchs.s",
        &["8:14 unknown-resource: `depends` names `macro.switchs.s`, which does not exist"],
    );
}

#[test]
fn cases() {
    check_switch("  case \"true\" \"a\" { }\n  default { }", &[]);
    check_switch("  case \"eq (param `p`) `1`\" \"a\" { }\n  case \"{{param `p`}}\" \"b\" { }", &[]);
    check_switch(&format!("  case \"true\" \"a\" {{\n{X}\n  }}\n  default {{\n{X}\n  }}"), &[]);
    check_switch("", &["2:1 empty-switch: the switch `s` has no cases"]);
    check_switch(
        "  a = 1",
        &[
            "3:3 misplaced-block: `a` stands directly in a switch | a switch holds only `case` and `default`: put it into one of them",
        ],
    );
    check_switch(
        &format!("  {X}"),
        &[
            "3:3 misplaced-block: `a.thing` stands directly in a switch | a switch holds only `case` and `default`: put it into one of them",
        ],
    );
    check_switch(
        "  case \"true\" \"a\" {\n    a = 1\n  }",
        &[
            "4:5 stray-attribute: `a` is written outside of any resource | a case holds only resources: TYPE \"NAME\" { .. }",
        ],
    );
    check_switch(
        "  case \"a\" { }",
        &[
            "3:3 wrong-labels: this `case` has only one label: its predicate or its name is missing | write it like case \"eq (param `os`) `linux`\" \"linux\" { .. }",
        ],
    );
    check_switch(
        "  case { }",
        &[
            "3:3 wrong-labels: this `case` has no predicate and no name | write it like case \"eq (param `os`) `linux`\" \"linux\" { .. }",
        ],
    );
    check_switch(
        "  case \"true\" \"a\" \"b\" { }",
        &[
            "3:3 wrong-labels: this `case` has 3 labels | write it like case \"eq (param `os`) `linux`\" \"linux\" { .. }",
        ],
    );
    check_switch(
        "  case \"\" \"a\" { }",
        &["3:9 template: a predicate cannot be empty; write `true` for one that always holds"],
    );
    check_switch("  case \"eq 1 (prm `p`)\" \"a\" { }", &["3:15 template: there is no function `prm`"]);
    check_switch(
        "  case \"eq \\\"1\\\" (param `q`)\" \"a\" { }",
        &["3:25 unknown-param: unknown parameter `q` | declare it: param \"q\" { default = \"..\" }"],
    );
    check_switch(
        "  case \"eq `1` `{{param `q`}}`\" \"a\" { }",
        &["3:25 unknown-param: unknown parameter `q` | declare it: param \"q\" { default = \"..\" }"],
    );
    check_switch(
        "  case \"true\" \"default\" { }",
        &[
            "3:15 bad-name: a case cannot be named `default` | that is the name of the branch with no predicate: default { .. }",
        ],
    );
    check_switch(
        "  case \"true\" \"a/b\" { }",
        &[
            "3:15 bad-name: \"a/b\" cannot be the name of a `case` | a name is not empty and has no `/`, no `[\"`, no line break and no template",
        ],
    );
}

#[test]
fn names_and_order_of_cases() {
    check_switch(
        "  case \"true\" \"a\" { }\n  case \"true\" \"a\" { }",
        &["4:3 3:3 duplicate-case: two cases of this switch are named `a` | give one of them another name"],
    );
    check_switch(
        "  default \"a\" { }",
        &["3:3 wrong-labels: `default` has no predicate and no name | write default { .. }"],
    );
    check_switch(
        "  default { }\n  default { }",
        &["4:3 3:3 duplicate-case: this switch has two defaults | keep one of them"],
    );
    check_switch(
        "  default { }\n  case \"true\" \"a\" { }",
        &[
            "3:3 4:3 unreachable-case: `default` stands before the case `a` | the first case that holds is taken: write `default` last",
        ],
    );
    check_switch(
        "  case \"true\" \"a\" {\n    param \"x\" { default = 1 }\n    module \"x.hcl\" \"x\" { }\n    switch \"t\" { }\n  }",
        &[
            "4:5 misplaced-block: a case holds only resources, and this is a `param` | declare it outside of the switch",
            "5:5 misplaced-block: a case holds only resources, and this is a `module` | call the module outside of the switch, with `when`",
            "6:5 misplaced-block: a case holds only resources, and this is a `switch` | put it outside of the switch",
        ],
    );
    check_switch(
        &format!("  case \"true\" \"a\" {{\n{X}\n{X}\n  }}"),
        &["5:1 4:1 duplicate-resource: `a.thing.x` is declared twice | give one of them another name"],
    );
    check(
        "switch { }",
        &["1:1 wrong-labels: this `switch` has no name | write one name: switch \"NAME\" { .. }"],
    );
    check(
        "switch \"s\" { default { } }\nswitch \"s\" { default { } }",
        &["2:1 1:1 duplicate-resource: `switch.s` is declared twice | give one of them another name"],
    );
    check(
        "case \"true\" \"a\" { }",
        &["1:1 misplaced-block: `case` stands in no switch | put it into a switch: switch \"NAME\" { .. }"],
    );
    check(
        "default { }",
        &[
            "1:1 misplaced-block: `default` stands in no switch | put it into a switch: switch \"NAME\" { .. }",
        ],
    );
}

/// Checks a resource beside two switches.
fn check_outside(outside: &str, expect: &[&str]) {
    check(
        &format!(
            "switch \"s\" {{\n  case \"true\" \"a\" {{\n{X}\n}}\n  default {{\n{X}\na.thing \"y\" {{ path = \"p\" }}\n}}\n}}\nswitch \"t\" {{\n  default {{ a.thing \"y\" {{ path = \"p\" }} }}\n}}\n{outside}"
        ),
        expect,
    );
}

#[test]
fn names_in_cases() {
    let thing = |fields: &str| format!("a.thing \"last\" {{\n  path = \"p\"\n  {fields}\n}}");
    check_outside(&thing("left = \"{{lookup `a.thing.x.path`}}\""), &[]);
    check_outside(
        &thing(
            "depends = [\"a.thing.x\", \"switch.s\", \"switch.s/case.a/a.thing.x\", \"switch.s.case.default.a.thing.y\"]",
        ),
        &[],
    );
    check_outside(
        &thing("left = \"{{lookup `a.thing.y.path`}}\""),
        &[
            "15:20 ambiguous-name: `a.thing.y.path` is in cases of `switch.s` and of `switch.t` | write one of them in full: switch.s/case.NAME/a.thing.y.path",
        ],
    );
    check_outside(
        &thing("depends = [\"a.thing.y\"]"),
        &[
            "15:14 ambiguous-name: `a.thing.y` is in cases of `switch.s` and of `switch.t` | write one of them in full: switch.s/case.NAME/a.thing.y",
        ],
    );
    check_outside(
        &thing("depends = [\"switch.s.case.a\"]"),
        &[
            "15:14 names-case: `depends` names `switch.s.case.a`, which is a case | which case is taken is known only later: wait for `switch.s`",
        ],
    );
    check_outside(
        &thing("depends = [\"switch.s/case.a\"]"),
        &[
            "15:14 names-case: `depends` names `switch.s/case.a`, which is a case | which case is taken is known only later: wait for `switch.s`",
        ],
    );
    check_outside(
        &thing("left = \"{{lookup `switch.s.nothing`}}\""),
        &["15:20 unknown-export: `switch.s` has no export `nothing` | it exports nothing"],
    );
    check_outside(
        &thing("left = \"{{lookup `switch.s.nothing.path`}}\""),
        &["15:20 unknown-export: `switch.s` has no export `nothing.path` | it exports nothing"],
    );
    check_outside(
        &thing("left = \"{{lookup `switch.s.case.a.a.thing.z.path`}}\""),
        &[
            "15:20 unknown-resource: lookup of `switch.s.case.a.a.thing.z.path`, which does not exist | did you mean `case.a.a.thing.x.path`?",
        ],
    );
    check_outside(
        &thing("left = \"{{lookup `a.thing.x.pth`}}\""),
        &["15:20 unknown-export: `a.thing.x` has no export `pth` | did you mean `path`?"],
    );
    check_outside(
        &thing("left = \"{{lookup `a.thng.x.path`}}\""),
        &[
            "15:20 unknown-resource: lookup of `a.thng.x.path`, which does not exist | did you mean `a.thing.x.path` or `a.thing.y.path`?",
        ],
    );
}
