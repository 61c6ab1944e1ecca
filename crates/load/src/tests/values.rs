//! Tests of computed values: errors are found before a run, and traced to their origin.

use super::{check, check_files};
use crate::Loader;
use crate::graph::InputKind;

/// Checks a resource with these lines, and four parameters before it.
fn check_thing(lines: &str, expect: &[&str]) {
    let text = format!(
        "param \"text\" {{ default = \"x\" }}\n\
         param \"list\" {{ default = [1, 300] }}\n\
         param \"os\" {{ default = \"{{{{platform.OS}}}}\" }}\n\
         a.thing \"t\" {{\n  path = \"p\"\n{lines}\n}}"
    );
    check(&text, expect);
}

#[test]
fn a_value_that_is_known_is_checked_like_a_literal() {
    check_thing(
        "numbers = \"{{paramList `list`}}\"",
        &["6:14 2:26 out-of-range: a.thing.numbers[1]: 300 is out of range: at least 0 and at most 255"],
    );
    check_thing(
        "numbers = param.list",
        &["6:11 2:26 out-of-range: a.thing.numbers[1]: 300 is out of range: at least 0 and at most 255"],
    );
    check_thing(
        "flag = \"{{param `text`}}\"",
        &["6:11 1:26 not-a-bool: a.thing.flag: \"x\" is not a boolean: write true or false"],
    );
    check_thing("flag = param.list", &["6:8 2:26 wrong-type: a.thing.flag: expected a bool, found a list"]);
    check_thing(
        "numbers = [1, param.list]",
        &["6:15 2:26 wrong-type: a.thing.numbers[1]: expected an integer, found a list"],
    );
    check_thing(
        "part { size = \"{{param `text`}}\" }",
        &["6:18 1:26 not-a-number: a.thing.part.size: \"x\" is not an integer"],
    );
    check_thing("flag = param.text == \"x\"", &[]);
    check_thing(
        "password = \"{{param `text`}}1\"",
        &["6:15 1:26 pattern-mismatch: a.thing.password: (sensitive) does not match the pattern `^[a-z]+$`"],
    );
}

#[test]
fn rules_of_a_type_are_applied_to_what_is_known() {
    let broken =
        |column: usize| format!("6:{column} invalid-value: a.thing.left: it is \"p\", and so is `path`");
    check_thing("left = \"p\"", &[&broken(8)]);
    check_thing("left = lower(\"P\")", &[&broken(8)]);
    check_thing(
        "left = \"p\"\nnumbers = [1, 13]",
        &[&broken(8), "7:15 invalid-value: a.thing.numbers[1]: 13 is left out"],
    );
    check_thing("left = param.text", &[]);
    check_thing("left = param.os", &[]);
    // Errors of single fields are reported before errors of the whole.
    check_thing(
        "left = \"p\"\nflag = 7",
        &["7:8 wrong-type: a.thing.flag: expected a bool, found an integer"],
    );
}

#[test]
fn what_is_not_known_is_not_checked() {
    check_thing("flag = \"{{param `os`}}\"", &[]);
    check_thing(
        "numbers = [300, \"{{param `os`}}\"]",
        &["6:12 out-of-range: a.thing.numbers[0]: 300 is out of range: at least 0 and at most 255"],
    );
    check_thing(
        "flag = [\"{{param `os`}}\"]",
        &["6:8 wrong-type: a.thing.flag: expected a bool, found a list"],
    );
    check_thing("numbers = [for x in param.list : x + param.os]", &[]);
    check_thing("part { size = \"{{param `os`}}\" }", &[]);
    check_thing(
        "part { sise = \"{{param `os`}}\" }",
        &["6:8 unknown-field: a.thing.part: unknown field `sise` | did you mean `size`?"],
    );
}

#[test]
fn what_fails_names_what_it_was_made_of() {
    check_thing(
        "left = \"{{index (paramList `list`) 5}} {{param `text`}}\"",
        &["6:11 2:26 template: the index 5 is out of range: the length is 2"],
    );
    check_thing(
        "left = param.list[5]",
        &["6:19 2:26 expression: the index 5 is out of range: the length is 2"],
    );
    check_thing(
        "left = self.flag\nflag = param.text.name",
        &["7:19 1:26 expression: a string has no `.name`"],
    );
    check_thing(
        "left = self.flag\nflag = self.left",
        &[
            "7:8 6:8 field-cycle: a.thing: a field depends on itself: flag -> left -> flag | remove one of these uses",
        ],
    );
}

