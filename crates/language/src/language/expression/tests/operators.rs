//! Tests of operators, names, indexes, splats and loops.

use super::check;

#[test]
fn arithmetic() {
    check(&[
        ("1 + 2", "3"),
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 - 10", "-3"),
        ("6 / 3", "2"),
        ("7 / 2", "3.5"),
        ("1.5 + 1.5", "3"),
        ("0.1 * 10", "1"),
        ("-7 % 3", "-1"),
        ("7 % -3", "1"),
        ("7.5 % 2", "1.5"),
        ("-param.n", "-5"),
        ("-(2.5)", "-2.5"),
        (r#""5" + 1"#, "6"),
        (r#""1.5" * "2""#, "3"),
        ("param.n * 2", "10"),
        ("9223372036854775807 + 1", "error at +: the result of `+` does not fit into a number"),
        ("param.n * 9223372036854775807", "error at *: the result of `*` does not fit into a number"),
        ("1 / 0", "error at 0: division by zero"),
        ("param.n % 0", "error at 0: division by zero"),
        ("1e308 * 1e308", "error at *: the result of `*` does not fit into a number"),
        (r#"1 + "a""#, r#"error at "a": `+` needs a number, not "a""#),
        (r#"1 + " 1""#, r#"error at " 1": `+` needs a number, not " 1""#),
        (r#"1 + "0x10""#, r#"error at "0x10": `+` needs a number, not "0x10""#),
        ("true + 1", "error at true: `+` needs a number, not a bool"),
        ("param.null - 1", "error at param.null: `-` needs a number, not null"),
        ("param.list + 1", "error at param.list: `+` needs a number, not a list"),
        ("-param.s", r#"error at param.s: `-` needs a number, not "text""#),
    ]);
}

#[test]
fn comparisons() {
    check(&[
        ("1 < 2", "true"),
        ("2 <= 2", "true"),
        ("2 > 10", "false"),
        (r#""10" > "9""#, "true"),
        ("2.5 >= 2", "true"),
        ("9007199254740993 > 9007199254740992", "true"),
        (r#""b" > "a""#, r#"error at "b": `>` needs a number, not "b""#),
        ("1 == 1.0", "true"),
        (r#""1" == 1"#, "false"),
        (r#""a" == "a""#, "true"),
        (r#""a" != "b""#, "true"),
        ("true == true", "true"),
        (r#"true == "true""#, "false"),
        ("null == null", "true"),
        ("param.null == null", "true"),
        ("param.s != null", "true"),
        ("param.list == [1, 2, 3.0]", "true"),
        ("[1, 2] == [2, 1]", "false"),
        ("param.map == {a = 1, b = 2}", "true"),
        ("param.map == {a = 1}", "false"),
    ]);
}

#[test]
fn logic() {
    check(&[
        ("true && false", "false"),
        ("true || false", "true"),
        ("!true", "false"),
        (r#"!"false""#, "true"),
        (r#""true" && "1""#, "true"),
        ("param.no && param.gone", "false"),
        ("param.yes || param.gone", "true"),
        ("param.n && true", "error at param.n: `&&` needs true or false, not an integer"),
        ("true || 1 < 2 && false", "true"),
        ("!param.null", "error at param.null: `!` needs true or false, not null"),
        (r#"!"yes""#, r#"error at "yes": `!` needs true or false, not "yes""#),
    ]);
}

#[test]
fn conditionals() {
    check(&[
        (r#"param.yes ? "0600" : "0644""#, r#""0600""#),
        (r#"param.no ? "0600" : "0644""#, r#""0644""#),
        ("param.yes ? 1 : param.gone", "1"),
        ("param.no ? param.gone : [1]", "[1]"),
        ("param.n > 3 ? param.n < 5 ? 1 : 2 : 3", "2"),
        (r#""true" ? 1 : 2"#, "1"),
        ("param.n ? 1 : 2", "error at param.n: the condition needs true or false, not an integer"),
        ("param.null ? 1 : 2", "error at param.null: the condition needs true or false, not null"),
    ]);
}

#[test]
fn names() {
    check(&[
        ("param.s", r#""text""#),
        (r#"param["s"]"#, r#""text""#),
        ("platform.os", r#""linux""#),
        ("platform.OS", r#""linux""#),
        ("platform.pretty_name", r#""Debian GNU/Linux 12""#),
        ("platform.PrettyName", r#""Debian GNU/Linux 12""#),
        ("platform.family", r#""debian""#),
        ("platform.LinuxDistribution", r#""debian""#),
        ("platform.distribution", r#""debian""#),
        ("platform.cpus * 2", "8"),
        ("platform.addresses[0]", r#""192.0.2.7""#),
        ("platform.mounts[0].options", r#"["ro"]"#),
        ("platform.gateway", r#""""#),
        ("env.HOME", r#""/root""#),
        ("env.GONE", r#""""#),
        ("self.destination", r#""/etc/motd""#),
        ("self.gone", "error at self.gone: there is no field `gone`"),
        ("each.key", r#""web""#),
        ("each.value.port", "80"),
        ("task.query.host.status.stdout", r#""web1\n""#),
        (r#"lookup("task.query.host.status.stdout")"#, r#""web1\n""#),
        (
            r#"lookup(format("task.query.%s.status.stdout", param.s))"#,
            "error at lookup(format(\"task.query.%s.status.stdout\", param.s)): nothing is at task.query.text.status.stdout",
        ),
        ("task.query.host", r#"{status = {stdout = "web1\n"}}"#),
        (r#"file.content.page["a.b"].destination"#, r#""/srv/a""#),
        ("param.gone", "error at param.gone: there is no parameter `gone`; did you mean `list`?"),
        ("task.no.x", "error at task.no.x: `task.no.x` has no value: case.no"),
        (r#""{{param `s`}}-{{param `n`}}" == "text-5""#, "true"),
    ]);
}

#[test]
fn items() {
    check(&[
        ("param.list[0]", "1"),
        ("param.list[param.n - 3]", "3"),
        (r#"param.list["1"]"#, "2"),
        ("[1, 2, 3][1.0]", "2"),
        ("param.list[3]", "error at 3: the index 3 is out of range: the length is 3"),
        ("param.list[-1]", "error at -1: the index -1 is out of range: the length is 3"),
        ("param.list[0.5]", "error at 0.5: the index needs a whole number, not a number with a fraction"),
        (r#"param.list["a"]"#, r#"error at "a": the index needs a whole number, not "a""#),
        ("param.map.a", "1"),
        (r#"param.map["b"]"#, "2"),
        ("param.map[param.words[1]]", "2"),
        ("{\"1\" = 5}[1]", "5"),
        ("param.map.A", "error at A: there is no `A` in the map; did you mean `a`?"),
        (r#"param.map["c"]"#, "error at \"c\": there is no `c` in the map"),
        ("param.map[null]", "error at null: the index needs a string, not null"),
        ("param.users[0].name", r#""ada""#),
        ("param.users.name", "error at name: a list has no `.name`; `[*].` takes it from every item"),
        ("param.s.name", "error at name: a string has no `.name`"),
        ("param.null.name", "error at name: null has no `.name`"),
        ("param.n[0]", "error at 0: only a list or a map has items, not an integer"),
    ]);
}

#[test]
fn splats() {
    check(&[
        ("param.users[*].name", r#"["ada", "bob"]"#),
        ("param.users.*.name", r#"["ada", "bob"]"#),
        ("param.users[*]", r#"[{name = "ada", admin = true}, {name = "bob", admin = false}]"#),
        ("param.null[*]", "[]"),
        ("param.null[*].name", "[]"),
        ("param.empty[*].name", "[]"),
        ("param.s[*]", r#"["text"]"#),
        ("param.map[*].a", "[1]"),
        ("[[1, 2], [3]][*][0]", "[1, 3]"),
        ("[[1, 2], [3], null][*][*]", "[[1, 2], [3], []]"),
        ("[{a = [{b = 1}, {b = 2}]}, {a = [{b = 3}]}][*].a[*].b", "[[1, 2], [3]]"),
        ("[{a = [{b = 1}]}].*.a.*.b", "[[1]]"),
        ("flatten([{a = [{b = 1}, {b = 2}]}, {a = [{b = 3}]}][*].a[*].b)", "[1, 2, 3]"),
        ("[{a = [{b = 1}]}][*].a[*].c", "error at c: there is no `c` in the map"),
        ("param.users[*].gone", "error at gone: there is no `gone` in the map"),
    ]);
}

#[test]
fn loops() {
    check(&[
        ("[for x in param.list : x * 2]", "[2, 4, 6]"),
        ("[for i, x in param.words : \"x\" == x ? i : -i]", "[0, -1]"),
        ("[for x in param.list : x if x != 2]", "[1, 3]"),
        ("[for k, v in param.map : k]", r#"["a", "b"]"#),
        ("[for v in param.map : v]", "[1, 2]"),
        ("{for x in param.words : x => upper(x)}", r#"{a = "A", b = "B"}"#),
        ("{for k, v in param.map : v => k}", r#"{1 = "a", 2 = "b"}"#),
        ("{for u in param.users : u.name => u.admin if u.admin}", "{ada = true}"),
        (
            "{for x in [\"a1\", \"b1\", \"a2\"] : substr(x, 0, 1) => x...}",
            r#"{a = ["a1", "a2"], b = ["b1"]}"#,
        ),
        (
            "{for x in [1, 1] : \"k\" => x}",
            "error at \"k\": the key `k` is given twice; `...` after the value collects them in a list",
        ),
        ("[for x in param.empty : 1 / x]", "[]"),
        ("[for x in [1, 2] : [for y in [3, 4] : x * y]]", "[[3, 4], [6, 8]]"),
        ("[for x in [1, 2] : [for x in [3] : x]]", "[[3], [3]]"),
        ("[for param in [{s = 1}] : param.s]", "[1]"),
        ("[for x in param.s : x]", r#"error at param.s: `for` needs a list or a map, not "text""#),
        ("[for x in param.null : x]", "error at param.null: `for` needs a list or a map, not null"),
        ("{for x in [null] : x => 1}", "error at x: a key needs a string, not null"),
        ("[for x in [1] : x if x]", "error at x: `if` needs true or false, not an integer"),
        ("[for x in param.list : x][1]", "2"),
    ]);
}

#[test]
fn maps() {
    check(&[
        ("{(param.s) = 1, b = 2}", "{text = 1, b = 2}"),
        ("{(1) = \"one\"}", r#"{1 = "one"}"#),
        ("{(param.s) = 1, text = 2}", "error at text: the key `text` is given twice"),
        ("{(param.list) = 1}", "error at param.list: a key needs a string, not a list"),
        ("{(param.null) = 1}", "error at param.null: a key needs a string, not null"),
        ("{\"{{param `s`}}\" = param.n}", "{text = 5}"),
    ]);
}

#[test]
fn spread() {
    check(&[
        ("max(param.list...)", "3"),
        ("max(9, param.list...)", "9"),
        ("merge([{a = 1}, {b = 2}]...)", "{a = 1, b = 2}"),
        ("max(param.s...)", r#"error at param.s: `...` needs a list, not "text""#),
        ("max(param.empty...)", "error at param.empty: `max` takes at least 1 argument, but got 0"),
        ("upper(param.words...)", "error at param.words: `upper` takes 1 argument, but got 2"),
    ]);
}
