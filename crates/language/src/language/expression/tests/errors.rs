//! Tests of the errors found when a module is loaded, all at once.

use std::fmt::Write as _;

use super::{TestScope, file, lower};

/// Renders errors as users see them: the line, with the message below it.
fn render(text: &str) -> String {
    let errors = match lower(text) {
        Err(errors) => errors,
        Ok(expression) => match expression.evaluate(&TestScope::new()) {
            Ok(value) => return format!("{text}\n  {value:?}\n\n"),
            Err(error) => vec![error],
        },
    };
    let file = file(text);
    let mut out = file.lines().next().unwrap_or_default().to_owned() + "\n";
    for error in errors {
        let (start, end) = (error.range.start as usize, error.range.end as usize);
        let before = file[..start].chars().count();
        let width = file[start..end].chars().count().max(1);
        writeln!(out, "{:before$}{} {error}", "", "^".repeat(width)).unwrap();
    }
    out + "\n"
}

#[test]
fn messages_and_places() {
    let texts = [
        "uper(1) + lenght([])",
        "upper()",
        "upper(1, 2)",
        "join(\",\")",
        "range(1, 2, 3, 4)",
        "upper(\"a\", param.list...)",
        "platform.oss",
        "platform.nothing",
        "each.foo",
        "each",
        "param",
        "self[0]",
        "env[param.s]",
        "foo",
        "pram",
        "pram[0].x",
        "[for item in [1] : itme]",
        "[for x, x in [1] : x]",
        "[for item in [1] : \"a {{item}}\"]",
        "[for item in [1] : \"{{item.name}}\"]",
        "[for item in [1] : \"{{param `s`}} {{item.a.b}}\"]",
        "upper(\"é\\t{{param `s`}\")",
        "{\"{{nothing}}\" = param.s}",
        "1 / 0 + param.n",
        "param.yes ? upper([]) : -\"a\"",
        "regex(\"(\", param.s)",
        "regex([], param.s)",
        "replace(param.s, \"/[/\", \"\")",
        "[1, 2][5]",
        "{a = 1}.b",
        "uper(foo, each.foo, 1 % 0, \"{{\")",
        "format(\"%s\", param.s, param.n)",
        "\"\\\"{{param `gone`}}\" == \"\"",
        "substr(param.s, param.s, 1)",
        "each.value.prt",
        "try(uper(1), 2)",
    ];
    insta::assert_snapshot!(texts.map(render).concat());
}

#[test]
fn each_needs_a_for_each() {
    let scope = TestScope { each: None, ..TestScope::new() };
    let error = lower("each.key == 1").unwrap().evaluate(&scope).unwrap_err();
    assert_eq!(error.to_string(), "`each` is only known in a resource or a module with `for_each`");
}

/// Constant expressions are computed once, and constant lists are not copied on each use.
#[test]
fn constants_are_folded() {
    let check_same = |text: &str, expect: &str| {
        let (left, right) = (lower(text).unwrap(), lower(expect).unwrap());
        assert_eq!(format!("{:?}", left.root.kind), format!("{:?}", right.root.kind), "{text}");
    };
    check_same("1 + 2 * 3", "7");
    check_same("upper(\"a\")", "\"A\"");
    check_same("[1, {a = 2}.a]", "[1, 2]");
    check_same("true ? \"a\" : \"b\"", "\"a\"");
}
