//! Tests of the second look: what a later resource of the same run undid is an error with both names.

use super::env::Env;

/// Applies a module in an empty folder and expects these errors, each a part of the output.
fn check(module: &str, errors: &[&str]) {
    let env = Env::with("main.hcl", module);
    let applied = env.run(&["apply", "main.hcl"]);
    if errors.is_empty() {
        applied.code(0);
        env.run(&["plan", "main.hcl"]).code(0);
    } else {
        errors.iter().fold(applied, |applied, error| applied.out_has(error)).code(1);
    }
}

const SECRET: &str = r#"
file.directory "d" {
  destination = "d"
}

file.content "secret" {
  destination = "d/x"
  content     = "secret"
  mode        = 0600
}
"#;

#[test]
fn a_tree_and_a_file_in_it() {
    let tree = r#"
file.mode "tree" {
  destination = "d"
  mode        = "u=rwX,go=rX"
  recursive   = true
}
"#;
    check(
        &format!("{SECRET}{tree}"),
        &["error[undone]: file.content.secret: `file.mode.tree` undid it later in this run", "mode", "0600"],
    );
    check(&format!("{SECRET}{}", tree.replace("u=rwX,go=rX", "u=rwX,go=")), &[]);
}

#[test]
fn two_lines_that_replace_each_other() {
    let line = |name: &str, text: &str| {
        format!(
            "file.line \"{name}\" {{\n  destination = \"f\"\n  line = \"{text}\"\n  match = \"^port\"\n  depends = \
             [\"file.content.f\"]\n}}\n"
        )
    };
    let file = "file.content \"f\" {\n  destination = \"f\"\n  content = \"port 0\\n\"\n  only_if_missing = true\n}\n";
    check(
        &format!("{file}{}{}", line("one", "port 1"), line("two", "port 2")),
        &["error[undone]: file.line.one: `file.line.two` undid it later in this run"],
    );
    check(&format!("{file}{}", line("one", "port 1")), &[]);
}

#[test]
fn a_script_that_changes_a_declared_file() {
    let task = |change: &str| {
        format!(
            "task \"t\" {{\n  check = \"test -e done\"\n  apply = \"touch done; {change}\"\n  depends = \
             [\"file.content.secret\"]\n}}\n"
        )
    };
    check(
        &format!("{SECRET}{}", task("echo other > d/x")),
        &["error[undone]: file.content.secret: `task.t` undid it later in this run", "content"],
    );
    check(&format!("{SECRET}{}", task("true")), &[]);
}

#[cfg(unix)]
#[test]
fn one_file_by_two_names() {
    let module = |mode: &str| {
        format!(
            r#"
file.directory "real" {{
  destination = "DIR/real"
}}

file.link "link" {{
  destination = "DIR/link"
  target      = "DIR/real"
}}

file.content "x" {{
  destination = "DIR/real/x"
  content     = "x"
  mode        = 0600
}}

file.mode "x" {{
  destination = "DIR/link/x"
  mode        = {mode}
  depends     = ["file.content.x", "file.link.link"]
}}
"#
        )
    };
    check(&module("0640"), &["error[undone]: file.content.x: `file.mode.x` undid it later in this run"]);
    check(&module("0600"), &[]);
}

#[test]
fn programs_see_it_too() {
    let module = format!(
        "{SECRET}task \"t\" {{\n  check = \"test -e done\"\n  apply = \"touch done; rm d/x\"\n  depends = [\"file.content.secret\"]\n}}\n"
    );
    let env = Env::with("main.hcl", &module);
    env.run(&["apply", "--format", "json", "main.hcl"])
        .out_has(r#""event":"resource-undone""#)
        .out_has(r#""was":"changed""#)
        .out_has(r#""failed":1"#)
        .code(1);
}
