//! Tests of text that cannot be parsed, and of the consequences of errors.

use super::{check, load, registry};
use crate::Loader;

#[test]
fn what_could_not_be_read_is_not_missed() {
    check(
        "a.thing \"x\" {\n  path = \"p\n}\na.thing \"y\" {}",
        &[
            "2:10 unclosed-string: the string is not closed | a string ends on the line where it begins; for several lines use a heredoc, `<<EOF`",
            "4:1 missing-field: a.thing: `path` is required",
        ],
    );
}

#[test]
fn what_cannot_be_read_is_not_missing() {
    let check = |text: &str, expect: &[&str]| {
        let loaded = load(text);
        let codes: Vec<&str> = loaded.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, expect, "{text}");
    };
    check("a.thing \"x\" {\n  path = 08\n}", &["invalid-number"]);
    check("a.thing \"x\" {\n  path = \"p\n  flag = true\n}", &["unclosed-string"]);
    check("param \"x\" { default = 08 }", &["invalid-number"]);
    check("a.thing \"x\" {\n  path = \"p\"\n  part {\n    size = 08\n  }\n}", &["invalid-number"]);
    // The second resource is intact.
    check("a.thing \"x\" {\n  path = 08\n}\na.thing \"y\" {}", &["invalid-number", "missing-field"]);
    check("param \"x\" { default = 08 }\nparam \"z\" {}", &["invalid-number", "missing-param"]);
}

#[test]
fn many_wrong_names_take_time_in_proportion() {
    let module = |count: usize| -> String {
        let thing = |index| {
            format!(
                "a.thing \"t{index}\" {{\n  path = \"{{{{param `p{index}`}}}}\"\n  depends = [\"a.thing.u{index}\"]\n}}\n"
            )
        };
        (0..count).map(thing).collect::<Vec<_>>().concat()
    };
    let helps = |count: usize| {
        let loaded = load(&module(count));
        assert_eq!(loaded.diagnostics.len(), 2 * count);
        loaded
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.help.as_deref().is_some_and(|help| help.contains("did you mean")))
            .count()
    };
    assert_eq!(helps(20), 20, "each wrong name in `depends` has a suggestion");
    assert!(helps(2000) < 200, "suggestions end where they would take most of the time");
}

#[test]
fn one_mistake_is_told_once() {
    check(
        "a.thng \"x\" {\n  path = \"p\"\n}\na.thing \"y\" {\n  path = \"{{lookup `a.thing.x.path`}}\"\n  depends = [\"a.thing.x\"]\n}",
        &["1:1 unknown-type: unknown resource type `a.thng` | did you mean `a.thing`?"],
    );
    check(
        "param \"x\" {\n  default = 1\n\na.thing \"y\" {\n  path = \"{{param `x`}}\"\n}",
        &["4:1 1:11 missing-close: `}` is missing"],
    );
    check(
        "module \"a.hcl\" \"web\" {}\na.thing \"y\" {\n  path = \"p\"\n  depends = [\"module.web\"]\n}",
        &["1:8 unreadable-file: cannot read a.hcl: there is no such file; it is called in m.hcl"],
    );
}

#[test]
fn a_broken_module_still_gives_a_graph() {
    let loaded =
        load("a.thing \"a\" { path = \"p\" }\na.thing \"b\" {\n  path = \n}\na.thing \"c\" {\n  nope = 1\n}");
    assert!(loaded.diagnostics.has_errors());
    assert!(loaded.partial_graph().find("root/a.thing.a").is_some());
    assert!(loaded.partial_graph().find("root/a.thing.c").is_some());
    assert!(loaded.into_graph().is_err());
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry();
    let check = |name: &str, content: Option<&[u8]>, expect: &str| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let loaded = Loader::new(&registry).load_file(&path);
        let lines: Vec<String> = loaded
            .diagnostics
            .iter()
            .map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message))
            .collect();
        assert_eq!(lines, [expect.replace("PATH", &path.display().to_string())]);
    };
    check("none.hcl", None, "unreadable-file: cannot read PATH: there is no such file");
    check(
        ".",
        None,
        "no-module-file: PATH is a folder, and there is no `module.hcl` in it, which would make it a module",
    );
    check("latin1.hcl", Some(b"# caf\xe9\n"), "not-utf8: PATH is not UTF-8: byte 5 begins no character");
    let large = vec![b' '; 16 * 1024 * 1024 + 1];
    check(
        "large.hcl",
        Some(&large),
        "file-too-large: PATH has more than 16777216 bytes, which is too much to be loaded",
    );
}

#[test]
fn text_that_looks_like_a_value() {
    let check_content = |content: &str, expect: &[&str]| {
        check(&format!("param \"x\" {{ default = 1 }}\na.thing \"t\" {{\n  path = {content}\n}}"), expect);
    };
    check_content(
        "\"a ${param.x} ${param.x}\"",
        &[
            "3:13 literal-interpolation: `${param.x}` in a string is not evaluated | write {{param `x`}}, or an expression without quotes: param.x",
        ],
    );
    check_content(
        "upper(\"\\t${var.x}\")",
        &[
            "3:19 literal-interpolation: `${var.x}` in a string is not evaluated | write {{param `x`}}, or an expression without quotes: param.x",
        ],
    );
    check_content(
        "<<EOF\n${self.size}\nEOF",
        &[
            "4:1 literal-interpolation: `${self.size}` in a string is not evaluated | write an expression without quotes: format(\"..%s..\", self.size)",
        ],
    );
    // These texts are valid in a shell, or intended as text.
    for content in ["${HOME}", "${HOME:-x}", "$${param.x}", "${params.x}", "$ {param.x}", "%{param.x}"] {
        check_content(&format!("\"{content}\""), &[]);
    }
}

