//! Tests of modules in which several resources concern one thing.
//!
//! Such a module is refused at load with both names, or settles: the plan after an apply is empty. What only
//! the run can know is an error of the run with both names.

use super::env::Env;

/// The expected end of an apply.
enum Expect<'a> {
    /// The apply succeeds, the plan after it is empty, and these files have these modes or contents.
    Settles(&'a [(&'a str, State<'a>)]),
    /// The load fails with an error that contains these texts.
    Refused(&'a [&'a str]),
    /// The apply fails with an error that contains these texts.
    Undone(&'a [&'a str]),
}

enum State<'a> {
    Mode(u32),
    Content(&'a str),
    Missing,
}

use Expect::{Refused, Settles, Undone};
use State::{Content, Missing, Mode};

/// Applies a module in a folder with some files: `s/a`, `s/b`, `d/old`.
fn check(module: &str, expect: &Expect<'_>) {
    let env = Env::with("main.hcl", module);
    for (name, content) in
        [("s/a", "a\n"), ("s/b", "b\n"), ("t/c", "c\n"), ("d/old", "old\n"), ("d/sub/old", "old\n")]
    {
        env.write(name, content);
    }
    match expect {
        Refused(texts) => {
            let refused = env.run(&["validate", "main.hcl"]);
            texts.iter().fold(refused, |refused, text| refused.err_has(text)).code(1);
        }
        Undone(texts) => {
            let applied = env.run(&["apply", "main.hcl"]);
            texts.iter().fold(applied, |applied, text| applied.out_has(text)).code(1);
        }
        Settles(files) => {
            env.run(&["apply", "main.hcl"]).code(0);
            env.run(&["plan", "--detailed-exitcode", "main.hcl"]).code(0);
            for (name, state) in *files {
                check_state(&env, name, state);
            }
        }
    }
}

fn check_state(env: &Env, name: &str, state: &State<'_>) {
    let path = env.path().join(name);
    match state {
        #[cfg(unix)]
        Mode(expect) => {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
            assert_eq!(format!("{mode:o}"), format!("{expect:o}"), "{name}");
        }
        #[cfg(not(unix))]
        Mode(_) => {}
        Content(expect) => assert_eq!(std::fs::read_to_string(&path).unwrap(), *expect, "{name}"),
        Missing => assert!(!path.exists(), "{name}"),
    }
}

/// Returns a resource with these fields, each as `name = value`.
fn resource(header: &str, fields: &[&str]) -> String {
    format!("{header} {{\n  {}\n}}\n", fields.join("\n  "))
}

/// Returns a resource of one file.
fn file(header: &str, path: &str, fields: &[&str]) -> String {
    let destination = format!("destination = \"{path}\"");
    resource(header, &[&[&*destination], fields].concat())
}

#[test]
fn trees_leave_out_what_others_declare() {
    let tree =
        |kind: &str| file(&format!("{kind} \"tree\""), "d", &["mode = \"u=rwX,go=rX\"", "recursive = true"]);
    let secret = file("file.content \"secret\"", "d/x", &["content = \"s\"", "mode = 0600"]);
    check(
        &format!("{}{secret}", tree("file.mode")),
        &Settles(&[("d/x", Mode(0o600)), ("d/old", Mode(0o644))]),
    );
    let inner = file("file.mode \"inner\"", "d/sub", &["mode = \"u=rwX,go=\"", "recursive = true"]);
    check(
        &format!("{}{inner}", tree("file.mode")),
        &Settles(&[("d/sub", Mode(0o700)), ("d/sub/old", Mode(0o600)), ("d/old", Mode(0o644))]),
    );
    let folder = file("file.directory \"inner\"", "d/sub", &["mode = 0700"]);
    check(
        &format!("{}{folder}", tree("file.mode")),
        &Settles(&[("d/sub", Mode(0o700)), ("d/sub/old", Mode(0o644))]),
    );
}

