//! Tests of functions of text, formats and regular expressions.

use super::check;

#[test]
fn text() {
    check(&[
        (r#"join(", ", ["a", "b"])"#, r#""a, b""#),
        (r#"join(", ", [])"#, r#""""#),
        (r#"join(", ", ["a"])"#, r#""a""#),
        (r#"join("-", ["a"], ["b", "c"])"#, r#""a-b-c""#),
        (r#"join("-", [1, true, 2.5])"#, r#""1-true-2.5""#),
        (r#"join("-", ["a", []])"#, "error at [\"a\", []]: join: the item 1 must be a string, not a list"),
        (r#"join("-", ["a", null])"#, "error at [\"a\", null]: join: the item 1 must be a string, not null"),
        (r#"join("-", "a")"#, r#"error at "a": `join` needs a list here, not "a""#),
        (r#"split(",", "a,b,c")"#, r#"["a", "b", "c"]"#),
        (r#"split(",", "")"#, r#"[""]"#),
        (r#"split(",", "a")"#, r#"["a"]"#),
        (r#"split(",", ",a,")"#, r#"["", "a", ""]"#),
        (r#"split("", "añb")"#, r#"["a", "ñ", "b"]"#),
        (r#"split("", "")"#, "[]"),
        (r#"lower("HÉLLO")"#, r#""héllo""#),
        (r#"upper("hé")"#, r#""HÉ""#),
        ("upper(1)", r#""1""#),
        ("upper([])", "error at []: `upper` needs a string here, not a list"),
        ("upper(null)", "error at null: `upper` needs a string here, not null"),
        (r#"title("hello world-wide o'neil")"#, r#""Hello World-Wide O'neil""#),
        (r#"trim("?!hello?!", "!?")"#, r#""hello""#),
        (r#"trim("foobar", "far")"#, r#""oob""#),
        (r#"trim("   hello! world.!  ", "! ")"#, r#""hello! world.""#),
        (r#"trim("a", "")"#, r#""a""#),
        (r#"trimprefix("helloworld", "hello")"#, r#""world""#),
        (r#"trimprefix("helloworld", "cat")"#, r#""helloworld""#),
        (r#"trimprefix("--hello", "-")"#, r#""-hello""#),
        (r#"trimsuffix("helloworld", "world")"#, r#""hello""#),
        (r#"trimspace("  hello\n\n")"#, r#""hello""#),
        (r#"chomp("hello\n")"#, r#""hello""#),
        (r#"chomp("hello\r\n\n")"#, r#""hello""#),
        (r#"chomp("hello ")"#, r#""hello ""#),
        (r#"substr("hello world", 1, 4)"#, r#""ello""#),
        (r#"substr("hello world", -5, -1)"#, r#""world""#),
        (r#"substr("hello world", -5, 3)"#, r#""wor""#),
        (r#"substr("hello world", 6, 10)"#, r#""world""#),
        (r#"substr("hello", 0, 0)"#, r#""""#),
        (r#"substr("hello", 9, 1)"#, r#""""#),
        (r#"substr("hello", -9, 2)"#, r#""he""#),
        (r#"substr("🤔🤷", 0, 1)"#, r#""🤔""#),
        (r#"substr("a", 0, -2)"#, "error at -2: substr: the length must be -1 or more"),
        (r#"startswith("hello world", "hello")"#, "true"),
        (r#"startswith("hello world", "world")"#, "false"),
        (r#"endswith("hello world", "world")"#, "true"),
        (r#"endswith("hello", "")"#, "true"),
        (r#"indent(2, "[\n  foo,\n]\n")"#, r#""[\n    foo,\n  ]\n""#),
        (r#"indent(2, "a:\n\n  b\r\n\r\nc")"#, r#""a:\n\n    b\r\n\r\n  c""#),
        (r#"indent(-1, "a")"#, "error at -1: indent: the number of spaces must not be negative"),
    ]);
}

#[test]
fn replace() {
    check(&[
        (r#"replace("1 + 2 + 3", "+", "-")"#, r#""1 - 2 - 3""#),
        (r#"replace("hello world", "/w.*d/", "everybody")"#, r#""hello everybody""#),
        (r#"replace("a1b22", "/[0-9]+/", "<$0>")"#, r#""a<1>b<22>""#),
        (r#"replace("ab", "/(a)(b)/", "${2}${1}")"#, r#""ba""#),
        (r#"replace("ab", "/(?P<x>a)/", "${x}${x}")"#, r#""aab""#),
        (r#"replace("a/b", "/", "-")"#, r#""a-b""#),
        (r#"replace("aa", "a", "$0")"#, r#""$0$0""#),
        (r#"replace("ab", "", "-")"#, r#""-a-b-""#),
        (
            r#"replace(param.s, "/(/", "")"#,
            r#"error at "/(/": replace: "(" is not a regular expression: found open group without closing ')'"#,
        ),
    ]);
}

#[test]
fn patterns() {
    check(&[
        (r#"regex("[a-z]+", "53453453.345345aaabbbccc23454")"#, r#""aaabbbccc""#),
        (r#"regex("(\\d\\d\\d\\d)-(\\d\\d)-(\\d\\d)", "2019-02-01")"#, r#"["2019", "02", "01"]"#),
        (
            r#"regex("^(?:(?P<scheme>[^:/?#]+):)?(?://(?P<authority>[^/?#]*))?", "https://example.org/docs")"#,
            r#"{scheme = "https", authority = "example.org"}"#,
        ),
        (r#"regex("(a)|(b)", "b")"#, r#"[null, "b"]"#),
        (r#"regex("x", "abc")"#, r#"error at "abc": regex: nothing in the text matches the pattern"#),
        (
            r#"regex("(a)(?P<n>b)", "ab")"#,
            r#"error at "(a)(?P<n>b)": regex: the groups must all have names, or none of them"#,
        ),
        (r#"regexall("[a-z]+", "1234abcd5678efgh9")"#, r#"["abcd", "efgh"]"#),
        (r#"length(regexall("[a-z]+", "123456789"))"#, "0"),
        (r#"regexall("(\\d)(\\w)", "1a 2b")"#, r#"[["1", "a"], ["2", "b"]]"#),
        (r#"regex("é.", "caféX")"#, r#""éX""#),
        (r#"can(regex("^\\d+$", param.s))"#, "false"),
    ]);
}

#[test]
fn format() {
    check(&[
        (r#"format("Hello, %s!", "Ander")"#, r#""Hello, Ander!""#),
        (r#"format("There are %d lights", 4)"#, r#""There are 4 lights""#),
        (r#"format("%s", 1.5)"#, r#""1.5""#),
        (r#"format("%s", true)"#, r#""true""#),
        (r#"format("%5.2f|%-6s|%06d|%+d", 3.14159, "ab", 42, 7)"#, r#"" 3.14|ab    |000042|+7""#),
        (r#"format("%x %X %o %b %x", 255, 255, 8, 5, "hi")"#, r#""ff FF 10 101 6869""#),
        (r#"format("%e %g", 1234.5, 0.5)"#, r#""1.234500e+03 0.5""#),
        (r#"format("%t %t", true, "false")"#, r#""true false""#),
        (r#"format("%q", "say \"hi\"")"#, r#""\"say \\\"hi\\\"\"""#),
        (r#"format("%v %v %v %v", "a", 1000000, true, null)"#, r#""a 1000000 true null""#),
        (r#"format("%v", [1, {a = "b"}])"#, r#""[1,{\"a\":\"b\"}]""#),
        (r#"format("%#v", "a")"#, r#""\"a\"""#),
        (r#"format("100%%")"#, r#""100%""#),
        (r#"format("%[2]s %[1]s", "a", "b")"#, r#""b a""#),
        (r#"format("%.2s|%10s", "héllo", "é")"#, r#""hé|         é""#),
        (r#"format("%d", "12")"#, r#""12""#),
        (
            r#"format("%d", 1.5)"#,
            "error at 1.5: `format` needs a whole number here, not a number with a fraction",
        ),
        (r#"format("%s", [])"#, "error at []: `format` needs a string here, not a list"),
        (r#"format("%s", null)"#, "error at null: `format` needs a string here, not null"),
        (r#"format("%s %s", "a")"#, r#"error at "%s %s": format: there is no value for the verb 2, `%s`"#),
        (r#"format("%s", "a", "b")"#, r#"error at "b": format: the format has no verb for this value"#),
        (r#"format("%y", 1)"#, r#"error at "%y": format: there is no verb `%y`"#),
        (
            r#"format("5%")"#,
            r#"error at "5%": format: the format ends inside of a verb; `%%` is a percent sign"#,
        ),
        (r#"format("%[0]s", "a")"#, r#"error at "%[0]s": format: there is no value for the verb 0, `%s`"#),
        (r#"format("%99999999d", 1)"#, r#"error at "%99999999d": format: a width can be at most 1000000"#),
        (r#"format("up on %s\n", task.query.host.status.stdout)"#, r#""up on web1\n\n""#),
    ]);
}
