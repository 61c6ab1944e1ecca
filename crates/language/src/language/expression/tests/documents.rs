//! Tests of YAML, CSV, INI and hash functions.

use std::fmt::Write as _;

use super::check;

#[test]
fn yaml_is_read() {
    check(&[
        (r#"yamldecode("")"#, "null"),
        ("yamldecode(\"# nothing\\n---\\n\")", "null"),
        (
            r#"yamldecode("a: 1\nb: [x, 1.5, 0x1f, 0o17, 1e3]\nc: {d: ~}\n")"#,
            r#"{a = 1, b = ["x", 1.5, 31, 15, 1000], c = {d = null}}"#,
        ),
        // Text that other parsers read as bools, numbers or times stays text.
        (
            r#"yamldecode("[yes, on, No, 1:30, 2026-01-01, 0b1, 1_000, 007, '1', \"true\", +1, .5, 1.]")"#,
            r#"["yes", "on", "No", "1:30", "2026-01-01", "0b1", "1_000", 7, "1", "true", 1, 0.5, 1]"#,
        ),
        (
            r#"yamldecode("a: |\n  one\n  two\nb: >-\n  one\n  two\n")"#,
            r#"{a = "one\ntwo\n", b = "one two"}"#,
        ),
        (r#"yamldecode("a: &x [1]\nb: *x\n")"#, "{a = [1], b = [1]}"),
        (r#"yamldecode("!!str 5")"#, r#""5""#),
        (r#"yamldecode("1: a\ntrue: b\n")"#, r#"{1 = "a", true = "b"}"#),
        (
            r#"yamldecode("a: 1\nb: 2\na: 3\n")"#,
            r#"error at "a: 1\nb: 2\na: 3\n": yamldecode: this is not valid YAML: line 3: the key `a` is written twice"#,
        ),
        (
            r#"yamldecode("a\n---\nb")"#,
            r#"error at "a\n---\nb": yamldecode: this is not valid YAML: line 3: there is more than one document"#,
        ),
        (
            r#"yamldecode("a: !x 5")"#,
            r#"error at "a: !x 5": yamldecode: this is not valid YAML: line 1: tags are not supported"#,
        ),
        (
            r#"yamldecode("<<: {a: 1}")"#,
            r#"error at "<<: {a: 1}": yamldecode: this is not valid YAML: line 1: `<<` is not supported; merge maps with the function `merge`"#,
        ),
        (
            r#"yamldecode("99999999999999999999")"#,
            r#"error at "99999999999999999999": yamldecode: this is not valid YAML: line 1: the number is too large; quotes make a text of it"#,
        ),
        (
            r#"yamldecode("[a: b: c")"#,
            r#"error at "[a: b: c": yamldecode: this is not valid YAML: line 1: while parsing a flow mapping, did not find expected ',' or '}'"#,
        ),
        (
            r#"yamldecode("[1]: a")"#,
            r#"error at "[1]: a": yamldecode: this is not valid YAML: line 1: a key must be a text"#,
        ),
        ("yamldecode(param.secret)", r#"secret "hunter2""#),
    ]);
}

/// A few lines of YAML that expand to more than memory can hold are refused.
#[test]
fn what_yaml_means_is_limited() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\\n".to_owned();
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        let _ = write!(text, "a{level}: &a{level} [{items}]\\n");
    }
    let call = format!("yamldecode(\"{text}\")");
    let expect = format!(
        "error at {call}: this takes too many steps: it has too many iterations, or makes too many or too large values"
    );
    check(&[(&call, &expect)]);
    let deep = format!("\"{}x\"", "- ".repeat(70));
    let expect = "yamldecode: this is not valid YAML: line 1: there are more than 64 levels of nesting";
    check(&[(&format!("yamldecode({deep})"), &format!("error at {deep}: {expect}"))]);
}

#[test]
fn csv() {
    check(&[
        (r#"csvdecode("a,b\n1,2\n3,4\n")"#, r#"[{a = "1", b = "2"}, {a = "3", b = "4"}]"#),
        (r#"csvdecode("a,b\r\n1,\r\n")"#, r#"[{a = "1", b = ""}]"#),
        (r#"csvdecode("a\n\"x, \"\"y\"\"\nz\"")"#, r#"[{a = "x, \"y\"\nz"}]"#),
        (r#"csvdecode("a,b\n\n1,2")"#, r#"[{a = "1", b = "2"}]"#),
        (r#"csvdecode("a\n")"#, "[]"),
        (
            r#"csvdecode("a,b\n1\n")"#,
            r#"error at "a,b\n1\n": csvdecode: row 2: 1 fields, but the first row has 2"#,
        ),
        (
            r#"csvdecode("a,a\n1,2\n")"#,
            r#"error at "a,a\n1,2\n": csvdecode: row 1: two columns have one name"#,
        ),
        (r#"csvdecode("a\n\"x")"#, r#"error at "a\n\"x": csvdecode: row 2: a `"` is not closed"#),
        (
            r#"csvdecode("a\n\"x\"y")"#,
            r#"error at "a\n\"x\"y": csvdecode: row 2: after a closing `"` there must be a comma or the end of the line"#,
        ),
        (
            r#"csvdecode("a\nx\"y\"")"#,
            r#"error at "a\nx\"y\"": csvdecode: row 2: a `"` stands inside of a field that does not begin with one"#,
        ),
        (r#"csvencode([{b = "x,y", a = 1}, {a = "\"", b = ""}])"#, r#""a,b\n1,\"x,y\"\n\"\"\"\",\n""#),
        ("csvencode([])", r#""""#),
        (r#"csvencode([{a = ""}])"#, r#""a\n\"\"\n""#),
        (
            "csvencode([{a = 1}, {b = 1}])",
            "error at [{a = 1}, {b = 1}]: csvencode: the item 1 has other keys than the first one",
        ),
        (
            "csvencode([{a = []}])",
            "error at [{a = []}]: csvencode: the item 0 has a list at `a`, which is not text",
        ),
        ("csvencode([1])", "error at [1]: csvencode: the item 0 must be a map, not an integer"),
    ]);
}

#[test]
fn ini() {
    check(&[
        (
            r#"inidecode("; c\n# c\nx = 1\n[a b]\n y=2 ; not a comment\nskip\n[c]\nz = a = b\nz=\n")"#,
            r#"{x = "1", a b = {y = "2 ; not a comment", skip = null}, c = {z = ["a = b", ""]}}"#,
        ),
        (r#"inidecode("[a]\nx=1\n[b]\n[a]\ny=2\r\n")"#, r#"{a = {x = "1", y = "2"}, b = {}}"#),
        (r#"inidecode("")"#, "{}"),
        (r#"inidecode("[a\n")"#, r#"error at "[a\n": inidecode: line 1: a section is written `[name]`"#),
        (
            r#"inidecode("\n=1")"#,
            r#"error at "\n=1": inidecode: line 2: there is no key in front of the `=`"#,
        ),
        (
            r#"inidecode("a=1\n[a]\n")"#,
            r#"error at "a=1\n[a]\n": inidecode: line 2: `a` is a key and a section"#,
        ),
        (
            r#"iniencode({b = {y = ["1", 2], x = null}, a = {}, z = "", k = true})"#,
            r#""k = true\nz =\n\n[a]\n\n[b]\nx\ny = 1\ny = 2\n""#,
        ),
        ("iniencode({})", r#""""#),
        (
            r#"iniencode({a = "x\ny"})"#,
            r#"error at {a = "x\ny"}: iniencode: the value of `a` has a line end, or white space at an end, which INI cannot hold"#,
        ),
        (r#"iniencode({"a=b" = 1})"#, r#"error at {"a=b" = 1}: iniencode: "a=b" cannot be a key of INI"#),
        (
            r#"iniencode({"a]" = {}})"#,
            r#"error at {"a]" = {}}: iniencode: "a]" cannot be the name of a section"#,
        ),
        (
            "iniencode({a = {b = {}}})",
            "error at {a = {b = {}}}: iniencode: `b` must be a text, a list of texts or null, not a map",
        ),
    ]);
}

#[test]
fn hashes() {
    check(&[
        (r#"md5("")"#, r#""d41d8cd98f00b204e9800998ecf8427e""#),
        (r#"sha1("")"#, r#""da39a3ee5e6b4b0d3255bfef95601890afd80709""#),
        (
            r#"sha512("abc")"#,
            r#""ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f""#,
        ),
        (r#"base64sha256("")"#, r#""47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=""#),
        (
            r#"uuidv5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.terraform.io")"#,
            r#""a5008fae-b28c-5ba5-96cd-82b4c53552d6""#,
        ),
        (r#"uuidv5("dns", "www.terraform.io")"#, r#""a5008fae-b28c-5ba5-96cd-82b4c53552d6""#),
        (
            r#"uuidv5("x", "a")"#,
            r#"error at "x": uuidv5: the namespace must be `dns`, `url`, `oid`, `x500` or a UUID"#,
        ),
    ]);
}

/// Expected hashes are those of glibc's `crypt(3)`.
#[test]
fn password_hashes() {
    let long = "p".repeat(200);
    let cases = [
        (
            "Hello world!",
            r#""saltstring""#,
            "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
        ),
        (
            "Hello world!",
            r#""saltstringsaltst", 10000"#,
            "$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.",
        ),
        (
            "This is just a test",
            r#""toolongsaltstrin", 5000"#,
            "$6$rounds=5000$toolongsaltstrin$lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0",
        ),
        (
            &long,
            r#""ab./Z9", 1000"#,
            "$6$rounds=1000$ab./Z9$TpwGzoC3GN7JzFDObAgjjaAgzv8OLPcBYR8rp0DpAn0tuk9e8uJrGUOw0d0ZQxLOVMPxuMIrQLFaGnnXXkZy50",
        ),
        (
            "",
            r#""a""#,
            "$6$a$Z6IPkDduHdwavesVY2NFMpOHkigshxPYdhfLg0D3A7/XFQcso9RV2E8qczyJ2su.dj6RRLaTpvgwN1rZfK0I9.",
        ),
        (
            "grüße",
            r#""x""#,
            "$6$x$sCiDbTW13WG7g3O38DOHAULYvnfQGVSRbiEY4nOSyPmMSaqLBcgiaKIqeSUdKW7z48F01Rn8Tqh3uvl53opLU.",
        ),
    ];
    for (password, rest, expect) in cases {
        check(&[(&format!("sha512crypt({password:?}, {rest})"), &format!("{expect:?}"))]);
    }
    check(&[
        (
            r#"sha512crypt("a", "")"#,
            r#"error at "": sha512crypt: a salt has 1 to 16 of the letters, the digits, `.` and `/`"#,
        ),
        (
            r#"sha512crypt("a", "a$b")"#,
            r#"error at "a$b": sha512crypt: a salt has 1 to 16 of the letters, the digits, `.` and `/`"#,
        ),
        (
            r#"sha512crypt("a", "b", 10)"#,
            "error at 10: sha512crypt: the number of rounds must be from 1000 to 100000",
        ),
        (
            r#"sha512crypt(join("", [for x in range(513) : "a"]), "b")"#,
            r#"error at join("", [for x in range(513) : "a"]): sha512crypt: a password has at most 512 bytes"#,
        ),
        (r#"issensitive(sha512crypt(param.secret, "b"))"#, "true"),
    ]);
}