#[test]
fn new_paths_have_the_mode_of_their_tree() {
    let tree = file("file.directory \"tree\"", "n", &["mode = \"u=rwX,go=rX\"", "recursive = true"]);
    let inner = file("file.directory \"sub\"", "n/sub", &[])
        + &file("file.content \"x\"", "n/sub/x", &["content = \"x\""]);
    check(&format!("{tree}{inner}"), &Settles(&[("n/sub", Mode(0o755)), ("n/sub/x", Mode(0o644))]));
    let copy = file("file.copy \"all\"", "n", &["source = \"d\""]);
    let private = file("file.mode \"old\"", "d/old", &["mode = 0600"]);
    check(&format!("{tree}{copy}{private}"), &Settles(&[("n/old", Mode(0o644)), ("n/sub", Mode(0o755))]));
}

#[test]
fn copies_leave_the_mode_to_a_tree() {
    let tree = file("file.mode \"tree\"", "d", &["mode = \"u=rwX,go=\"", "recursive = true"]);
    let copy = |fields: &[&str]| file("file.copy \"all\"", "d", &[&["source = \"s\""], fields].concat());
    check(&format!("{tree}{}", copy(&[])), &Settles(&[("d/a", Mode(0o600)), ("d/old", Mode(0o600))]));
    // Two written modes contradict each other.
    check(&format!("{tree}{}", copy(&["mode = 0644"])), &Undone(&["error[undone]: file.copy.all"]));
}

#[test]
fn copies_leave_out_what_others_declare() {
    let copy = |fields: &[&str]| file("file.copy \"all\"", "d", &[&["source = \"s\""], fields].concat());
    let mine = file("file.content \"a\"", "d/a", &["content = \"mine\""]);
    check(&format!("{}{mine}", copy(&[])), &Settles(&[("d/a", Content("mine")), ("d/b", Content("b\n"))]));
    let gone = file("file.absent \"a\"", "d/a", &[]);
    check(&format!("{}{gone}", copy(&[])), &Settles(&[("d/a", Missing), ("d/b", Content("b\n"))]));
    let part = file("file.line \"a\"", "d/a", &["line = \"more\""]);
    check(
        &format!("{}{part}", copy(&[])),
        &Undone(&["error[undone]: file.copy.all: `file.line.a` undid it later in this run"]),
    );
    let other = file("file.copy \"other\"", "d", &["source = \"s/a\""]).replace("\"d\"", "\"d/b\"");
    check(
        &format!("{}{other}", copy(&[])),
        &Undone(&["error[undone]: file.copy.", "undid it later in this run"]),
    );
    let mode = file("file.mode \"a\"", "d/a", &["mode = 0600"]);
    check(&format!("{}{mode}", copy(&[])), &Settles(&[("d/a", Mode(0o600))]));
    let extra = file("file.content \"extra\"", "d/sub/extra", &["content = \"x\""]);
    check(
        &format!("{}{extra}", copy(&["purge = true"])),
        &Settles(&[("d/sub/extra", Content("x")), ("d/old", Missing), ("d/sub/old", Missing)]),
    );
    let other = file("file.copy \"other\"", "d", &["source = \"t\""]);
    check(
        &format!("{}{other}", copy(&["purge = true"])),
        &Settles(&[("d/a", Content("a\n")), ("d/c", Content("c\n")), ("d/old", Missing)]),
    );
    let below = file("file.copy \"below\"", "d/sub", &["source = \"t\""]);
    check(
        &format!("{}{below}", copy(&["purge = true"])),
        &Settles(&[("d/a", Content("a\n")), ("d/sub/c", Content("c\n")), ("d/old", Missing)]),
    );
}

