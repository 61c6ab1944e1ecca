//! Tests of set functions on lists, and of functions that reshape lists and maps.

use super::check;

#[test]
fn sets() {
    check(&[
        (r#"setintersection(["b", "a"], ["a", "b", "c"], ["b"])"#, r#"["b"]"#),
        ("setintersection([1, 2], [1.0, 3])", "[1]"),
        ("setintersection([1], [])", "[]"),
        (r#"setintersection(["a"])"#, r#"["a"]"#),
        (r#"setsubtract(["a", "b", "a"], ["b"])"#, r#"["a"]"#),
        ("setsubtract([], [1])", "[]"),
        (r#"setproduct(["a"], [], ["b"])"#, "[]"),
        ("setproduct([1, 2], [3])", "[[1, 3], [2, 3]]"),
        (r#"setsubtract("a", [])"#, r#"error at "a": `setsubtract` needs a list here, not "a""#),
        (
            "setproduct(range(3000), range(3000))",
            "error at setproduct(range(3000), range(3000)): this takes too many steps: it has too many iterations, or makes too many or too large values",
        ),
        ("setsubtract(param.part, [])", "Unknown(task.part)"),
        (r#"setintersection(param.secrets, ["a"])"#, r#"secret ["a"]"#),
    ]);
}

#[test]
fn membership() {
    check(&[
        (r#"in("a", ["a", "b"])"#, "true"),
        (r#"in("1", [1])"#, "false"),
        (r#"in("a", {a = 1})"#, "true"),
        (r#"in("b", {a = 1})"#, "false"),
        (r#"in("ell", "hello")"#, "true"),
        ("in(1, 2)", "error at 2: `in` needs a list, a map or a string here, not an integer"),
        (r#"index(["a", "b", "b"], "b")"#, "1"),
        (r#"index(["a"], "b")"#, r#"error at "b": index: no item of the list equals this"#),
        (r#"matchkeys([1, 2, 3], ["a", "b", "a"], ["a"])"#, "[1, 3]"),
        (
            r#"matchkeys([1], [], ["a"])"#,
            r#"error at matchkeys([1], [], ["a"]): matchkeys: there are 1 values and 0 keys"#,
        ),
        ("alltrue([])", "true"),
        ("alltrue([true, false])", "false"),
        ("anytrue([])", "false"),
        (r#"anytrue([false, "true"])"#, "true"),
        ("anytrue([1])", "error at [1]: anytrue: the item 0 must be true or false, not an integer"),
    ]);
}

#[test]
fn shapes() {
    check(&[
        ("list()", "[]"),
        (r#"list("a", [1], null)"#, r#"["a", [1], null]"#),
        ("length(list(param.unknown, param.secret))", "2"),
        (r#"dict("b", 1, "a", [2])"#, "{b = 1, a = [2]}"),
        ("dict()", "{}"),
        (r#"dict("a")"#, r#"error at dict("a"): dict: the last key has no value"#),
        (r#"dict("a", 1, "a", 2)"#, r#"error at "a": dict: the key `a` is given twice"#),
        ("dict([], 1)", "error at []: `dict` needs a string here, not a list"),
        (r#"keys(dict("a", param.unknown))"#, r#"["a"]"#),
        ("dict(param.unknown, 1)", "Unknown(task.first)"),
        ("dict(param.secret, 1)", "secret {hunter2 = 1}"),
        (
            "dict(param.secret, 1, param.secret, 2)",
            "error at param.secret: dict: failed; the reason is not shown, because a value is secret",
        ),
        ("chunklist([1, 2, 3, 4], 2)", "[[1, 2], [3, 4]]"),
        ("chunklist([1, 2], 0)", "[[1, 2]]"),
        ("chunklist([], 2)", "[]"),
        ("chunklist([1], -1)", "error at -1: chunklist: the size must not be negative"),
        ("one([])", "null"),
        ("one([5])", "5"),
        ("one([1, 2])", "error at [1, 2]: one: the list must have at most one item, but has 2"),
        ("coalescelist(null, [], [1], [2])", "[1]"),
        ("coalescelist([])", "error at coalescelist([]): coalescelist: every list is empty"),
        (r#"transpose({a = ["x", "y"], b = ["x"], c = []})"#, r#"{x = ["a", "b"], y = ["a"]}"#),
        (r#"transpose({a = "x"})"#, r#"error at {a = "x"}: transpose: `a` must be a list, not a string"#),
    ]);
}

#[test]
fn deep_merges() {
    check(&[
        (
            "deepmerge({a = {x = 1, l = [1]}, b = 1}, {a = {y = 2, l = [2]}})",
            "{a = {x = 1, l = [2], y = 2}, b = 1}",
        ),
        ("deepmerge({a = {x = 1}}, {a = 5}, {a = {y = 1}})", "{a = {y = 1}}"),
        ("deepmerge({a = {x = 1}}, null, {a = {x = null}})", "{a = {x = null}}"),
        ("deepmerge({a = param.unknown, b = 1}, {b = 2})", "{a = (known after apply), b = 2}"),
        ("deepmerge({a = param.unknown}, {a = 1})", "{a = 1}"),
        // The unknown value may turn out to be a map, whose other entries would stay.
        ("deepmerge({a = param.unknown}, {a = {x = 1}})", "{a = (known after apply)}"),
        ("issensitive(deepmerge({a = {x = 1}}, {a = param.secretmap}).a)", "true"),
        ("keys(deepmerge({a = {x = 1}}, {a = param.secretmap}))", r#"["a"]"#),
        ("deepmerge([])", "error at []: `deepmerge` needs a map here, not a list"),
    ]);
}
