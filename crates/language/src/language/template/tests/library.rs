//! Tests of the functions of expressions in templates.

use super::{check, evaluate};

#[test]
fn functions_and_pipes() {
    check(&[
        ("{{upper `ada`}} {{`ada` | upper}}", "ADA ADA"),
        // The piped value becomes the main argument, whatever its position.
        ("{{replace `a-b` `-` `+`}} {{`a-b` | replace `-` `+`}}", "a+b a+b"),
        ("{{`v1.2` | trimprefix `v` | trimsuffix `.2`}}", "1"),
        ("{{regex `[0-9]+` `a12`}} {{`a12` | regex `[0-9]+`}}", "12 12"),
        ("{{`ada` | format `<%s>`}} {{7 | format `%s %03d` `n`}}", "<ada> n 007"),
        ("{{10 | sub 3}} {{sub 10 3}} {{1 | add 2 3}} {{mul 2 3 | div 4}} {{7 | mod 4}}", "7 7 6 1.5 3"),
        ("{{param `n` | add 1}} {{max 1 (param `n`)}} {{param `f` | floor}}", "6 5 2"),
        ("{{list 3 1 2 | sort | join `,`}}", "1,2,3"),
        ("{{range distinct (list `a` `b` `a`)}}{{.}};{{end}}", "a;b;"),
        ("{{range $k, $v := dict `b` 2 `a` 1 | merge (dict `c` 3)}}{{$k}}{{$v}} {{end}}", "a1 b2 c3 "),
        ("{{(jsondecode `{\"a\": [1, 2]}`).a | jsonencode}}", "[1,2]"),
        ("{{`a: [1]` | yamldecode | jsonencode}}", "{\"a\":[1]}"),
        ("{{if in `a` (list `a` `b`)}}yes{{end}}{{if `c` | in (list `a`)}}no{{end}}", "yes"),
        ("{{if contains (list `a` `b`) `b`}}yes{{end}}", "yes"),
        ("{{quote `it's`}} {{list `a` `b c` | quote}}", "'it'\\''s' a 'b c'"),
        ("{{if versionmatches platform.Version `>= 11`}}new{{end}}", "new"),
        ("{{eq (type (paramMap `map`)) `map`}} {{param `s` | type}}", "true string"),
        (
            "{{paramMap `map` | keys}} {{length (paramList `list`)}} {{len `äö`}} {{length `äö`}}",
            "[a b] 3 4 2",
        ),
        ("{{$x := upper `a` | lower}}{{$x}}", "a"),
        ("{{platform | keys | length}}", "27"),
    ]);
}

/// A name that Go or the original Converge has keeps its meaning there.
#[test]
fn names_that_go_has_keep_their_meaning() {
    check(&[
        ("{{index (paramList `list`) 1}}", "2"),
        ("{{slice `hello` 1 3}}", "el"),
        ("{{split `,` `a,b`}} {{`a,b` | split `,`}}", "[a b] [a b]"),
        ("{{join `,` (paramList `list`)}}", "1,2,3"),
        ("{{lookup `task.a.status.exitstatus`}}", "0"),
        ("{{printf `%d` 5}}", "5"),
    ]);
}

#[test]
fn a_fallback_is_for_what_is_absent() {
    check(&[
        ("{{(paramMap `map`).zzz | default `none`}}", "none"),
        ("{{default `none` (paramMap `map`).zzz}}", "none"),
        ("{{(paramMap `map`).a | default `none`}}", "1"),
        (
            "{{param `null` | default `none`}} {{`` | default `none`}} {{lookup `task.a.null` | default 5}}",
            "none none 5",
        ),
        // A false value still counts as a value.
        ("{{param `b` | default true}} {{0 | default 1}} {{param `empty` | default `x`}}", "false 0 []"),
        ("{{param `unknown` | default `x`}}", "unknown: task.first"),
        ("{{param `s` | default (param `unknown`)}} {{param `s` | default (param `secret`)}}", "text text"),
        ("{{param `secret` | default `x`}}", "secret: \"hunter2\""),
        ("{{coalesce (paramMap `map`).zzz `` `c`}}", "c"),
        ("{{type (paramMap `map`).zzz}}", "null"),
        ("{{upper (paramMap `map`).zzz}}", "error 24..28: there is no `zzz` in the map"),
    ]);
}