#[test]
fn parts_of_one_file() {
    let twice = |kind: &str, one: &[&str], two: &[&str], expect: &Expect<'_>| {
        let part = |name: &str, fields: &[&str]| file(&format!("{kind} \"{name}\""), "d/old", fields);
        check(&format!("{}{}", part("one", one), part("two", two)), expect);
    };
    let key = |value: &str| {
        [r#"section = "s""#.to_owned(), r#"key = "k""#.to_owned(), format!("value = \"{value}\"")]
    };
    let ini = |one: &str, two: &str, expect: &Expect<'_>| {
        let [one, two] = [key(one), key(two)];
        let fields = |key: &[String; 3]| key.iter().map(String::as_str).collect::<Vec<_>>().join("\n  ");
        twice("file.ini", &[&fields(&one)], &[&fields(&two)], expect);
    };
    ini("1", "2", &Refused(&["`file.ini.one` and `file.ini.two` both manage the key `s > k in d/old`"]));
    ini("1", "1", &Settles(&[]));
    twice(
        "file.block",
        &["content = \"1\""],
        &["content = \"2\""],
        &Refused(&["`file.block.one` and `file.block.two` both manage the block"]),
    );
    twice("file.block", &["content = \"1\""], &["content = \"2\"", "marker = \"; {mark} x\""], &Settles(&[]));
    let port = |port: &str| format!("line = \"port {port}\"\n  match = \"^port\"");
    twice(
        "file.line",
        &[&port("1")],
        &[&port("2")],
        &Refused(&["`file.line.one` replaces or removes the line of `file.line.two` in"]),
    );
    twice("file.line", &[&port("1")], &[&port("1")], &Settles(&[("d/old", Content("old\nport 1\n"))]));
    twice("file.line", &[&port("1")], &["line = \"host 2\""], &Settles(&[]));
    twice(
        "file.line",
        &["line = \"keep me\""],
        &["match = \"keep\"", "state = \"absent\""],
        &Refused(&["`file.line.two` replaces or removes the line of `file.line.one`"]),
    );
    twice(
        "file.line",
        &["line = \"keep me\""],
        &["line = \"keep me\"", "state = \"absent\""],
        &Refused(&["`file.line.one` and `file.line.two` both manage the line `keep me in d/old`"]),
    );
    twice(
        "file.yaml",
        &["key = \"a\"", "value = { c = 1 }"],
        &["key = [\"a\", \"b\"]", "value = 2"],
        &Refused(&["both manage the key `a in d/old`"]),
    );
}

/// A path that only the run knows is left out too.
///
/// The resource that covers it may also make its folder.
#[cfg(unix)]
#[test]
fn late_names_are_left_out() {
    let name = resource("task.query \"name\"", &["query = \"printf extra\""]);
    let late = |folder: &str, fields: &[&str]| {
        let path = format!("{folder}/{{{{lookup `task.query.name.status.stdout`}}}}");
        file("file.content \"late\"", &path, &[&["content = \"x\""], fields].concat())
    };
    let purge = |folder: &str| file("file.copy \"all\"", folder, &["source = \"s\"", "purge = true"]);
    for folder in ["d", "n"] {
        let module = format!("{}{name}{}", purge(folder), late(folder, &[]));
        let (extra, old) = (format!("{folder}/extra"), format!("{folder}/old"));
        check(&module, &Settles(&[(&extra, Content("x")), (&old, Missing)]));
    }
    let tree = file("file.mode \"tree\"", "d", &["mode = \"u=rwX,go=rX\"", "recursive = true"]);
    let module = format!("{tree}{name}{}", late("d", &["mode = 0600"]));
    check(&module, &Settles(&[("d/extra", Mode(0o600)), ("d/old", Mode(0o644))]));
    // A lookup that fails concerns no other tree.
    let failing = resource("task.query \"name\"", &["query = \"true\"", "dir = \"missing\""]);
    let env = Env::with("main.hcl", &format!("{}{failing}{}", purge("n"), late("elsewhere", &[])));
    env.write("s/a", "a\n");
    env.run(&["apply", "main.hcl"]).out_has("1 changed, 1 failed").code(1);
    // A purge that cannot know what it must keep removes nothing.
    let env = Env::with("main.hcl", &format!("{}{failing}{}", purge("d"), late("d", &[])));
    env.write("s/a", "a\n");
    env.write("d/old", "old\n");
    let applied = env.run(&["apply", "main.hcl"]);
    applied.out_has("nothing is removed by `purge`: the path of `file.content.late` is not known").code(1);
    check_state(&env, "d/old", &Content("old\n"));
}

