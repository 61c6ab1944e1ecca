//! `printf`, with what Go 1.19 prints for the same call.

use super::render;

#[track_caller]
fn check(args: &str, expect: &str) {
    assert_eq!(render(&format!("{{{{printf {args}}}}}")), expect, "printf {args}");
}

#[test]
fn verbs() {
    check("`%s %v %d %t` `a` nil 5 true", "a <nil> 5 true");
    check("`%q %q %#q %+q` `a\"b` 'x' `raw` `é`", r#""a\"b" 'x' `raw` "\u00e9""#);
    check("`%x %X %# x % x` `hi` 255 `hi` `hi`", "6869 FF 0x68 0x69 68 69");
    check("`%o %#o %O %b %#x %c %U` 8 8 8 5 255 65 233", "10 010 0o10 101 0xff A U+00E9");
    check(
        "`%e %f %g %G %E` 1234.5 1234.5 1234567.0 1e-7 0.5",
        "1.234500e+03 1234.500000 1.234567e+06 1E-07 5.000000E-01",
    );
    check("`%T %T %T %T` 1 `a` 1.5 nil", "int string float64 <nil>");
    check("`%d%%` 5", "5%");
    check("`%v %d` (lookup `list`) (lookup `list`)", "[1 2 3] [1 2 3]");
    check("`%q` (paramList `words`)", r#"["a" "b"]"#);
    check("`%v %s` (paramMap `map`) (paramList `holes`)", "map[a:1 b:2] [a %!s(<nil>)]");
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
    check("`%[2]d %d` 1 2", "2 %!d(MISSING)");
    check("`%[1]s` `a` `extra`", "a");
    check("`%[3]d %[0]d %[x]d %[]d` 1 2", "%!d(BADINDEX) %!d(BADINDEX) %!d(BADINDEX) %!d(BADINDEX)");
    check("`%[1]2d %[1].2d` 1", "%!d(BADINDEX) %!d(BADINDEX)");
    check("`%[1d` 1", "%!d(BADINDEX)");
    check("`%.[]` 1", "%!](BADINDEX)");
    check("`%[5]d %[2]d %d` 1 2 3", "%!d(BADINDEX) 2 3");
    check("`%3.[2]d` 7", "%!d(BADINDEX)");
    check("`%d %d %d %#[1]o %#o %#o %#o` 11 12 13", "11 12 13 013 014 015 %!o(MISSING)");
    check("`%[` 1", "%!(NOVERB)");
    check("`%-[1]` 1", "%!(NOVERB)");
}

#[test]
fn mistakes_are_printed_as_go_prints_them() {
    check("`%d` `a`", "%!d(string=a)");
    check("`%s` 5", "%!s(int=5)");
    check("`%s` true", "%!s(bool=true)");
    check("`%d` 1.5", "%!d(float64=1.5)");
    check("`%d`", "%!d(MISSING)");
    check("`a` 1 `b`", "a%!(EXTRA int=1, string=b)");
    check("`a` nil", "a%!(EXTRA <nil>)");
    check("`%z` 1", "%!z(int=1)");
    check("`5%`", "5%!(NOVERB)");
    check("`%s` nil", "%!s(<nil>)");
    check("`%*d` `x` 1", "%!(BADWIDTH)1");
}
