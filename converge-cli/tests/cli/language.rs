//! Tests of the language that need a run, a file beside the module, or what a command says.

use crate::env::Env;

const MEMBER: &str = r#"
param "name" {}
param "after" { default = "" }
file.content "first" {
  destination = "first-{{param `name`}}"
  content     = "first"
}
file.content "last" {
  destination = "last-{{param `name`}}"
  content     = param.after
}
output "first" { value = file.content.first.destination }
output "last-path" { value = file.content.last.destination }
"#;

/// Applies a module beside `m.hcl`, and compares its output `o`.
fn check(module: &str, expect: &str) {
    let env = Env::with("main.hcl", module);
    env.write("m.hcl", MEMBER);
    env.run(&["apply", "main.hcl"]).err("").code(0);
    env.run(&["output", "--format", "raw", "o", "main.hcl"]).out(expect).code(0);
}

#[test]
fn a_reader_of_one_output_waits_for_that_output() {
    let members = "module \"m.hcl\" \"m\" {\n  for_each = [\"red\", \"blue\"]\n  params {\n    name  = each.key\n    after = file.content.between.destination\n  }\n}\n";
    for content in [
        "join(\",\", [for k in [\"red\", \"blue\"] : module.m[k].output.first])",
        "join(\",\", [for k in [\"red\", \"blue\"] : module.m[k][\"output\"][\"first\"]])",
        "join(\",\", [module.m[lower(\"RED\")].output.first, module.m[\"blue\"].output[\"first\"]])",
    ] {
        let between = format!(
            "file.content \"between\" {{\n  destination = \"between\"\n  content = {content}\n}}\noutput \"o\" {{ value = file.content.between.content }}\n"
        );
        check(&format!("{members}{between}"), "first-red,first-blue");
    }
    let single = "module \"m.hcl\" \"m\" { params { name = \"a\" } }\n";
    check(&format!("{single}output \"o\" {{ value = module.m.output[\"last-path\"] }}"), "last-a");
    check(
        &format!(
            "{single}param \"which\" {{ default = \"first\" }}\noutput \"o\" {{ value = module.m.output[param.which] }}"
        ),
        "first-a",
    );
}

#[test]
fn an_instance_waits_for_the_instance_of_its_key() {
    let module = r#"
file.content "one" {
  for_each    = { a = "one-a", b = "/proc/none/b" }
  destination = each.value
  content     = "x"
}
file.content "two" {
  for_each    = ["a"]
  destination = "two-{{each.key}}"
  content     = file.content.one[each.key].destination
}
"#;
    let env = Env::with("main.hcl", module);
    let run = env.run(&["apply", "main.hcl"]).out_has("1 failed");
    assert_eq!(env.read("two-a").as_deref(), Some("one-a"), "{}", run.stdout);
}

#[test]
fn a_map_with_one_unknown_value_keeps_its_keys() {
    let module = r#"
task "make" {
  check = "test -f made"
  apply = "echo 1 >made"
}
task.query "read" {
  query   = "cat made"
  depends = ["task.make"]
}
locals {
  all = { a = task.query.read.status.stdout, b = "known" }
}
file.content "each" {
  for_each    = local.all
  destination = "each-{{each.key}}"
  content     = each.value
}
file.content "keys" {
  destination = "keys"
  content     = join(",", keys(local.all))
}
"#;
    let env = Env::with("main.hcl", module);
    env.run(&["plan", "main.hcl"])
        .out_has("~ file.content.each[\"a\"]  may change")
        .out_has("+ file.content.each[\"b\"]  will change")
        .out_has("+ file.content.keys  will change")
        .code(0);
}

#[test]
fn a_template_file_without_variables_sees_the_module() {
    let module = r#"
param "name" { default = "ada" }
locals { team = "ops" }
file.content "first" {
  destination = "first"
  content     = "x"
}
file.content "motd" {
  for_each    = ["k"]
  destination = "motd"
  content     = templatefile("motd.tmpl")
}
"#;
    let env = Env::with("main.hcl", module);
    env.write(
        "motd.tmpl",
        "{{param.name}} {{local `team`}} {{lookup `file.content.first.destination`}} {{each.key}}\n",
    );
    env.run(&["apply", "main.hcl"]).err("").code(0);
    assert_eq!(env.read("motd").as_deref(), Some("ada ops first k\n"));
    env.run(&["validate", "main.hcl"]).err("").code(0);
    env.write("motd.tmpl", "{{param.nam}}\n");
    env.run(&["validate", "main.hcl"]).err_has("did you mean `name`?").code(1);
}

