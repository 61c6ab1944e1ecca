//! Tests of numbers and conversions.

use super::check;

#[test]
fn numbers() {
    check(&[
        ("min(12, 54, 3)", "3"),
        ("max(12, 54.5, 3)", "54.5"),
        (r#"max("10", 9)"#, "10"),
        ("min([1, 2]...)", "1"),
        ("max([1])", "error at [1]: `max` needs a number here, not a list"),
        ("sum([10, 13, 6, 4.5])", "33.5"),
        (r#"sum(["1", 2])"#, "3"),
        ("sum([])", "error at []: sum: an empty list has no sum"),
        ("sum([1, []])", "error at [1, []]: sum: the item 1 must be a number, not a list"),
        (
            "sum([9223372036854775807, 1])",
            "error at sum([9223372036854775807, 1]): sum: the result does not fit into a number",
        ),
        ("abs(-12.4)", "12.4"),
        ("abs(0)", "0"),
        ("floor(4.9)", "4"),
        ("floor(-4.1)", "-5"),
        ("ceil(5.1)", "6"),
        ("ceil(5)", "5"),
        ("ceil(-0.5)", "0"),
        (r#"floor("a")"#, r#"error at "a": `floor` needs a number here, not "a""#),
    ]);
}

#[test]
fn conversions() {
    check(&[
        ("tostring(1)", r#""1""#),
        ("tostring(0)", r#""0""#),
        ("tostring(-10)", r#""-10""#),
        ("tostring(9223372036854775807)", r#""9223372036854775807""#),
        ("tostring(-9223372036854775807 - 1)", r#""-9223372036854775808""#),
        ("tostring(1.50)", r#""1.5""#),
        ("tostring(1e21)", r#""1000000000000000000000""#),
        ("tostring(true)", r#""true""#),
        ("tostring(null)", "null"),
        ("tostring([])", "error at []: `tostring` needs a string here, not a list"),
        (r#"tonumber("1.50")"#, "1.5"),
        (r#"tonumber("-3")"#, "-3"),
        (r#"tonumber("1e3")"#, "1000"),
        (r#"tonumber("no")"#, r#"error at "no": `tonumber` needs a number here, not "no""#),
        (r#"tonumber("")"#, r#"error at "": `tonumber` needs a number here, not """#),
        (r#"tonumber("inf")"#, r#"error at "inf": `tonumber` needs a number here, not "inf""#),
        (
            r#"tonumber("9223372036854775808")"#,
            r#"error at "9223372036854775808": `tonumber` needs a number here, not "9223372036854775808""#,
        ),
        ("tonumber(true)", "error at true: `tonumber` needs a number here, not a bool"),
        ("tonumber(null)", "null"),
        (r#"tobool("true")"#, "true"),
        (r#"tobool("no")"#, r#"error at "no": `tobool` needs true or false here, not "no""#),
        ("tobool(1)", "error at 1: `tobool` needs true or false here, not an integer"),
        ("tolist([2, 1])", "[2, 1]"),
        ("tolist({})", "error at {}: `tolist` needs a list here, not a map"),
        (r#"toset(["c", "b", "b"])"#, r#"["b", "c"]"#),
        ("toset([2, 10, 1.0, 1])", "[1, 2, 10]"),
        ("toset([[2], [1], [2]])", "[[1], [2]]"),
        ("tomap({a = 1})", "{a = 1}"),
    ]);
}
