//! Tests of unknown and secret values.

use super::{check, evaluate};

#[test]
fn unknown_spreads() {
    check(&[
        ("{{param `unknown`}}", "unknown: task.first"),
        ("a {{param `unknown`}} {{param `other`}}", "unknown: task.first"),
        ("{{if param `unknown`}}a{{end}}", "unknown: task.first"),
        ("{{param `other`}}{{if param `unknown`}}a{{end}}", "unknown: task.second"),
        ("{{if eq `a` (param `unknown`)}}a{{else}}b{{end}}", "unknown: task.first"),
        ("{{range paramList `unknown`}}a{{end}}", "unknown: task.first"),
        ("{{range paramList `part`}}{{.}}{{end}}", "unknown: task.part"),
        ("{{with lookup `unknown`}}a{{end}}", "unknown: task.first"),
        ("{{(lookup `unknown`).a.b}}", "unknown: task.first"),
        ("{{index (lookup `unknown`) 5 `x`}}", "unknown: task.first"),
        ("{{define `t`}}{{.}}{{end}}{{template `t` (param `unknown`)}}", "unknown: task.first"),
        ("{{and 1 (param `unknown`) 0}} ", "unknown: task.first"),
        ("{{param `other` | printf `%s %s` (param `unknown`)}}", "unknown: task.second"),
        ("{{join `,` (paramList `part`)}}", "unknown: task.part"),
        ("{{jsonify (paramList `part`)}}", "unknown: task.part"),
        ("{{paramList `part` | printf `%v`}}", "unknown: task.part"),
        ("{{html (param `unknown`)}}{{not (param `unknown`)}}", "unknown: task.first"),
        ("{{split `,` (param `unknown`) | len}}", "unknown: task.first"),
        // An error beside an unknown value is still found.
        (
            "{{param `unknown`}}{{param `nothing`}}",
            "error 21..36: param: there is no parameter `nothing`; did you mean `list`?",
        ),
    ]);
}

#[test]
fn unknown_that_is_not_used_changes_nothing() {
    check(&[
        ("{{$x := param `unknown`}}a", "a"),
        ("{{and 0 (param `unknown`)}} {{or 1 (param `unknown`)}}", "0 1"),
        ("{{if false}}{{param `unknown`}}{{end}}a", "a"),
        ("{{index (paramList `part`) 0}} {{len (paramList `part`)}}", "a 2"),
    ]);
}

/// Every position of a value, marked with `VALUE`, and the output for a known one.
const POSITIONS: &[(&str, &str)] = &[
    ("{{VALUE}}", "v"),
    ("{{VALUE | print}}", "v"),
    ("{{print VALUE}}", "v"),
    ("{{print (print VALUE)}}", "v"),
    ("{{$x := VALUE}}{{$x}}", "v"),
    ("{{$x := 1}}{{$x = VALUE}}{{$x}}", "v"),
    ("{{if VALUE}}a{{end}}", "a"),
    ("{{if false}}a{{else if VALUE}}b{{end}}", "b"),
    ("{{if $x := VALUE}}{{$x}}{{end}}", "v"),
    ("{{if not VALUE}}a{{else}}b{{end}}", "b"),
    ("{{with VALUE}}{{.}}{{end}}", "v"),
    ("{{with VALUE}}a{{else}}b{{end}}", "a"),
    ("{{range split `,` VALUE}}{{.}}{{else}}b{{end}}", "v"),
    ("{{range $i, $x := split `,` VALUE}}{{$i}}{{$x}}{{end}}", "0v"),
    ("{{range split `` `ab`}}{{VALUE}}{{end}}", "vv"),
    ("{{define `t`}}{{.}}{{end}}{{template `t` VALUE}}", "v"),
    ("{{block `t` VALUE}}{{.}}{{end}}", "v"),
    ("{{define `t`}}{{VALUE}}{{end}}{{template `t`}}", "v"),
    ("{{and 1 VALUE}}", "v"),
    ("{{and VALUE 1}}", "1"),
    ("{{or 0 VALUE}}", "v"),
    ("{{or VALUE 1}}", "v"),
    ("{{eq VALUE `v`}} {{eq `v` VALUE}} {{eq `a` `b` VALUE}} {{ne VALUE `x`}}", "true true false true"),
    ("{{lt VALUE `w`}} {{le `v` VALUE}} {{gt VALUE `u`}} {{ge VALUE `v`}}", "true true true true"),
    ("{{len VALUE}}", "1"),
    ("{{index VALUE 0}}", "118"),
    ("{{eq (index (paramMap `map`) VALUE) nil}}", "true"),
    ("{{slice VALUE 0 1}}", "v"),
    ("{{printf VALUE}}", "v"),
    ("{{printf `%s %q` VALUE `x`}}", "v \"x\""),
    ("{{printf `%*d` (len VALUE) 5}}", "5"),
    ("{{println VALUE}}", "v\n"),
    ("{{html VALUE}} {{js VALUE}} {{urlquery VALUE}}", "v v v"),
    ("{{join VALUE (split `` `ab`)}}", "avb"),
    ("{{join `,` (split `,` VALUE)}}", "v"),
    ("{{split VALUE `avb` | len}}", "2"),
    ("{{jsonify VALUE}}", "\"v\""),
    ("{{env VALUE}}|", "|"),
    ("{{param (printf `%s%.0s` `s` VALUE)}}", "text"),
    ("{{(VALUE)}}", "v"),
    ("before {{VALUE}} after", "before v after"),
    ("{{- VALUE -}} ", "v"),
    ("{{range split `` `ab`}}{{if VALUE}}{{break}}{{end}}{{.}}{{end}}|", "|"),
];