#[test]
fn texts_that_mean_something_elsewhere_get_a_warning() {
    let check = |value: &str, expect: &str| {
        let module = format!(
            "file.content \"a\" {{\n  destination = \"a\"\n  content = \"\"\n}}\nfile.content \"b\" {{\n  destination = \"b\"\n  content = {value}\n}}\n"
        );
        let run = Env::with("main.hcl", &module).run(&["validate", "main.hcl"]).code(0);
        match expect {
            "" => assert_eq!(run.stderr, "", "{value}"),
            expect => assert!(run.stderr.contains(expect), "{value}: {}", run.stderr),
        }
    };
    check("\"${file.content.a.destination}/x\"", "write {{lookup `file.content.a.destination`}}");
    check("\"${local.x}\"", "write {{local `x`}}");
    check("\"${project.build.directory} ${a.b.c}\"", "");
    check("\"$${file.content.a.destination}\"", "");
    check("<<-EOF\n    foo\n\n    bar\n    EOF", "an empty line keeps the indentation of this `<<-` text");
    check("trimspace(<<-EOF\n    foo\n\n    bar\n    EOF\n  )", "warning[kept-indentation]");
    check("<<-EOF\n    foo\n    \n    bar\n    EOF", "");
    check("<<-EOF\n    foo\n  bar\n\n    EOF", "");
    check("<<EOF\n    foo\n\n    cat <<-X\n\n    X\nEOF", "");
}

#[test]
fn a_secret_that_is_an_ordinary_word_leaves_names_as_they_are() {
    let module = "param \"password\" {\n  sensitive = true\n  default = \"root\"\n}\nfile.content \"root\" {\n  destination = \"x\"\n  content = param.password\n}\n";
    let env = Env::with("main.hcl", module);
    env.run(&["plan", "main.hcl"])
        .out_has("+ file.content.root  will change")
        .err_has("warning[common-secret]: the value of `param.password` is an ordinary word, which is shown in names")
        .code(0);
    env.run(&["plan", "--format", "json", "main.hcl"]).out_has("\"root/file.content.root\"").code(0);
}

#[test]
fn the_password_of_a_url_is_not_shown() {
    let url = "http://ada:correct-horse@127.0.0.1:9/x.hcl";
    let module = format!(
        "file.fetch \"x\" {{\n  source = \"{url}\"\n  destination = \"x\"\n}}\nparam \"url\" {{ default = \"\" }}\nfile.content \"y\" {{\n  destination = \"y\"\n  content = param.url\n}}\n"
    );
    let env = Env::with("main.hcl", &module);
    env.write("call.hcl", &format!("module \"{url}\" \"m\" {{}}\n"));
    env.write(
        "good.hcl",
        "param \"url\" {}\nfile.content \"y\" {\n  destination = \"y\"\n  content = param.url\n}\n",
    );
    for args in [
        &["validate", "main.hcl"][..],
        &["validate", "--format", "json", "main.hcl"],
        &["validate", "call.hcl"],
        &["validate", url],
        &["plan", url],
        &["plan", "good.hcl", "-p", &format!("url={url}")],
    ] {
        let run = env.run(args);
        let shown = format!("{}{}", run.stdout, run.stderr);
        assert!(!shown.contains("correct-horse"), "{args:?}: {shown}");
    }
}

#[test]
fn a_state_below_a_sticky_folder_is_accepted_if_its_folder_is_there() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = Env::with("main.hcl", "file.content \"x\" {\n  destination = \"x\"\n  content = \"x\"\n}\n");
    let open = tempfile::tempdir().unwrap();
    std::fs::set_permissions(open.path(), std::fs::Permissions::from_mode(0o1777)).unwrap();
    let own = open.path().join("own");
    let state = own.join("state").display().to_string();
    env.run(&["apply", "--state-dir", &state, "main.hcl"])
        .err_has("so others than its owner may write there")
        .code(1);
    std::fs::create_dir(&own).unwrap();
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o700)).unwrap();
    env.run(&["apply", "--state-dir", &state, "main.hcl"]).err("").code(0);
}
