//! Tests of the message and the range of each kind of error.

use std::fmt::Write;

use super::render;

const WRONG: &[&str] = &[
    "a {{param `x`",
    "a {{/* b",
    "{{/* a */ `b`}}",
    "{{\"a}}",
    "{{`a}}",
    "{{'a}}",
    "{{\"a\nb\"}}",
    "{{(param `s`}}",
    "{{param `s`)}}",
    "{{$x : 5}}",
    "{{param \u{1}}}",
    "{{param`s`}}",
    "{{1a}}",
    "{{99999999999999999999}}",
    "{{1__0}}",
    "{{08}}",
    "{{1e999}}",
    "{{2i}}",
    r#"{{"\q"}}"#,
    r#"{{"\'"}}"#,
    r#"{{"\ud800"}}"#,
    r#"{{"\400"}}"#,
    "{{param ,}}",
    "{{1 2 %}}",
    "{{ /* late */ }}",
    "{{if 1}}a{{else}}b{{else}}c{{end}}",
    "{{if 1}}a",
    "{{range paramList `list`}}{{if 1}}{{end}}",
    "{{with 1}}a{{else with 2}}b{{end}}",
    "{{define `a`}}b",
    "{{block `a` 1}}b",
    "{{end}}",
    "{{else}}",
    "{{if 1}}{{define `a`}}{{end}}{{end}}",
    "{{break}}",
    "{{if 1}}{{continue}}{{end}}",
    "{{range paramList `list`}}{{else}}{{break}}{{end}}",
    "{{range paramList `list`}}{{block `b` 1}}{{break}}{{end}}{{end}}",
    "{{}}",
    "{{if}}a{{end}}",
    "{{$x := }}",
    "{{()}}",
    "{{| print}}",
    "{{$a, $b := 1}}",
    "{{range $a, $b, $c := paramList `list`}}{{end}}",
    "{{range $a, 5 := paramList `list`}}{{end}}",
    "{{$item := 1}}{{$itme}}",
    "{{$x = 1}}",
    "{{if 1}}{{$x := 1}}{{end}}{{$x}}",
    "{{$x := $x}}",
    "{{parma `s`}}",
    "{{typeof 1}}",
    "{{define `header`}}{{end}}{{template `heade`}}",
    "{{template param}}",
    "{{define `a`}}b{{end}}{{define `a`}}c{{end}}",
    "{{param}}",
    "{{param `a` `b`}}",
    "{{`a` | param `b`}}",
    "{{eq 1}}",
    "{{slice `a` 1 2 3 4}}",
    "{{platform `a`}}",
    "{{len param}}",
    "{{1 | 2}}",
    "{{`a` `b`}}",
    "{{.a 1}}",
    "{{nil}}",
    "{{if nil}}{{end}}",
    "{{`a`.b}}",
    "{{nil.b}}",
    "{{platform.Os}}",
    "{{platform.Nothing}}",
    "{{.a}}",
    "{{(paramMap `map`).a.b}}",
    "{{range 3}}{{end}}",
    "{{range `abc`}}{{end}}",
    "{{param 5}}",
    "{{5 | param}}",
    "{{call (param `s`)}}",
    "{{len 5}}",
    "{{index 5 1}}",
    "{{index (paramList `list`) `a`}}",
    "{{index (paramList `list`) 3}}",
    "{{index (paramList `list`) -1}}",
    "{{index `` 0}}",
    "{{slice `abc` 2 1}}",
    "{{slice `abc` 4}}",
    "{{slice `é` 1}}",
    "{{slice `abc` 0 1 2}}",
    "{{slice 5}}",
    "{{eq 1 `a`}}",
    "{{eq 1 1.0}}",
    "{{eq (paramList `list`) 1}}",
    "{{lt true false}}",
    "{{lt nil 1}}",
    "{{paramList `s`}}",
    "{{paramMap `list`}}",
    "{{param `nothing`}}",
    "{{lookup `task.b.x`}}",
    "{{lookup `task.c.x`}}",
    "{{lookup `task.d.x`}}",
    "{{define `t`}}{{template `t`}}{{end}}{{template `t`}}",
    "{{define `t`}}{{if .}}{{template `t` (slice . 1)}}{{template `t` (slice . 1)}}{{end}}{{end}}\
     {{template `t` `0123456789012345678901234567890123456789`}}",
];

#[test]
fn messages_and_places() {
    let mut report = String::new();
    for template in WRONG {
        let _ = writeln!(report, "{template:?}\n    {}", render(template));
    }
    insta::assert_snapshot!(report);
}

#[test]
fn nesting_is_limited() {
    let check = |template: String, place: &str| {
        let message = render(&template);
        assert!(message.starts_with(&format!("error {place}: nested too deep")), "{message}");
    };
    check("{{".to_owned() + &"(".repeat(100_000) + "1" + &")".repeat(100_000) + "}}", "62..63");
    check("{{if 1}}".repeat(100_000), "485..486");
    check("{{1".to_owned() + &" | print".repeat(100_000) + "}}", "478..483");
    // Three nestings just below the limit must fit the stack of a test thread.
    let parens = "(print ".repeat(50) + "1" + &")".repeat(50);
    assert_eq!(render(&format!("{{{{if 1}}}}{{{{if 1}}}}{{{{{parens}}}}}{{{{end}}}}{{{{end}}}}")), "1");
}

#[test]
fn the_deepest_run_fits_the_stack() {
    let calls = "(print ".repeat(40) + "1" + &")".repeat(40);
    let body = format!(
        "{{{{if 1}}}}{{{{with 1}}}}{{{{range split `` `a`}}}}{{{{{calls}}}}}{{{{template `t` {calls}}}}}"
    );
    let message =
        render(&format!("{{{{define `t`}}}}{body}{}{{{{end}}}}{{{{template `t`}}}}", "{{end}}".repeat(3)));
    assert!(message.contains("nested too deep: at most 200 levels"), "{message}");
}

#[test]
fn long_texts_and_chains_are_fine() {
    let arms = "{{else if 0}}".repeat(20_000);
    assert_eq!(render(&format!("{{{{if 0}}}}{arms}{{{{else}}}}x{{{{end}}}}")), "x");
    let text = "x".repeat((16 << 20) + 1);
    assert!(render(&text).starts_with("error 0..0: the template is longer than"));
}