/// A link is made before a resource writes through it.
///
/// The resource would make a file in its place.
#[cfg(unix)]
#[test]
fn parts_are_written_through_links() {
    let part = file("file.line \"part\"", "d/link", &["line = \"more\"", "create = true"]);
    let link = file("file.link \"link\"", "d/link", &["target = \"old\"", "force = true"]);
    check(&format!("{part}{link}"), &Settles(&[("d/old", Content("old\nmore\n"))]));
    let made = file("file.content \"new\"", "d/new", &["content = \"new\\n\""]);
    let link = link.replace("\"old\"", "\"new\"");
    check(&format!("{part}{link}{made}"), &Refused(&["`file.content.new` writes all of the content of"]));
}

#[test]
fn exact_keys_are_one_set() {
    let keys = resource(
        "user.authorized_key \"admin\"",
        &[
            "for_each = { one = \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB one\", two = \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFw4FztSk8Ro4rszqIRkOTshij5ZN/MYBgGySAwfpXMq two\" }",
            "user = \"root\"",
            "file = \"{{path.cwd}}/d/old\"",
            "key = each.value",
            "exact = true",
        ],
    );
    check(&keys, &Settles(&[]));
}

#[test]
fn what_one_removes_and_another_provides() {
    let removed = file("file.absent \"gone\"", "d", &["recursive = true"]);
    let refused = |other: &str, verb: &str| {
        check(&format!("{removed}{other}"), &Refused(&["`file.absent.gone` removes", verb]));
    };
    refused(&file("file.content \"x\"", "d/x", &["content = \"x\""]), "which `file.content.x` provides");
    refused(&file("file.copy \"x\"", "d/x", &["source = \"s\""]), "which `file.copy.x` provides");
    refused(&file("file.line \"x\"", "d/old", &["line = \"x\""]), "which `file.line.x` provides");
    // Both are satisfied when the folder is gone.
    check(&format!("{removed}{}", file("file.absent \"x\"", "d/old", &[])), &Settles(&[("d", Missing)]));
}

#[test]
fn a_script_that_changes_a_declared_file() {
    let module = |change: &str| {
        let task = resource(
            "task \"t\"",
            &[
                "check = \"test -e done\"",
                &format!("apply = \"touch done; {change}\""),
                "depends = [\"file.content.x\"]",
            ],
        );
        file("file.content \"x\"", "d/x", &["content = \"x\""]) + &task
    };
    check(&module("true"), &Settles(&[]));
    check(
        &module("echo other > d/x"),
        &Undone(&["error[undone]: file.content.x: `task.t` undid it later in this run", "content"]),
    );
    check(
        &module("rm d/x && mkdir d/x"),
        &Undone(&[
            "error[undone]: file.content.x: `task.t` changed something that both share, and now it cannot be checked",
        ]),
    );
}

#[test]
fn actions_are_not_undone() {
    let module = file("file.content \"x\"", "d/x", &["content = \"x\""])
        + &resource(
            "task \"action\"",
            &["apply = \"echo acted >> log\"", "on_change_of = [\"file.content.x\"]"],
        )
        + &resource(
            "task \"later\"",
            &["check = \"test -e done\"", "apply = \"touch done\"", "depends = [\"task.action\"]"],
        );
    check(&module, &Settles(&[("log", Content("acted\n"))]));
}

#[test]
fn programs_see_it_too() {
    let module = file("file.content \"x\"", "x", &["content = \"x\""])
        + &resource(
            "task \"t\"",
            &["check = \"test -e done\"", "apply = \"touch done; rm x\"", "depends = [\"file.content.x\"]"],
        );
    let env = Env::with("main.hcl", &module);
    env.run(&["apply", "--format", "json", "main.hcl"])
        .out_has(r#""event":"resource-undone""#)
        .out_has(r#""was":"changed""#)
        .out_has(r#""failed":1"#)
        .code(1);
}
