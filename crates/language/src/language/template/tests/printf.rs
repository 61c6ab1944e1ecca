//! Tests of `printf` against the output of Go 1.19.

use super::{Template, TestScope, render};

#[track_caller]
fn check(args: &str, expect: &str) {
    assert_eq!(render(&format!("{{{{printf {args}}}}}")), expect, "printf {args}");
}

#[test]
fn verbs() {
    check("`%s %v %d %t` `a` `b` 5 true", "a b 5 true");
    check("`%q %q %#q %+q` `a\"b` 'x' `raw` `é`", r#""a\"b" 'x' `raw` "\u00e9""#);
    check("`%x %X %# x % x` `hi` 255 `hi` `hi`", "6869 FF 0x68 0x69 68 69");
    check("`%o %#o %O %b %#x %c %U` 8 8 8 5 255 65 233", "10 010 0o10 101 0xff A U+00E9");
    check(
        "`%e %f %g %G %E` 1234.5 1234.5 1234567.0 1e-7 0.5",
        "1.234500e+03 1234.500000 1.234567e+06 1E-07 5.000000E-01",
    );
    check("`%T %T %T` 1 `a` 1.5", "int string float64");
    check("`%d%%` 5", "5%");
    check("`%v %d` (lookup `list`) (lookup `list`)", "[1 2 3] [1 2 3]");
    check("`%q` (paramList `words`)", r#"["a" "b"]"#);
    check("`%v` (paramMap `map`)", "map[a:1 b:2]");
    check("`[%s]` (lookup `task.a.null`)", "[]");
}

#[test]
fn flags_width_and_precision() {
    check("`[%5d] [%-5d] [%05d] [%+d] [% d]` 42 42 42 42 42", "[   42] [42   ] [00042] [+42] [ 42]");
    check("`[%5s] [%-5s] [%.2s] [%5.1s]` `abc` `abc` `abc` `é`", "[  abc] [abc  ] [ab] [    é]");
    check("`[%06d] [%.3d] [%6.3d] [%x]` -42 7 7 -255", "[-00042] [007] [   007] [-ff]");
    check(
        "`[%8.2f] [%-8.2f] [%08.2f] [%+.1f] [%.0f]` 3.14159 3.14159 -3.14159 2.0 2.5",
        "[    3.14] [3.14    ] [-0003.14] [+2.0] [2]",
    );
    check(
        "`[%.3g] [%.10g] [%g] [%g]` 1234.5678 1234.5678 100000.0 0.0001",
        "[1.23e+03] [1234.5678] [100000] [0.0001]",
    );
    check("`[%*d] [%-*d] [%.*f]` 5 42 5 42 1 3.14159", "[   42] [42   ] [3.1]");
    check("`[%6t] [%6v]` true false", "[  true] [ false]");
    check("`[%5t] [%5q]` true `a`", "[ true] [  \"a\"]");
}

#[test]
fn arguments_chosen_by_number() {
    check("`%[2]s %[1]s` `a` `b`", "b a");
    check("`%[1]d %[1]x %o` 64 8", "64 40 10");
    check("`%[3]*.[2]*[1]f` 12.0 2 6", " 12.00");
    check("`%[1]s` `a` `extra`", "a");
    check("`%d %d %#[1]o %#o` 11 12", "11 12 013 014");
    let chooses =
        |format: &str| refuse(&format!("`{format}` 1 2"), &format!("`{format}`"), "chooses a value");
    for format in ["%[3]d", "%[0]d", "%[x]d", "%[]d", "%[1]2d", "%[1].2d", "%[1d", "%.[]s", "%3.[2]d%[5]d"] {
        chooses(format);
    }
    refuse("`%[2]d %d` 1 2", "`%[2]d %d`", "there is no value for the verb 3, `%d`");
    refuse("`%[` 1", "`%[`", "ends inside of a verb");
    refuse("`%-[1]` 1", "`%-[1]`", "ends inside of a verb");
}

#[test]
fn a_value_of_the_module_prints_as_text_and_as_what_it_is() {
    check(
        "`%d %05d %s %q %v` (param `n`) (param `n`) (param `n`) (param `n`) (param `n`)",
        "5 00005 5 \"5\" 5",
    );
    check("`%t %s` (param `b`) (param `b`)", "false false");
    check("`%.1f %s` (param `f`) (param `f`)", "2.5 2.5");
    check("`%d %s` (paramList `list`) (paramList `list`)", "[1 2 3] [1 2 3]");
    check("`%03d` (lookup `task.a.status.exitstatus`)", "000");
}

/// A mistake that Go writes into the output is an error at the value or the format.
///
/// An example is `%!d(string=a)`.
#[test]
fn a_mistake_never_reaches_the_text() {
    refuse("`%d` `a`", "`a`", "`%d` cannot print a string; `%v` prints any value");
    refuse("`%s` 5", "5", "`%s` cannot print an integer");
    refuse("`%s` true", "true", "`%s` cannot print a bool");
    refuse("`%d` 1.5", "1.5", "`%d` cannot print a number with a fraction");
    refuse("`%d` (param `s`)", "param `s`", "`%d` cannot print a string");
    refuse("`%d` (param `null`)", "param `null`", "`%d` cannot print null");
    refuse("`%d`", "`%d`", "there is no value for the verb 1, `%d`");
    refuse("`a` 1 `b`", "1", "the format has no verb for this value");
    refuse("`a` nil", "nil", "the format has no verb for this value");
    refuse("`%z` 1", "`%z`", "there is no verb `%z`");
    refuse("`5%`", "`5%`", "the format ends inside of a verb; `%%` is a percent sign");
    refuse("`%s` nil", "nil", "`nil` has no text");
    refuse("`%v` nil", "nil", "`nil` has no text");
    refuse("`%s` (paramList `holes`)", "paramList `holes`", "an item of the value is null");
    refuse("`%s` (paramMap `map`).none", ".none", "there is no `none` in the map");
    refuse("`%*d` `x` 1", "`x`", "`*` needs a whole number from -1000000 to 1000000");
    refuse("`%.*f` -1 2.5", "-1", "`*` needs a whole number from 0 to 1000000");
    refuse("`%*d`", "`%*d`", "there is no value for `*`");
}

/// Asserts that the call fails with this message at this part of the call.
#[track_caller]
fn refuse(args: &str, place: &str, message: &str) {
    let template = format!("{{{{printf {args}}}}}");
    let error = Template::parse(&template).unwrap().render(&TestScope::new()).unwrap_err();
    let underlined = &template[error.range.start as usize..error.range.end as usize];
    assert_eq!(underlined, place, "printf {args}: {error}");
    assert!(error.to_string().contains(message), "printf {args}: {error}");
}
