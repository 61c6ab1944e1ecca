//! Tests of functions of lists and maps, and of conditional functions.

use super::check;

#[test]
fn lists() {
    check(&[
        ("length([])", "0"),
        (r#"length(["a", "b"])"#, "2"),
        ("length({a = 1})", "1"),
        (r#"length("héllo")"#, "5"),
        ("length(5)", "error at 5: `length` needs a list, a map or a string here, not an integer"),
        ("length(null)", "error at null: `length` needs a list, a map or a string here, not null"),
        (r#"pluck([{a = 1}, {a = [2]}], "a")"#, "[1, [2]]"),
        (r#"pluck([], "a")"#, "[]"),
        (r#"pluck([{a = 1}, {b = 2}], "a", "none")"#, r#"[1, "none"]"#),
        (r#"pluck([{a = 1}, {b = 2}], "a")"#, r#"error at [{a = 1}, {b = 2}]: pluck: item 1 has no key "a""#),
        (r#"pluck([1], "a")"#, "error at [1]: pluck: item 0 must be a map, not an integer"),
        (r#"pluck({}, "a")"#, "error at {}: `pluck` needs a list here, not a map"),
        (r#"concat(["a", ""], ["b"], [])"#, r#"["a", "", "b"]"#),
        ("concat([1], 2)", "error at 2: `concat` needs a list here, not an integer"),
        (r#"contains(["a", "b"], "b")"#, "true"),
        (r#"contains([1, 2], "1")"#, "false"),
        ("contains([1, 2], 1.0)", "true"),
        ("contains([], 1)", "false"),
        (r#"distinct(["a", "b", "a", "c", "b"])"#, r#"["a", "b", "c"]"#),
        ("distinct([1, 1.0, \"1\"])", r#"[1, "1"]"#),
        (r#"compact(["a", "", "b", null, "c"])"#, r#"["a", "b", "c"]"#),
        ("compact([[]])", "error at [[]]: compact: an item must be a string, not a list"),
        (r#"flatten([["a", "b"], [], ["c"]])"#, r#"["a", "b", "c"]"#),
        (r#"flatten([[["a"], []], ["c", [["d"]]]])"#, r#"["a", "c", "d"]"#),
        ("flatten([])", "[]"),
        ("reverse([1, 2, 3])", "[3, 2, 1]"),
        (r#"sort(["e", "d", "a", "x"])"#, r#"["a", "d", "e", "x"]"#),
        ("sort([10, 9])", r#"["10", "9"]"#),
        (r#"element(["a", "b", "c"], 1)"#, r#""b""#),
        (r#"element(["a", "b", "c"], 3)"#, r#""a""#),
        (r#"element(["a", "b", "c"], -1)"#, r#""c""#),
        ("element([], 0)", "error at []: element: an empty list has no items"),
        (r#"slice(["a", "b", "c", "d"], 1, 3)"#, r#"["b", "c"]"#),
        ("slice([1, 2], 2, 2)", "[]"),
        ("slice([1, 2], 0, 3)", "error at 3: slice: 3 is out of range: the length is 2"),
        ("slice([1, 2], 2, 1)", "error at 1: slice: the end comes before the start"),
        ("setunion([\"b\", \"a\"], [\"b\", \"c\"])", r#"["a", "b", "c"]"#),
    ]);
}

#[test]
fn range() {
    check(&[
        ("range(3)", "[0, 1, 2]"),
        ("range(1, 4)", "[1, 2, 3]"),
        ("range(1, 8, 2)", "[1, 3, 5, 7]"),
        ("range(4, 1)", "[4, 3, 2]"),
        ("range(10, 5, -2)", "[10, 8, 6]"),
        ("range(1, 4, 0.5)", "[1, 1.5, 2, 2.5, 3, 3.5]"),
        ("range(0)", "[]"),
        ("range(-2)", "[0, -1]"),
        ("range(1, 4, -1)", "[]"),
        ("range(4, 1, 1)", "[]"),
        ("range(1, 2, 0)", "error at 0: range: the step must not be 0"),
        ("range(9223372036854775806, 9223372036854775807, 5)", "[9223372036854775806]"),
        (
            "range(1e17, 2e17, 0.5)",
            "error at range(1e17, 2e17, 0.5): range: the step is too small for these numbers",
        ),
    ]);
}

#[test]
fn maps() {
    check(&[
        ("keys({c = 2, a = 1, d = 3})", r#"["a", "c", "d"]"#),
        ("values({c = 2, a = 1, d = 3})", "[1, 2, 3]"),
        ("keys({})", "[]"),
        (r#"merge({a = "b", c = "d"}, {e = "f", c = "z"})"#, r#"{a = "b", c = "z", e = "f"}"#),
        ("merge({a = 1}, null, {b = 2})", "{a = 1, b = 2}"),
        ("merge({a = {x = 1}}, {a = {y = 2}})", "{a = {y = 2}}"),
        ("merge({}, [])", "error at []: `merge` needs a map here, not a list"),
        (r#"zipmap(["a", "b"], [1, 2])"#, "{a = 1, b = 2}"),
        (r#"zipmap(["a", "a"], [1, 2])"#, "{a = 2}"),
        (r#"zipmap(["a"], [])"#, "error at zipmap([\"a\"], []): zipmap: there are 1 keys and 0 values"),
        (r#"lookup({a = "ay", b = "bee"}, "a", "what?")"#, r#""ay""#),
        (r#"lookup({a = "ay", b = "bee"}, "c", "what?")"#, r#""what?""#),
        (r#"lookup(param.map, "a")"#, "1"),
        (
            r#"lookup({port = 1}, "prt")"#,
            "error at \"prt\": there is no `prt` in the map; did you mean `port`?",
        ),
        ("keys([1])", "error at [1]: `keys` needs a map here, not a list"),
    ]);
}

#[test]
fn choices() {
    check(&[
        (r#"coalesce("a", "b")"#, r#""a""#),
        (r#"coalesce("", "b")"#, r#""b""#),
        ("coalesce(null, 0, 1)", "0"),
        (r#"coalesce(["", "b"]...)"#, r#""b""#),
        (r#"coalesce("", null)"#, "error at coalesce(\"\", null): coalesce: every value is null or empty"),
        (r#"try(param.map.gone, "default")"#, r#""default""#),
        ("try(param.map.a, 0)", "1"),
        ("try(param.map.gone, param.map[\"b\"], 0)", "2"),
        ("try(1 / 0, 2)", "2"),
        (
            "try(param.map.gone, param.list[7])",
            "error at 7: try: no argument has a value; the last one: the index 7 is out of range: the length is 3",
        ),
        ("[for x in [1, 0] : try([for y in [x] : 4 / y], x)]", "[[4], 0]"),
        ("can(param.map.a)", "true"),
        ("can(param.map.gone)", "false"),
        ("can(param.gone)", "false"),
        (r#"can(tonumber("5"))"#, "true"),
    ]);
}
