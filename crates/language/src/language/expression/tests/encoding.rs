//! Tests of JSON, YAML, base64, hash, file and path functions.

use super::check;

#[test]
fn json() {
    check(&[
        (r#"jsonencode({hello = "world"})"#, r#""{\"hello\":\"world\"}""#),
        ("jsonencode({b = 1, a = [true, null, 1.5]})", r#""{\"a\":[true,null,1.5],\"b\":1}""#),
        (r#"jsonencode("<a>&")"#, r#""\"\\u003ca\\u003e\\u0026\"""#),
        ("jsonencode([])", r#""[]""#),
        ("jsonencode(1e21)", r#""1.0e+21""#),
        ("jsonencode(-12345678901234567890.0)", r#""-1.2345678901234567e+19""#),
        ("jsonencode(1e15)", r#""1000000000000000""#),
        ("jsondecode(jsonencode(1e21)) == 1e21", "true"),
        (
            r#"jsondecode("{\"id\": 98765432109876543210}")"#,
            "error at \"{\\\"id\\\": 98765432109876543210}\": jsondecode: the number 98765432109876543210 is out of range; quotes make a text of it",
        ),
        (
            r#"jsondecode("[9223372036854775807, \"98765432109876543210\"]")"#,
            r#"[9223372036854775807, "98765432109876543210"]"#,
        ),
        (r#"jsondecode("\ufeff{\"a\": 1}")"#, "{a = 1}"),
        (
            "jsonencode({b = [1, {}], a = [], c = null}, 2)",
            r#""{\n  \"a\": [],\n  \"b\": [\n    1,\n    {}\n  ],\n  \"c\": null\n}""#,
        ),
        ("jsonencode(\"x\", 4)", r#""\"x\"""#),
        ("jsonencode([1], 0)", "error at 0: jsonencode: there are 1 to 16 spaces"),
        ("jsonencode([1], 17)", "error at 17: jsonencode: there are 1 to 16 spaces"),
        (r#"jsondecode("{\"hello\": \"world\"}")"#, r#"{hello = "world"}"#),
        (r#"jsondecode("[1, 2.0, 1.5, true, null]")"#, "[1, 2, 1.5, true, null]"),
        (r#"jsondecode("true")"#, "true"),
        (
            r#"jsondecode("{")"#,
            r#"error at "{": jsondecode: this is not JSON: EOF while parsing an object at line 1 column 1"#,
        ),
        ("jsondecode(jsonencode(param.users)) == param.users", "true"),
    ]);
}

#[test]
fn yaml() {
    check(&[
        (r#"yamlencode({a = "b", c = "d"})"#, r#""\"a\": \"b\"\n\"c\": \"d\"\n""#),
        (r#"yamlencode({foo = [1, 2, 3], bar = "baz"})"#, r#""\"bar\": \"baz\"\n\"foo\":\n- 1\n- 2\n- 3\n""#),
        (
            r#"yamlencode({foo = [1, {a = "b", c = "d"}, 3], bar = "baz"})"#,
            r#""\"bar\": \"baz\"\n\"foo\":\n- 1\n- \"a\": \"b\"\n  \"c\": \"d\"\n- 3\n""#,
        ),
        (
            "yamlencode({a = {b = {c = [[1], []]}}, d = {}})",
            r#""\"a\":\n  \"b\":\n    \"c\":\n    - - 1\n    - []\n\"d\": {}\n""#,
        ),
        (r#"yamlencode("a\tb")"#, r#""\"a\\tb\"\n""#),
        ("yamlencode([true, null, 1.5])", r#""- true\n- null\n- 1.5\n""#),
        (r#"yamlencode({a = "x\ny\n"})"#, r#""\"a\": |\n  x\n  y\n""#),
        (r#"yamlencode({a = "x\ny"})"#, r#""\"a\": |-\n  x\n  y\n""#),
        (r#"yamlencode({a = "x\n\n"})"#, r#""\"a\": |+\n  x\n\n""#),
        (r#"yamlencode([{a = " x\ny"}])"#, r#""- \"a\": |2-\n     x\n    y\n""#),
        (r#"yamlencode("x \ny")"#, r#""\"x \\ny\"\n""#),
        ("yamlencode({})", r#""{}\n""#),
        (r#"yamldecode("\ufeffa: 1")"#, "{a = 1}"),
    ]);
}

#[test]
fn every_number_comes_back_from_a_document() {
    for number in [
        "0",
        "-1",
        "1.5",
        "1e-7",
        "1e15",
        "1e18",
        "9.3e18",
        "1e20",
        "-1e20",
        "1.25e300",
        "1.7976931348623157e308",
        "5e-324",
    ] {
        for (encode, decode) in [("jsonencode", "jsondecode"), ("yamlencode", "yamldecode")] {
            check(&[(&*format!("{decode}({encode}([{number}]))[0] == {number}"), "true")]);
        }
    }
}

#[test]
fn byte_order_marks_are_no_content() {
    check(&[
        (r#"csvdecode("\ufeffname\nada\n")"#, r#"[{name = "ada"}]"#),
        (r#"inidecode("\ufeff[web]\nport = 80\n")"#, r#"{web = {port = "80"}}"#),
        (r#"inidecode("\ufeffport = 80\n")"#, r#"{port = "80"}"#),
    ]);
}

#[test]
fn base64_and_hashes() {
    check(&[
        (r#"base64encode("Hello World")"#, r#""SGVsbG8gV29ybGQ=""#),
        (r#"base64encode("")"#, r#""""#),
        (r#"base64encode("a")"#, r#""YQ==""#),
        (r#"base64decode("SGVsbG8gV29ybGQ=")"#, r#""Hello World""#),
        (r#"base64decode("YQ==")"#, r#""a""#),
        (r#"base64decode("YWI=")"#, r#""ab""#),
        (r#"base64decode("YWJ=")"#, r#""ab""#),
        (r#"base64decode("Y\r\nWI=\n")"#, r#""ab""#),
        (r#"base64decode("====")"#, r#"error at "====": base64decode: this is not base64"#),
        (r#"base64decode("YQ")"#, r#"error at "YQ": base64decode: this is not base64"#),
        (r#"base64decode("Y!==")"#, r#"error at "Y!==": base64decode: this is not base64"#),
        (r#"base64decode("YQ==YQ==")"#, r#"error at "YQ==YQ==": base64decode: this is not base64"#),
        (
            r#"base64decode("/w==")"#,
            r#"error at "/w==": base64decode: this is base64 of something that is not text"#,
        ),
        (r#"sha256("hello world")"#, r#""b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9""#),
        (r#"sha256("")"#, r#""e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855""#),
    ]);
}

#[test]
fn files() {
    check(&[
        (r#"file("motd")"#, r#""hello\n""#),
        (r#"file("gone")"#, "error at \"gone\": gone is not there"),
        (r#"templatefile("motd.tmpl", {name = "ada"})"#, r#""hello ada\n""#),
        (r#"templatefile("loop.tmpl", {names = ["a", "b"]})"#, r#""<a><b>linux""#),
        (
            r#"templatefile("bad.tmpl", {})"#,
            "error at templatefile(\"bad.tmpl\", {}): templatefile: bad.tmpl:2: the action is not closed: `}}` is missing",
        ),
        (
            r#"templatefile("param.tmpl", {})"#,
            "error at templatefile(\"param.tmpl\", {}): templatefile: param.tmpl:1: param: a file with variables sees no parameters: give it as a variable, as in `{s = param.s}`",
        ),
        (r#"templatefile("param.tmpl")"#, r#""text""#),
        (r#"templatefile("param.tmpl", null)"#, r#""text""#),
        (r#"templatefile("lines.tmpl", {yes = true}, {trim_lines = true})"#, r#""a\n""#),
        (r#"templatefile("lines.tmpl", {yes = true}, {trim_lines = false})"#, r#""\na\n\n""#),
        (
            r#"templatefile("lines.tmpl", {}, {trim = true})"#,
            "error at templatefile(\"lines.tmpl\", {}, {trim = true}): templatefile: the only option is written {trim_lines = true}",
        ),
        (r#"fileexists("gone")"#, "false"),
        (r#"fileexists("conf.d")"#, "error at \"conf.d\": conf.d is a folder"),
        (r#"fileset("conf.d", "*")"#, r#"[".b", "a.conf"]"#),
        (r#"fileset("conf.d/", "**/{a,b}.*")"#, r#"["a.conf", "tls/b.conf", "tls/b.pem"]"#),
        (r#"fileset("conf.d", "tls/*.conf")"#, r#"["tls/b.conf"]"#),
        (r#"fileset("conf.d", "none/*")"#, "[]"),
        (r#"fileset("gone", "*")"#, "error at \"gone\": there is no folder gone"),
        (
            r#"fileset("conf.d", "{a")"#,
            "error at \"{a\": fileset: \"{a\" is not a pattern of files: a `{` in it is not closed; the character is `\\{`",
        ),
        (
            r#"fileset("conf.d", "../*")"#,
            "error at \"../*\": fileset: \"../*\" is not a pattern of files: it leads out of the folder with `..`",
        ),
        (
            r#"fileset("endless", "**/x")"#,
            "error at fileset(\"endless\", \"**/x\"): this takes too many steps: it has too many iterations, or makes too many or too large values",
        ),
        (r#"basename("foo/bar/baz.txt")"#, r#""baz.txt""#),
        (r#"basename("foo/")"#, r#""foo""#),
        (r#"basename("")"#, r#"".""#),
        (r#"basename("/")"#, r#""/""#),
        (r#"dirname("foo/bar/baz.txt")"#, r#""foo/bar""#),
        (r#"dirname("baz.txt")"#, r#"".""#),
        (r#"dirname("/etc")"#, r#""/""#),
        (r#"dirname("a/../b//c")"#, r#""b""#),
        (r#"dirname("foo/")"#, r#""foo""#),
    ]);
}
