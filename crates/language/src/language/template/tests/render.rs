//! Tests of the output of templates.

use crate::language::template::Reference;
use crate::language::template::tree::{Call, Expr, Node};

use super::{Template, check, evaluate};

#[test]
fn text_and_trim_markers() {
    check(&[
        ("", ""),
        ("plain } text }} here", "plain } text }} here"),
        ("a {{- `b` -}} c", "abc"),
        ("a\n\t {{- `b`}} c", "ab c"),
        ("{{`a` -}} \n {{- `b`}}", "ab"),
        ("{{- /* note */ -}} x", "x"),
        ("a{{/* }} inside */}}b", "ab"),
        ("{{-5}}", "-5"),
        ("a{{ `b`\n}}", "ab"),
        ("é{{`ü`}}", "éü"),
        ("{ {{`a`}} }", "{ a }"),
    ]);
}

#[test]
fn literals() {
    check(&[
        (r#"{{"\a\b\f\n\r\t\v\\\"\101\x41\u0041\U00000041"}}"#, "\x07\x08\x0c\n\r\t\x0b\\\"AAAA"),
        (r"{{'\n'}} {{'\''}} {{'é'}} {{'\x41'}}", "10 39 233 65"),
        ("{{lookup 'task.a.status.exitstatus'}}", "0"),
        (r"{{'it\'s'}}", "it's"),
        ("{{''}}|", "|"),
        ("{{`a\r\nb`}}", "a\nb"),
        ("{{0b101}} {{0o17}} {{017}} {{0xff}} {{1_000}} {{+7}} {{0}}", "5 15 15 255 1000 7 0"),
        (
            "{{1.50}} {{.5}} {{1e6}} {{123456.5}} {{1e-5}} {{0x1p4}} {{-0.25}}",
            "1.5 0.5 1e+06 123456.5 1e-05 16 -0.25",
        ),
        ("{{9223372036854775807}} {{-9223372036854775808}}", "9223372036854775807 -9223372036854775808"),
        ("{{true}} {{false}}", "true false"),
    ]);
}

#[test]
fn values_print_as_go_prints_them() {
    check(&[
        (
            "{{param `n`}} {{param `f`}} {{param `b`}} {{param `list`}} {{param `map`}}",
            "5 2.5 false [1 2 3] map[a:1 b:2]",
        ),
        ("{{paramList `words`}} {{index (paramMap `deep`) `x`}}", "[a b] map[y:[z]]"),
        ("[{{param `null`}}] [{{lookup `task.a.null`}}]", "[] []"),
        ("{{lookup `task.a.status`}} {{(lookup `task.a.status`).stdout}}", "map[stdout:out] out"),
        ("{{platform}}", "{linux Debian  12   }"),
        ("{{.}}|{{$}}|", "||"),
    ]);
}

#[test]
fn functions() {
    check(&[
        // Go accepts a bar at the end of a pipeline.
        ("{{`a` | print | }}", "a"),
        ("{{and 1 0 2}} {{and 1 2}} {{or 0 `` 3 4}} {{or 0 ``}}|", "0 2 3 |"),
        ("{{or `a` (param `nothing`)}} {{and 0 (param `nothing`)}}", "a 0"),
        ("{{not 0}} {{not `a`}} {{not nil}}", "true false true"),
        (
            "{{eq 1 2 1}} {{eq `a` `a`}} {{eq 1.5 1.5}} {{eq true true}} {{eq nil nil}} {{eq nil 1}}",
            "true true true true true false",
        ),
        (
            "{{eq `` (lookup `task.a.null`)}} {{lt (lookup `task.a.null`) `a`}} {{eq (lookup `task.a.null`) 0}}",
            "true true true",
        ),
        ("{{eq `0` (lookup `task.a.status.exitstatus`)}}", "true"),
        ("{{ne 1 2}} {{lt `a` `b`}} {{le 2 2}} {{gt 1.5 1.0}} {{ge `a` `b`}}", "true true true true false"),
        ("{{len `é`}} {{len (paramList `list`)}} {{len (paramMap `map`)}} {{len .}}", "2 3 2 0"),
        ("{{index (paramList `list`) 0}} {{index (paramMap `deep`) `x` `y` 0}} {{index `abc` 1}}", "1 z 98"),
        ("{{index (paramList `list`)}}", "[1 2 3]"),
        (
            "{{slice `abcdef` 2}} {{slice `abc`}} {{slice (paramList `list`) 1 2}} {{slice (paramList `list`) 0 1 2}}",
            "cdef abc [2] [1]",
        ),
        ("{{print `a` 1 2 `b`}}|{{print}}|{{println 1 `a`}}", "a1 2b||1 a\n"),
        ("{{html `<a href='x'>\"&` 1}} {{html 5}}", "&lt;a href=&#39;x&#39;&gt;&#34;&amp;1 5"),
        (r#"{{js "<a b='c'>\n\\\"é="}}"#, r#"\u003Ca b\u003D\'c\'\u003E\u000A\\\"é\u003D"#),
        ("{{urlquery `a b&ü/~` }}", "a+b%26%C3%BC%2F~"),
        ("{{split `,` `a,b,`}} {{split `` `né`}} {{len (split `,` ``)}}", "[a b ] [n é] 1"),
        ("{{paramList `list` | join `-`}} {{join `-` `x`}} {{join `-` (paramList `empty`)}}|", "1-2-3 x |"),
        ("{{paramMap `deep` | jsonify}}", r#"{"gone":null,"x":{"y":["z"]}}"#),
        (
            "{{jsonify \"<\\n\\u2028\\x01'\\\"\"}} {{jsonify 1e21}} {{jsonify 1e-7}} {{jsonify 2.5}}",
            "\"\\u003c\\n\\u2028\\u0001'\\\"\" 1e+21 1e-7 2.5",
        ),
        ("{{jsonify nil}} {{jsonify (lookup `task.a.null`)}}", "null null"),
        ("{{env `HOME`}}{{env `NONE`}}", "/root"),
        ("{{platform.OS}} {{(platform).Version}} {{jsonify platform.Name}}", "linux 12 \"Debian\""),
        ("{{platform.os}} {{(platform).major_version}} {{$p := platform}}{{$p.MajorVersion}}", "linux 12 12"),
        (
            "{{range platform.addresses}}{{.}}{{else}}none{{end}} {{platform.CPUs}} {{mul platform.cpus 2}}",
            "none 0 0",
        ),
        ("{{param `s` | printf `%s-%s` `a` | len}}", "6"),
        (
            "{{`s` | param}} {{param ('s' | print)}}|",
            "error 18..37: param: there is no parameter `115`; did you mean `list`?",
        ),
    ]);
}

#[test]
fn blocks_and_scopes() {
    check(&[
        ("{{if 0}}a{{else if ``}}b{{else if 1}}c{{else}}d{{end}}", "c"),
        ("{{if 0}}a{{end}}b", "b"),
        ("{{if $x := 0}}a{{else if $y := 2}}{{$x}}{{$y}}{{end}}", "02"),
        ("{{with param `s`}}{{.}}{{end}}{{with ``}}a{{else}}[{{.}}]{{end}}", "text[]"),
        ("{{with $x := 5}}{{.}}{{$x}}{{end}}", "55"),
        ("{{range paramList `list`}}{{range paramList `words`}}{{.}}{{end}}{{.}} {{end}}", "ab1 ab2 ab3 "),
        ("{{range $i, $v := paramList `words`}}{{$i}}{{$v}}{{end}}", "0a1b"),
        ("{{range $k, $v := paramMap `map`}}{{$k}}{{$v}}{{end}}", "a1b2"),
        ("{{range $x := paramList `empty`}}a{{else}}none{{end}}", "none"),
        (
            "{{range (paramMap `map`).zzz}}a{{else}}none{{end}}{{range lookup `task.a.null`}}a{{else}}none{{end}}",
            "nonenone",
        ),
        ("{{range paramList `list`}}{{if eq . `2`}}{{continue}}{{end}}{{.}}{{end}}", "13"),
        ("{{range paramList `list`}}{{range paramList `list`}}{{break}}{{end}}{{.}}{{end}}", "123"),
        ("{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}", "2"),
        ("{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "21"),
        ("{{$x := 1}}{{$x := print $x $x}}{{$x}}", "1 1"),
        ("{{$n := 0}}{{range paramList `list`}}{{$n = .}}{{end}}{{$n}}", "3"),
        ("{{$i := 0}}{{$v := 0}}{{range $i, $v = paramList `words`}}{{end}}{{$i}}{{$v}}", "1b"),
        ("{{range paramList `words`}}{{$x := .}}{{$x}}{{end}}{{$y := 1}}{{$y}}", "ab1"),
        ("{{($x := 5)}}{{$x}}", "55"),
        (
            "{{$m := paramMap `deep`}}{{$m.x.y}} {{with $m}}{{.x.y}}{{end}} {{(index $m `x`).y}}",
            "[z] [z] [z]",
        ),
        (
            "{{define `t`}}<{{.}}{{$}}>{{end}}{{template `t` 1}}{{define `u`}}u{{end}}{{template `u`}}",
            "<11>u",
        ),
        ("{{template `later` 5}}{{define `later`}}{{. | print}}{{end}}", "5"),
        ("{{block `b` `x`}}[{{.}}]{{end}}{{template `b` `y`}}", "[x][y]"),
        ("{{define `t`}} {{end}}{{define `t`}}a{{end}}{{define `t`}}\n{{end}}{{template `t`}}", "a"),
        ("{{$x := 1}}{{define `t`}}{{$x := 2}}{{$x}}{{end}}{{template `t`}}{{$x}}", "21"),
        // A template may call itself; this recursion ends.
        (
            "{{define `t`}}{{if .}}{{len .}}{{template `t` (slice . 1)}}{{end}}{{end}}{{template `t` `abc`}}",
            "321",
        ),
    ]);
}

/// Values of the module keep their kind, and print like the text of the original Converge.
#[test]
fn values_keep_their_kind() {
    check(&[
        ("{{if param `b`}}a{{else}}b{{end}}", "b"),
        ("{{if not (param `b`)}}a{{end}}{{param `b` | not}}", "atrue"),
        ("{{if lookup `task.a.status.exitstatus`}}a{{else}}b{{end}}", "b"),
        (
            "{{if param `empty`}}a{{else}}b{{end}}{{if param `list`}}c{{end}}{{with param `n`}}{{.}}{{end}}",
            "bc5",
        ),
        ("{{range param `list`}}{{.}};{{end}}{{len (param `list`)}} {{index (param `list`) 0}}", "1;2;3;3 1"),
        ("{{(param `map`).a}} {{range $k, $v := param `map`}}{{$k}}{{$v}}{{end}}", "1 a1b2"),
        (
            "{{lt (param `n`) 10}} {{ge (param `f`) 2.5}} {{gt (param `f`) 2}} {{eq (param `n`) 5}}",
            "true true true true",
        ),
        ("{{range paramList `list`}}{{if gt . 1}}{{.}}{{end}}{{end}}", "23"),
        // This is the form in modules for the original Converge.
        (
            "{{eq (param `b`) `false`}} {{eq `5` (param `n`)}} {{ne (param `n`) `6`}} {{eq (param `f`) `2.5`}}",
            "true true true true",
        ),
        (
            "{{eq 1 `1`}} {{eq `a` 1}} {{eq true `true`}} {{eq (param `list`) `[1 2 3]`}}",
            "true false true true",
        ),
        ("{{lt (param `n`) `10`}} {{gt `10.5` (param `n`)}}", "true true"),
        ("{{print (param `n`) (param `n`)}} {{split `,` (param `n`)}} {{len (param `n`)}}", "55 [5] 1"),
        ("{{slice (param `f`) 0 1}} {{index (param `f`) 1}} {{env (param `n`)}}", "2 46 "),
        (
            "{{jsonify (param `n`)}} {{jsonify (param `b`)}} {{paramList `list` | jsonify}}",
            r#""5" "false" ["1","2","3"]"#,
        ),
        (
            "{{eq 9007199254740993 9007199254740992.0}} {{lt 1 1.5}} {{lt -1.5 -1}} {{lt 1 1e300}}",
            "false true true true",
        ),
        ("{{lt (param `n`) `abc`}}", "error 2..22: `lt` cannot compare an integer with a string"),
        ("{{lt 1 `1`}}", "error 2..10: `lt` cannot compare an integer with a string"),
    ]);
}

/// A missing key is an error where it is used, and can be tested for.
#[test]
fn a_missing_key_is_an_error_with_its_place() {
    check(&[
        ("{{(paramMap `map`).zzz}}", "error 18..22: there is no `zzz` in the map"),
        ("{{(paramMap `deep`).x.y}} {{(paramMap `deep`).xx}}", "error 45..48: there is no `xx` in the map"),
        ("{{$x := (paramMap `map`).zzz}}a{{$x}}", "error 24..28: there is no `zzz` in the map"),
        ("{{(paramMap `map`).zzz.b | len}}", "error 18..22: there is no `zzz` in the map"),
        ("{{index (paramMap `map`) `zzz`}}", "error 2..30: there is no `zzz` in the map"),
        (
            "{{range paramList `words`}}{{(paramMap `map`).c}}{{end}}",
            "error 45..47: there is no `c` in the map",
        ),
        ("{{eq (paramMap `map`).zzz `x`}}", "error 21..25: there is no `zzz` in the map"),
        (
            "{{define `t`}}{{.}}{{end}}{{template `t`}}",
            "error 37..40: the template uses its dot, but is called without a value",
        ),
        ("{{if (paramMap `map`).zzz}}a{{else}}b{{end}}{{or (paramMap `map`).zzz `c`}}", "bc"),
        (
            "{{not (paramMap `map`).zzz}} {{eq (paramMap `map`).zzz nil}} {{ne nil (paramMap `map`).a}}",
            "true true true",
        ),
        ("{{with (paramMap `map`).zzz.y}}{{.}}{{else}}b{{end}}", "b"),
        ("{{print nil}}", "error 2..11: `nil` has no text"),
        ("{{paramList `holes`}}", "error 2..19: an item of the value is null, which has no text"),
        ("{{range paramList `holes`}}[{{.}}]{{end}}{{index (paramMap `deep`) `gone`}}", "[a][]"),
    ]);
    assert_eq!(evaluate("{{(paramMap `map`).zzz}}"), "error 18..22: there is no `zzz` in the map");
    assert_eq!(evaluate("{{or nil nil}}"), "error 2..12: `nil` has no text");
}

#[test]
fn one_action_keeps_its_type() {
    let check = |template: &str, expect: &str| assert_eq!(evaluate(template), expect, "{template}");
    check("{{paramList `words`}}", r#"["a", "b"]"#);
    check("{{paramMap `map`}}", "{a = 1, b = 2}");
    check("{{lookup `list`}}", "[1, 2, 3]");
    check("{{split `,` `a,b`}}", r#"["a", "b"]"#);
    check("{{eq 1 1}}", "true");
    check("{{len `abc`}}", "3");
    check(
        "{{platform}}",
        "{OS = \"linux\", Name = \"Debian\", PrettyName = \"\", Version = \"12\", Build = \"\", LinuxDistribution = \"\", LinuxLSBLike = \"\", \
         Family = \"linux\", Distribution = \"\", MajorVersion = \"12\", Codename = \"\", Architecture = \"\", Kernel = \"\", Hostname = \"\", FQDN = \"\", \
         Address = \"\", Interface = \"\", Gateway = \"\", Addresses = [], Interfaces = [], CPUs = 0, MemoryMiB = 0, SwapMiB = 0, Mounts = [], \
         Virtualization = \"\", InitSystem = \"\", SELinux = \"\"}",
    );
    check(
        "{{paramList `part`}}",
        r#"["a", Unknown(task.part)]"#.replace("Unknown(task.part)", "(known after apply)").as_str(),
    );
    check("{{param `n`}}", "5");
    check("{{nil}}", "error 2..5: `nil` is not a value on its own");
    // More than one action gives text.
    check("{{paramList `words`}} ", "[a b] ");
    check("{{$x := paramList `words`}}", "");
    check("text", "text");
}

/// Very many templates are in memory at once, nearly all of them as small as this one.
#[test]
fn a_plain_use_of_a_parameter_is_small() {
    let name = 16 + size_of::<usize>();
    let parts = [
        size_of::<Template>(),
        size_of::<Node>(),
        size_of::<Call>(),
        size_of::<Expr>(),
        name,
        size_of::<Reference>(),
    ];
    assert!(parts.iter().sum::<usize>() <= 256, "{parts:?}");
}

#[test]
fn only_braces_need_parsing() {
    assert!(Template::is_literal("a } { b }}"));
    assert!(!Template::is_literal("a {{"));
}