#[test]
fn a_state_passes_through_every_position() {
    for (template, expect) in POSITIONS {
        check(&[
            (&template.replace("VALUE", "`v`"), expect),
            (&template.replace("VALUE", "(param `unknown`)"), "unknown: task.first"),
            (&template.replace("VALUE", "(param `password`)"), &format!("secret: {expect:?}")),
        ]);
    }
}

#[test]
fn secret_spreads() {
    check(&[
        ("{{param `secret`}}", "secret: \"hunter2\""),
        ("a {{param `secret`}}", "secret: \"a hunter2\""),
        ("{{if param `secret`}}a{{end}}", "secret: \"a\""),
        ("{{if false}}b{{else if eq `x` (param `secret`)}}a{{end}}", "secret: \"\""),
        ("{{range paramList `secrets`}}{{.}}{{end}}", "secret: \"hunter2\""),
        ("{{range paramList `one`}}{{.}}{{end}}", "secret: \"ahunter2\""),
        ("{{with param `secret`}}a{{end}}", "secret: \"a\""),
        ("{{len (param `secret`)}}", "secret: \"7\""),
        ("{{index (paramList `one`) 1 | print}}", "secret: \"hunter2\""),
        ("{{index (paramList `secrets`) 0}}", "secret: \"hunter2\""),
        ("{{join `,` (paramList `one`)}}", "secret: \"a,hunter2\""),
        ("{{paramList `one`}}", "secret: \"[a hunter2]\""),
        ("{{jsonify (paramList `one`)}}", "secret: \"[\\\"a\\\",\\\"hunter2\\\"]\""),
        ("{{printf `%s` (paramList `one`)}}", "secret: \"[a hunter2]\""),
        ("{{or (param `secret`) 1}}", "secret: \"hunter2\""),
        ("{{and (param `secret`) 1}}", "secret: \"1\""),
        ("{{$x := param `secret`}}{{printf `%.3s` $x}}", "secret: \"hun\""),
        ("{{index (paramList `one`) 0}}", "a"),
        ("{{$x := param `secret`}}a", "a"),
        ("{{param `secret`}}{{param `unknown`}}", "unknown: task.first"),
    ]);
    assert_eq!(evaluate("{{paramList `one`}}"), r#"["a", (sensitive)]"#);
    assert_eq!(evaluate("{{paramList `secrets`}}"), r#"secret: ["hunter2"]"#);
}

#[test]
fn an_error_does_not_tell_a_secret() {
    check(&[
        (
            "{{lookup (param `secret`)}}",
            "error 2..25: lookup: failed; the reason is not shown, because an argument is secret",
        ),
        (
            "{{index (param `secret`) 50}}",
            "error 2..27: index: failed; the reason is not shown, because an argument is secret",
        ),
        ("{{(param `secret`).x}}", "error 18..20: a string has no field `x`"),
    ]);
}