#[test]
fn what_is_never_handled_is_not_checked() {
    let invalid = "flag = param.list";
    let error = "expected a bool, found a list";
    check_thing(&format!("when = false\n{invalid}"), &[]);
    check_thing(&format!("when = param.text == \"y\"\n{invalid}"), &[]);
    check_thing(
        &format!("when = param.os == \"linux\"\n{invalid}"),
        &[&format!("7:8 2:26 wrong-type: a.thing.flag: {error}")],
    );
    check_thing("when = param.list", &["6:8 2:26 wrong-type: when: expected a bool, found a list"]);
    let switch = |first: &str, second: &str| {
        format!(
            "param \"text\" {{ default = \"x\" }}\nparam \"os\" {{ default = \"{{{{platform.OS}}}}\" }}\n\
             switch \"s\" {{\n  case \"{first}\" \"a\" {{\n    a.thing \"t\" {{\n      path = \"p\"\n      flag = param.text\n    }}\n  }}\n\
             \x20 case \"{second}\" \"b\" {{\n    a.thing \"u\" {{\n      path = \"p\"\n      flag = param.text\n    }}\n  }}\n}}"
        )
    };
    let message_at = |line: &str| {
        format!("{line}:14 1:26 not-a-bool: a.thing.flag: \"x\" is not a boolean: write true or false")
    };
    check(&switch("eq (param `text`) `x`", "true"), &[&message_at("7")]);
    check(&switch("eq (param `text`) `y`", "true"), &[&message_at("13")]);
    check(&switch("eq (param `os`) `linux`", "true"), &[&message_at("7"), &message_at("13")]);
    check(&switch("false", "eq `a` `b`"), &[]);
}

#[test]
fn values_are_followed_through_calls() {
    check_files(
        &[
            (
                "main.hcl",
                "param \"mode\" { default = \"rw\" }\nmodule \"web.hcl\" \"web\" {\n  params { flag = param.mode }\n}",
            ),
            (
                "web.hcl",
                "param \"flag\" {}\na.thing \"t\" {\n  path = \"p\"\n  flag = \"{{param `flag`}}\"\n}",
            ),
        ],
        &[
            "web.hcl:4:13 main.hcl:3:19 main.hcl:1:26 not-a-bool: a.thing.flag: \"rw\" is not a boolean: write true or false",
        ],
    );
    check_files(
        &[
            (
                "main.hcl",
                "module \"web.hcl\" \"web\" {\n  params { port = \"http\" }\n}\nmodule \"web.hcl\" \"api\" {\n  params { port = 80 }\n}",
            ),
            (
                "web.hcl",
                "param \"port\" {\n  type = \"number\"\n  validation {\n    condition = param.port > 1023\n    message   = \"the port {{param `port`}} is for root\"\n  }\n}",
            ),
        ],
        &[
            "main.hcl:2:19 web.hcl:2:10 not-a-number: parameter `port` must be `number`: \"http\" is not a number",
            "main.hcl:5:19 web.hcl:4:17 invalid-param: parameter `port`: the port 80 is for root",
        ],
    );
}

#[test]
fn what_parameters_decide_is_kept_and_what_a_run_decides_is_not() {
    let registry = super::registry();
    let known_values = |lines: &str| {
        let text = format!(
            "param \"text\" {{ default = \"x\" }}\n\
             param \"hidden\" {{\n  default = \"hide me\"\n  sensitive = true\n}}\n\
             a.thing \"t\" {{\n{lines}\n}}"
        );
        let graph = Loader::new(&registry).load_text("m.hcl", text).into_graph().unwrap();
        let things = graph.resources().flat_map(|(_, node)| node.attributes.iter());
        let values = things.filter_map(|attribute| match &attribute.input.kind {
            InputKind::Template(template) => Some(template.known().map(ToString::to_string)),
            _ => None,
        });
        values.collect::<Vec<_>>()
    };
    let check = |lines: &str, expect: &[Option<&str>]| {
        let expect: Vec<_> = expect.iter().map(|text| text.map(str::to_owned)).collect();
        assert_eq!(known_values(lines), expect, "{lines}");
    };
    check("path = \"{{param `text`}}/y\"", &[Some("x/y")]);
    check(
        "path = \"{{param `text`}}{{param `text`}}\"\nleft = \"{{param `text`}}\"",
        &[Some("xx"), Some("x")],
    );
    check("path = \"{{param `hidden`}}\"", &[None]);
    check("path = \"p\"\npassword = \"{{param `text`}}\"", &[None]);
    check("path = \"{{env `HOME`}}/{{param `text`}}\"", &[None]);
    // The instances share their text, but each has another value.
    check("for_each = [\"a\", \"b\"]\npath = \"{{param `text`}}/{{each.key}}\"", &[None, None]);
    check("for_each = [\"a\", \"b\"]\npath = each.key\nplace = \"{{param `text`}}\"", &[None, None]);
}