#[test]
fn what_may_fail_is_tried() {
    check(&[
        ("{{try (index (paramList `list`) 9) `none`}}", "none"),
        ("{{try (paramMap `map`).zzz `none`}} {{can (paramMap `map`).zzz}}", "none false"),
        ("{{can (tonumber `x`)}} {{can (tonumber `5`)}} {{tonumber `5` | can}}", "false true true"),
        ("{{try (tonumber `x`) (tonumber `5`)}}", "5"),
        ("{{try (tonumber `x`)}}", "error 16..19: `tonumber` needs a number here, not \"x\""),
        ("{{try (param `unknown`) 1}}", "unknown: task.first"),
        ("{{try (index (paramList `list`) (param `unknown`)) 1}}", "unknown: task.first"),
        ("{{can (tonumber (param `secret`))}}", "secret: \"false\""),
        ("{{try (tonumber (param `secret`)) 1}}", "secret: \"1\""),
        ("{{$s := param `secret`}}{{try (index (paramMap `map`) $s) 1}}", "secret: \"1\""),
        ("{{can (join `,` (paramList `one`) | tonumber)}}", "secret: \"false\""),
        ("{{can (regex `x` (jsonencode (paramList `one`)))}}", "secret: \"false\""),
        ("{{can (sum (paramList `one`))}}", "secret: \"false\""),
        ("{{can (printf `%d` (paramList `one`))}}", "secret: \"false\""),
        (
            "{{try (tonumber (param `secret`))}}",
            "error 17..31: tonumber: failed; the reason is not shown, because an argument is secret",
        ),
    ]);
}

#[test]
fn states_spread() {
    check(&[
        ("{{upper (param `unknown`)}}", "unknown: task.first"),
        ("{{param `unknown` | replace `a` `b`}}", "unknown: task.first"),
        ("{{jsonencode (paramList `part`)}}", "unknown: task.part"),
        ("{{length (paramList `part`)}}", "2"),
        ("{{upper (param `secret`)}}", "secret: \"HUNTER2\""),
        ("{{jsonencode (paramList `one`)}}", "secret: \"[\\\"a\\\",\\\"hunter2\\\"]\""),
        ("{{length (paramList `one`)}} {{list `a` (param `secret`) | length}}", "2 2"),
        ("{{element (paramList `one`) 0}}", "a"),
        ("{{sensitive `x`}} {{issensitive (param `secret`)}}", "secret: \"x true\""),
        (
            "{{tonumber (param `secret`)}}",
            "error 12..26: tonumber: failed; the reason is not shown, because an argument is secret",
        ),
        ("{{upper (paramList `one`)}}", "error 9..24: `upper` needs a string here, not a list"),
    ]);
    assert_eq!(evaluate("{{concat (paramList `one`) (list 1)}}"), r#"["a", (sensitive), 1]"#);
    assert_eq!(evaluate("{{dict `a` 1 `b` (list true)}}"), "{a = 1, b = [true]}");
}

#[test]
fn mistakes_have_their_place() {
    check(&[
        ("{{upper (list 1)}}", "error 9..15: `upper` needs a string here, not a list"),
        ("{{list 1 | upper}}", "error 11..16: `upper` needs a string here, not a list"),
        (
            "{{replace `a` `/(/` ``}}",
            "error 14..19: replace: \"(\" is not a regular expression: found open group without closing ')'",
        ),
        ("{{upper}}", "error 2..7: `upper` takes 1 argument, but got 0"),
        ("{{`a` | replace `b`}}", "error 8..15: `replace` takes 3 arguments, but got 2"),
        ("{{uper `a`}}", "error 2..6: there is no function `uper`; did you mean `upper`?"),
        (
            "{{param `list` | to_json}}",
            "error 17..24: there is no function `to_json`; write `VALUE | jsonencode`",
        ),
        ("{{`a` | b64enc}}", "error 8..14: there is no function `b64enc`; write `TEXT | base64encode`"),
        ("{{file `x`}}", "error 7..10: file: x cannot be read here: there is no module that it is next to"),
        (
            "{{setproduct (list 1 2 3 4 5 6 7 8 9) (list 1 2 3 4 5 6 7 8 9) (list 1 2 3 4 5 6 7 8 9) (list 1 2 3 4 5 6 7 8 9) \
          (list 1 2 3 4 5 6 7 8 9) (list 1 2 3 4 5 6 7 8 9) (list 1 2 3 4 5 6 7 8 9) (list 1 2 3 4 5 6 7 8 9) | length}}",
            "error 2..212: this takes too many steps: it has too many iterations, or makes too many or too large values",
        ),
    ]);
}
