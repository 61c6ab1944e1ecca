//! Tests of the propagation of unknown and secret values, and of work limits.

use super::check;

#[test]
fn unknown_operands() {
    check(&[
        ("param.unknown + 1", "Unknown(task.first)"),
        ("1 + param.unknown", "Unknown(task.first)"),
        ("param.other + param.unknown", "Unknown(task.second)"),
        ("-param.unknown", "Unknown(task.first)"),
        ("!param.unknown", "Unknown(task.first)"),
        ("param.unknown == 1", "Unknown(task.first)"),
        ("param.unknown == param.unknown", "Unknown(task.first)"),
        ("param.part == 1", "Unknown(task.part)"),
        ("param.unknown && false", "Unknown(task.first)"),
        ("false && param.unknown", "false"),
        ("true && param.unknown", "Unknown(task.first)"),
        ("param.unknown || true", "Unknown(task.first)"),
        ("true || param.unknown", "true"),
        ("param.unknown ? 1 : 2", "Unknown(task.first)"),
        ("param.yes ? 1 : param.unknown", "1"),
        ("param.unknown < 3", "Unknown(task.first)"),
        ("param.unknown.a.b", "Unknown(task.first)"),
        ("param.unknown[0]", "Unknown(task.first)"),
        ("param.list[param.unknown]", "Unknown(task.first)"),
        ("param.unknown[*].name", "Unknown(task.first)"),
        ("\"a {{param `unknown`}}\" == \"a\"", "Unknown(task.first)"),
    ]);
}