#[test]
fn text_that_looks_like_a_statement() {
    let check_content = |content: &str, expect: &[&str]| {
        check(&format!("a.thing \"t\" {{\n  path = {content}\n}}"), expect);
    };
    let file = "to keep the text as it is, read it from a file: file(\"NAME\")";
    check_content(
        "\"a {% for x in y %}b{% endfor %}\"",
        &[&format!(
            "2:13 literal-statement: `{{% for x in y %}}` in a string is not evaluated | write {{{{range LIST}}}}{{{{.}}}}{{{{end}}}}, \
             or {{{{range $key, $value := MAP}}}} .. {{{{end}}}}; {file}"
        )],
    );
    check_content(
        "<<EOF\n{%- set a = 1 -%}\nEOF",
        &[&format!(
            "3:1 literal-statement: `{{%- set a = 1 -%}}` in a string is not evaluated | write {{{{$name := VALUE}}}}; {file}"
        )],
    );
    // Jinja would run none of these: they are not closed, have no keyword, or belong to curl or Ruby.
    for content in ["{% if x", "{% %}", "{%%}", "%{http_code}", "{% iffy %}", "{ % if x % }", "<% if x %>"] {
        check_content(&format!("\"{content}\""), &[]);
    }
}

#[test]
fn habits_of_ansible() {
    let check_field = |field: &str, message: &str, help: &str| {
        check(
            &format!("a.thing \"t\" {{\n  path = \"p\"\n  {field}\n}}"),
            &[&format!("3:3 unknown-field: a.thing: {message} | {help}")],
        );
    };
    check_field(
        "register = \"found\"",
        "unknown field `register`",
        "remove it: refer to a result by its name, as in task.query.NAME.status.stdout; to react to a change write `on_change_of`",
    );
    check_field(
        "with_items = [\"a\"]",
        "unknown field `with_items`",
        "write for_each = [\"a\", \"b\"], and each.value for the entry; for records write a map, as in { for item in \
         LIST : item.name => item }",
    );
    check_field(
        "ignore_errors = true",
        "unknown field `ignore_errors`",
        "write optional = true, and even_after = [\"TYPE.NAME\"] on the resources that still run",
    );
    let check_value = |value: &str, expect: &str| {
        check(&format!("a.thing \"t\" {{\n  path = {value}\n}}"), &[expect]);
    };
    check_value(
        "ansible_hostname",
        "2:10 expression: `ansible_hostname` is not a variable here; a resource is named with its type, as in `TYPE.NAME.FIELD` | \
         write platform.hostname",
    );
    check_value(
        "ansible_default_ipv4.address",
        "2:10 unknown-resource: lookup of `ansible_default_ipv4.address`, which does not exist | write platform.address",
    );
    check_value(
        "item.name",
        "2:10 unknown-resource: lookup of `item.name`, which does not exist | write each.key or each.value for the entry of `for_each`",
    );
    check_value(
        "\"{{ ansible_os_family }}\"",
        "2:14 template: there is no function `ansible_os_family`; write `platform.family`",
    );
    for (block, help) in [
        ("set_fact", "write locals { NAME = .. }; for values in a file write yamldecode(file(\"FILE.yml\"))"),
        (
            "ansible.builtin.include_tasks",
            "a file of resources is a module: module \"FILE.hcl\" \"NAME\" { params { .. } }",
        ),
        (
            "ansible.posix.seboolean",
            "no type does that: write a `task` whose `check` succeeds when nothing is left to do and whose `apply` does the work",
        ),
    ] {
        check(
            &format!("{block} \"x\" {{}}"),
            &[&format!("1:1 unknown-type: unknown resource type `{block}` | {help}")],
        );
    }
}

#[test]
fn words_of_other_languages() {
    check(
        "variable \"x\" {}",
        &[
            "1:1 unknown-type: unknown resource type `variable` | write a parameter: param \"NAME\" { default = .. }",
        ],
    );
    check(
        "a.thing \"t\" {\n  path = var.x\n  depends_on = []\n}",
        &[
            "2:10 unknown-resource: lookup of `var.x`, which does not exist | write param.NAME for a parameter",
            "3:3 unknown-field: a.thing: unknown field `depends_on` | write depends = [\"TYPE.NAME\"]",
        ],
    );
    for (word, help) in [
        ("require", "write depends = [\"TYPE.NAME\"]"),
        ("before", "write it on the resource that waits: depends = [\"TYPE.NAME\"]"),
        ("onlyif", "on a task write check = \"test -e PATH\"; on any other resource write `when`"),
        (
            "refreshonly",
            "to run a command only after a change, write a task with check = \"true\" and on_change_of = [\"TYPE.NAME\"]: only a change runs its `apply`",
        ),
        ("ensure", "to remove something write state = \"absent\", or use a type such as file.absent"),
    ] {
        check(
            &format!("a.thing \"t\" {{\n  path = \"x\"\n  {word} = \"y\"\n}}"),
            &[&format!("3:3 unknown-field: a.thing: unknown field `{word}` | {help}")],
        );
    }
}
