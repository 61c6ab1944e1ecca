//! Tests of `converge explain`.

use insta::assert_snapshot;

use crate::env::Env;

const SITE: &str = r#"
param "name" {
  default     = "world"
  description = "Who is greeted."
}

task.query "greeting" {
  query = "echo hello"
}

task "make" {
  check = "test -e DIR/made"
  apply = "touch DIR/made"
  group = "shared"
}

file.content "page" {
  destination = "DIR/page"
  content     = "{{lookup `task.query.greeting.status.stdout`}}, {{param `name`}}"
  depends     = ["task.make"]
}

file.content "later" {
  destination = "DIR/later"
  content     = "{{lookup `task.make.status.stdout`}}{{param `name`}}"
}
"#;

#[test]
fn a_resource_is_explained() {
    let env = Env::with("site.hcl", SITE);
    let explain = |id: &str, file: &str| {
        let run = env.run(&["explain", id, file]).err("").code(0);
        run.stdout.replace(&env.path().display().to_string(), "DIR")
    };
    assert_snapshot!("page", explain("file.content.page", "site.hcl"));
    assert_snapshot!("later", explain("later", "site.hcl"));
    assert_snapshot!("make", explain("root/task.make", "site.hcl"));
    assert_snapshot!("param", explain("param.name", "site.hcl"));
    // Nothing was applied.
    assert_eq!(env.read("made"), None);
}

const GATES: &str = r#"
task "make" {
  check = "false"
  apply = "true"
}

module "web.hcl" "web" {
  when = env.CONVERGE_TEST_UNSET == ""
}

switch "greeting" {
  case "false" "never" {
    task "a" { check = "true" }
  }
  case "eq (lookup `task.make.status.stdout`) `x`" "made" {
    task "b" { check = "true" }
  }
}
"#;

#[test]
fn what_decides_about_a_resource_is_told() {
    let env = Env::with("site.hcl", GATES);
    env.write(
        "web.hcl",
        "task \"t\" {\n  check   = \"true\"\n  timeout = \"2m\"\n  retry { attempts = 3 }\n}\n",
    );
    let explain = |id: &str| env.run(&["explain", id, "site.hcl"]).err("").code(0).stdout;
    assert_snapshot!("in_a_module", explain("web/task.t"));
    assert_snapshot!("not_taken", explain("task.a"));
    assert_snapshot!("known_after_apply", explain("case.made/task.b"));
    assert_snapshot!("a_gate", explain("module.web/begin"));
}

#[test]
fn programs_get_an_explanation_as_json() {
    let env = Env::with("site.hcl", SITE);
    let run = env.run(&["explain", "later", "site.hcl", "-p", "name=x", "--format", "json"]).err("").code(0);
    let explained: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&explained["outcome"], &explained["role"]), (&"may-change".into(), &"resource".into()));
    let path = &explained["differences"][0]["through"];
    assert_eq!((&path[0]["on"], &path[1]), (&"root/task.make".into(), &serde_json::Value::Null));
}

#[test]
fn what_cannot_be_explained() {
    let env = Env::with("site.hcl", SITE);
    env.write("bad.hcl", "nope \"x\" {}\n");
    env.run(&["explain", "file.content.pge", "site.hcl"])
        .out("")
        .err("error: there is no resource `file.content.pge`; did you mean `file.content.page` or `file.content.later`?\n")
        .code(1);
    env.run(&["explain", "nope.x", "bad.hcl"]).out("").err_has("error[unknown-type]").code(1);
}
