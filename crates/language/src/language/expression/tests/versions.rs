//! Tests of versions, shell quoting and arithmetic.

use super::check;

#[test]
fn versions_have_an_order() {
    let order = [
        "0",
        "0.9",
        "1.0-alpha",
        "1.0-alpha.1",
        "1.0-alpha.beta",
        "1.0-rc.2",
        "1.0-rc.11",
        "1.0",
        "1.0.1",
        "1.2",
        "1.10",
        "2",
        "20.04",
    ];
    for (left_index, left) in order.iter().enumerate() {
        for (right_index, right) in order.iter().enumerate() {
            let expect = match left_index.cmp(&right_index) {
                std::cmp::Ordering::Less => "-1",
                std::cmp::Ordering::Equal => "0",
                std::cmp::Ordering::Greater => "1",
            };
            check(&[(&format!("versioncmp({left:?}, {right:?})"), expect)]);
        }
    }
    check(&[
        (r#"versioncmp("v1.2", "1.2.0+build.5")"#, "0"),
        (r#"versioncmp("1.01", "1.1")"#, "0"),
        (r#"versioncmp("99999999999999999999999", "99999999999999999999998")"#, "1"),
        (r#"versioncmp("5.15.0-91-generic", "5.4")"#, "1"),
        ("versioncmp(1.5, 1)", "1"),
        (
            r#"versioncmp("1.x", "1")"#,
            r#"error at "1.x": versioncmp: "1.x" is not a version, such as `1.2.3` or `2.0-rc.1`"#,
        ),
        (
            r#"versioncmp("1", "1:2.3")"#,
            r#"error at "1:2.3": versioncmp: "1:2.3" is not a version, such as `1.2.3` or `2.0-rc.1`"#,
        ),
        (
            r#"versioncmp("1", "")"#,
            r#"error at "": versioncmp: "" is not a version, such as `1.2.3` or `2.0-rc.1`"#,
        ),
    ]);
}

#[test]
fn versions_meet_constraints() {
    let cases = [
        ("1.4", ">= 1.2, < 2", true),
        ("2.0", ">= 1.2, < 2", false),
        ("1.2", ">1.2", false),
        ("1.2", "<=1.2", true),
        ("1.2", "1.2.0", true),
        ("1.2", "= 1.2", true),
        ("1.2", "== 1.3", false),
        ("1.2", "!= 1.3", true),
        ("1.2.9", "~> 1.2.3", true),
        ("1.3.0", "~> 1.2.3", false),
        ("1.2.2", "~> 1.2.3", false),
        ("1.9", "~> 1.2", true),
        ("2.0", "~> 1.2", false),
        ("1.9", "~> 1", true),
        ("2.0", "~> 1", false),
    ];
    for (version, constraints, expect) in cases {
        check(&[(
            &format!("versionmatches({version:?}, {constraints:?})"),
            if expect { "true" } else { "false" },
        )]);
    }
    check(&[
        (
            r#"versionmatches("1", ">= 1,")"#,
            r#"error at ">= 1,": versionmatches: "" is not a version, such as `1.2.3` or `2.0-rc.1`"#,
        ),
        (
            r#"versionmatches("1", "=> 1")"#,
            r#"error at "=> 1": versionmatches: "> 1" is not a version, such as `1.2.3` or `2.0-rc.1`"#,
        ),
    ]);
}

#[test]
fn words_for_shells() {
    check(&[
        (r#"quote("plain-1.2/x:y,z@h+%_")"#, r#""plain-1.2/x:y,z@h+%_""#),
        (r#"quote("")"#, r#""''""#),
        (r#"quote("a b")"#, r#""'a b'""#),
        (r#"quote("A=b")"#, r#""'A=b'""#),
        (r#"quote("~")"#, r#""'~'""#),
        (r#"quote("'")"#, r#""''\\'''""#),
        (r#"quote(["a", "b c", 5])"#, r#""a 'b c' 5""#),
        ("quote([])", r#""""#),
        ("quote([[]])", "error at [[]]: quote: the item 0 must be a string, not a list"),
        (r#"quote("a\u0000")"#, r#"error at "a\u0000": quote: a word of a shell cannot hold a zero byte"#),
        ("quote(param.secret)", r#"secret "hunter2""#),
        ("quote(param.unknown)", "Unknown(task.first)"),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        ("add(1, 2, 3)", "6"),
        (r#"add("1", 0.5)"#, "1.5"),
        ("sub(1, 3)", "-2"),
        ("mul(3, 0.5)", "1.5"),
        ("div(7, 2)", "3.5"),
        ("div(6, 2)", "3"),
        ("div(1, 0)", "error at 0: div: division by zero"),
        ("mod(-7, 3)", "-1"),
        ("mod(7.5, 2)", "1.5"),
        ("mod(7, 0.0)", "error at 0.0: mod: division by zero"),
        (
            "add(9223372036854775807, 1)",
            "error at add(9223372036854775807, 1): add: the result does not fit into a number",
        ),
        ("sub([], 1)", "error at []: `sub` needs a number here, not a list"),
        ("pow(2, 62)", "4611686018427387904"),
        ("pow(2, -1)", "0.5"),
        ("pow(4, 0.5)", "2"),
        ("pow(10, 400)", "error at pow(10, 400): pow: the result does not fit into a number"),
        ("pow(-1, 0.5)", "error at pow(-1, 0.5): pow: the result does not fit into a number"),
        ("log(1000, 10)", "3"),
        ("log(0, 10)", "error at 0: log: only a number above 0 has a logarithm"),
        ("log(2, 1)", "error at 1: log: the base must be above 0, and not 1"),
        ("signum(0)", "0"),
        ("signum(7)", "1"),
        (r#"parseint("-ff", 16)"#, "-255"),
        (r#"parseint("FF", 16)"#, "255"),
        (r#"parseint("0755", 8)"#, "493"),
        (r#"parseint("Z", 62)"#, "61"),
        (r#"parseint("12", 2)"#, r#"error at "12": parseint: this is not a whole number in base 2"#),
        (r#"parseint("", 10)"#, r#"error at "": parseint: this is not a whole number in base 10"#),
        (r#"parseint("1", 63)"#, "error at 63: parseint: the base must be from 2 to 62"),
        (
            r#"parseint("9223372036854775808", 10)"#,
            r#"error at parseint("9223372036854775808", 10): parseint: the result does not fit into a number"#,
        ),
    ]);
}

#[test]
fn kinds() {
    check(&[
        (r#"type("a")"#, r#""string""#),
        ("type(1.5)", r#""number""#),
        ("type(true)", r#""bool""#),
        ("type({})", r#""map""#),
        ("type(null)", r#""null""#),
        ("type([param.unknown])", r#""list""#),
        ("type(param.unknown)", "Unknown(task.first)"),
        ("type(param.secret)", r#"secret "string""#),
    ]);
}