#[test]
fn unknown_items() {
    check(&[
        ("[param.unknown, 1]", "[(known after apply), 1]"),
        ("[param.unknown, 1][1]", "1"),
        ("[param.unknown, 1][0]", "Unknown(task.first)"),
        ("length(param.part)", "2"),
        ("param.part[1]", r#""a""#),
        ("param.partmap.k", r#""a""#),
        ("keys(param.partmap)", r#"["k", "u"]"#),
        ("values(param.partmap)", r#"["a", (known after apply)]"#),
        ("concat(param.part, [1])", r#"[(known after apply), "a", 1]"#),
        ("merge(param.partmap, {u = 1})", r#"{u = 1, k = "a"}"#),
        ("element(param.part, 1)", r#""a""#),
        ("lookup(param.partmap, \"k\")", r#""a""#),
        ("lookup(param.partmap, param.unknown)", "Unknown(task.first)"),
        ("zipmap([\"a\"], [param.unknown])", "{a = (known after apply)}"),
        ("zipmap([param.unknown], [1])", "Unknown(task.first)"),
        ("join(\",\", param.part)", "Unknown(task.part)"),
        ("jsonencode(param.partmap)", "Unknown(task.part)"),
        ("length(param.unknown)", "Unknown(task.first)"),
        ("contains(param.part, \"a\")", "Unknown(task.part)"),
        ("upper(param.unknown)", "Unknown(task.first)"),
        ("max(param.unknown...)", "Unknown(task.first)"),
        ("[for x in param.part : x]", r#"[(known after apply), "a"]"#),
        ("[for x in param.unknown : x]", "Unknown(task.first)"),
        ("[for x in param.part : x if x == \"a\"]", "Unknown(task.part)"),
        ("{for x in param.part : x => 1}", "Unknown(task.part)"),
        ("{for i, x in param.part : i => x}", r#"{0 = (known after apply), 1 = "a"}"#),
        ("{(param.unknown) = 1}", "Unknown(task.first)"),
        ("param.part[*]", r#"[(known after apply), "a"]"#),
        ("[param.partmap, param.unknown][*].k", r#"["a", (known after apply)]"#),
        ("coalesce(\"a\", param.unknown)", r#""a""#),
        ("coalesce(\"\", param.unknown)", "Unknown(task.first)"),
        ("templatefile(\"loop.tmpl\", {names = param.words, other = param.unknown})", r#""<a><b>linux""#),
        ("templatefile(\"motd.tmpl\", {name = param.unknown})", "Unknown(task.first)"),
    ]);
}

#[test]
fn unknown_attempts() {
    check(&[
        ("try(param.unknown, 1)", "Unknown(task.first)"),
        ("try([param.unknown + 1], 1)", "Unknown(task.first)"),
        ("try(length([param.unknown + 1]), 5)", "Unknown(task.first)"),
        ("try(length([param.unknown]), 5)", "1"),
        ("try(param.map.gone, param.unknown)", "Unknown(task.first)"),
        ("can(param.unknown.name)", "Unknown(task.first)"),
        ("can([param.unknown + 1][5])", "false"),
    ]);
}

#[test]
fn secrets() {
    check(&[
        ("param.secretnumber + 1", "secret 8"),
        ("-param.secretnumber", "secret -7"),
        ("param.secretnumber == 7", "secret true"),
        ("param.secret == \"x\" || param.yes", "secret true"),
        ("param.secretnumber > 5 ? \"a\" : \"b\"", r#"secret "a""#),
        ("upper(param.secret)", r#"secret "HUNTER2""#),
        ("param.secretmap.password", r#"secret "hunter2""#),
        ("param.list[param.secretnumber - 6]", "secret 2"),
        ("param.secretlist[*]", r#"secret ["hunter2", "b"]"#),
        ("[for x in param.secretlist : length(x)]", "secret [(sensitive), (sensitive)]"),
        ("[for x in param.list : x if x == param.secretnumber - 5]", "secret [2]"),
        ("{for x in param.secrets : x => 1}", "secret {hunter2 = 1, a = 1}"),
        ("{(param.secret) = 1}", "secret {hunter2 = 1}"),
        ("length(param.secretlist)", "secret 2"),
        ("max(param.secretnumber, 9)", "secret 9"),
        ("zipmap(param.secrets, [1, 2])", "secret {hunter2 = 1, a = 2}"),
        ("\"pw {{param `secret`}}\" == \"\"", "secret false"),
        ("templatefile(\"motd.tmpl\", {name = param.secret})", r#"secret "hello hunter2\n""#),
        ("coalesce(param.secret, 1)", r#"secret "hunter2""#),
    ]);
}

#[test]
fn secret_items() {
    check(&[
        ("[param.secret, 1]", "[(sensitive), 1]"),
        ("param.secrets[1]", r#""a""#),
        ("param.secrets[0]", r#"secret "hunter2""#),
        ("length(param.secrets)", "2"),
        ("join(\",\", param.secrets)", r#"secret "hunter2,a""#),
        ("jsonencode({a = param.secret})", r#"secret "{\"a\":\"hunter2\"}""#),
        ("concat(param.secrets, [1])", r#"[(sensitive), "a", 1]"#),
        ("[for x in param.secrets : upper(x)]", r#"[(sensitive), "A"]"#),
        ("param.yes ? [param.secret] : []", "[(sensitive)]"),
        ("try([param.secret], 1)", "[(sensitive)]"),
    ]);
}

#[test]
fn errors_hide_secrets() {
    let hidden = "failed; the reason is not shown, because a value is secret";
    let hidden = |place: &str, at: &str| format!("error at {at}: {place}: {hidden}");
    let table = [
        ("param.secret + 1", hidden("`+`", "param.secret")),
        ("param.secret && true", hidden("`&&`", "param.secret")),
        ("param.secret ? 1 : 2", hidden("the condition", "param.secret")),
        ("tonumber(param.secret)", hidden("tonumber", "param.secret")),
        ("param.map[param.secret]", hidden("index", "param.secret")),
        ("param.secretmap.paswod", hidden("attribute", "paswod")),
        ("param.secretlist[9]", hidden("index", "9")),
        ("lookup(param.map, param.secret)", hidden("lookup", "param.secret")),
        ("lookup(param.secret)", hidden("lookup", "lookup(param.secret)")),
        ("file(param.secret)", hidden("file", "param.secret")),
        ("fileset(param.secret, \"*\")", hidden("fileset", "param.secret")),
        ("fileset(\"conf.d\", param.unknown)", "Unknown(task.first)".to_owned()),
        ("fileexists(param.secret)", "secret false".to_owned()),
        ("regex(param.secret, \"a\")", hidden("regex", "\"a\"")),
        ("jsondecode(param.secret)", hidden("jsondecode", "param.secret")),
        ("[for x in param.secret : x]", hidden("`for`", "param.secret")),
        ("{for x in [1, 2] : (param.secret) => x}", hidden("for", "param.secret")),
        ("{(param.secret) = 1, (upper(param.secret)) = 1, hunter2 = 2}", hidden("map", "hunter2")),
        ("zipmap(param.secrets, [])", hidden("zipmap", "zipmap(param.secrets, [])")),
        (
            "try(tonumber(param.secret))",
            hidden("tonumber", "param.secret").replacen(
                "tonumber:",
                "try: no argument has a value; the last one: tonumber:",
                1,
            ),
        ),
        (
            "upper(param.secretlist)",
            "error at param.secretlist: `upper` needs a string here, not a list".to_owned(),
        ),
        ("max(param.secretlist...)", hidden("max", "param.secretlist")),
        ("upper(param.secretlist...)", hidden("upper", "param.secretlist")),
    ];
    let table: Vec<(&str, &str)> = table.iter().map(|(text, expect)| (*text, expect.as_str())).collect();
    check(&table);
}

#[test]
fn attempts_are_as_secret_as_what_they_try() {
    check(&[
        ("can(tonumber(param.secret))", "secret false"),
        ("can(regex(\"h\", param.secret))", "secret true"),
        ("try(tonumber(param.secret), 0)", "secret 0"),
        ("try(length([tonumber(param.secret)]), 0)", "secret 0"),
        ("can(templatefile(\"loop.tmpl\", {names = param.secret}))", "secret false"),
        ("can(\"{{index (paramList `secretlist`) 7}}\")", "secret false"),
        ("can(param.map.gone)", "false"),
        ("[can(param.secret == \"\"), can(1)]", "[(sensitive), true]"),
    ]);
}

#[test]
fn work_is_limited() {
    let error =
        "this takes too many steps: it has too many iterations, or makes too many or too large values";
    let table = [
        ("range(1000000000000)", "range(1000000000000)"),
        ("can(range(1000000000000))", "range(1000000000000)"),
        ("try(range(1000000000000), 1)", "range(1000000000000)"),
        ("length([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : c]]])", "c"),
        ("indent(9000000000000000000, param.s)", "indent(9000000000000000000, param.s)"),
        ("[for i in range(300) : format(\"%1000000d\", i)]", "format(\"%1000000d\", i)"),
        (
            "[for i in range(500) : replace(format(\"%100000s\", \"\"), \" \", format(\"%100000s\", \"\"))]",
            "replace(format(\"%100000s\", \"\"), \" \", format(\"%100000s\", \"\"))",
        ),
        (
            "regex(format(\"(%100000s)*x\", \"\"), format(\"%1000000s\", param.s))",
            "regex(format(\"(%100000s)*x\", \"\"), format(\"%1000000s\", param.s))",
        ),
    ];
    let table: Vec<_> = table.iter().map(|(text, at)| (*text, format!("error at {at}: {error}"))).collect();
    let table: Vec<(&str, &str)> = table.iter().map(|(text, expect)| (*text, expect.as_str())).collect();
    check(&table);
}

/// Lists that are doubled repeatedly in nested loops hit the work limit.
#[test]
fn doubling_ends() {
    let mut text = "param.list".to_owned();
    for level in 0..20 {
        text = format!("flatten([for x{level} in [1, 2, 3] : {text}])");
    }
    assert!(super::evaluate(&text).ends_with("too large values"), "{}", super::evaluate(&text));
}

/// The deepest tree that the parser produces fits into the stack of a worker.
#[test]
fn depth_fits_into_a_small_stack() {
    let run = || {
        let mut text = "param.n".to_owned();
        for _ in 0..15 {
            text = format!("[try(1 + {text}, 2)][0]");
        }
        super::evaluate(&text)
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap();
    assert_eq!(thread.join().unwrap(), "20");
}
