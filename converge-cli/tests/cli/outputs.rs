//! Tests of module outputs and of `converge output`.

use crate::env::Env;

const SITE: &str = r#"
param "secret" {
  default   = "hunter2-and-more"
  sensitive = true
}

task.query "greeting" {
  query = "printf 'hello %s' you"
}

file.content "page" {
  destination = "DIR/page"
  content     = "hello"
}

task "make" {
  check = "test -e DIR/made"
  apply = "touch DIR/made; echo made"
}

output "greeting" {
  value       = task.query.greeting.status.stdout
  description = "What is said."
}

output "later" {
  value = task.make.status.stdout
}

output "list" {
  value = [1, "a\nb"]
}

output "secret" {
  value = format("%s!", param.secret)
}
"#;

#[test]
fn a_run_tells_them_at_its_end() {
    let env = Env::with("site.hcl", SITE);
    let plan = env.run(&["plan", "site.hcl"]).code(0).stdout;
    let actual = plan.rsplit_once("Outputs:\n").map(|(_, outputs)| outputs);
    let expect = "  greeting = \"hello you\"\n  later    = (known after apply)\n  list     = [1,\"a\\nb\"]\n  secret   = (sensitive)\n";
    assert_eq!(actual, Some(expect), "{plan}");
    let apply = env.run(&["apply", "--format", "json", "site.hcl"]).code(0).stdout;
    let events: Vec<serde_json::Value> = apply
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &serde_json::Value| event["event"] == "output")
        .collect();
    assert_eq!(events[0]["value"], "hello you");
    assert_eq!(events[0]["description"], "What is said.");
    assert_eq!((&events[3]["state"], events[3].get("value")), (&"sensitive".into(), None));
    assert!(!apply.contains("hunter2"), "{apply}");
}

#[test]
fn the_command_prints_them() {
    let env = Env::with("site.hcl", SITE);
    let output = |arguments: &[&str]| env.run(&[&["output"], arguments].concat());
    assert_eq!(output(&["greeting", "site.hcl"]).err("").code(0).stdout, "\"hello you\"\n");
    assert_eq!(output(&["--format", "raw", "greeting", "site.hcl"]).err("").code(0).stdout, "hello you");
    assert_eq!(output(&["--format", "json", "list", "site.hcl"]).err("").code(0).stdout, "[1,\"a\\nb\"]\n");
    let listing = output(&["site.hcl"]).err("").code(0).stdout;
    assert!(listing.starts_with("greeting = \"hello you\"\nlater    = (known after apply)\n"), "{listing}");
    let document: serde_json::Value =
        serde_json::from_str(&output(&["--format", "json", "site.hcl"]).err("").code(0).stdout).unwrap();
    assert_eq!(document["secret"], serde_json::json!({ "state": "sensitive" }));
    assert_eq!(document["list"], serde_json::json!({ "state": "known", "value": [1, "a\nb"] }));
    // Nothing was applied.
    assert_eq!(env.read("made"), None);
}

#[test]
fn what_cannot_be_printed_is_said() {
    let env = Env::with("site.hcl", SITE);
    env.write("failing.hcl", "assert \"no\" {\n  condition = 1 == 2\n  message = \"it is not\"\n}\noutput \"a\" {\n  value = 1\n  depends = [\"assert.no\"]\n}\n");
    env.write("none.hcl", "");
    let check = |arguments: &[&str], expect: &str| {
        let run = env.run(&[&["output"], arguments].concat()).code(1);
        assert!(run.stderr.contains(expect), "{arguments:?}: {}", run.stderr);
    };
    check(&["greting", "site.hcl"], "the module has no output `greting`; did you mean `greeting`?");
    check(&["x", "none.hcl"], "the module has no output `x`; it has none");
    check(&["later", "site.hcl"], "`later` is known only after an apply");
    check(&["secret", "site.hcl"], "`secret` is sensitive, and is not shown");
    check(
        &["--format", "raw", "list", "site.hcl"],
        "`list` is a list, which has no plain text: use `--format json`",
    );
    check(&["--format", "raw", "site.hcl"], "`--format raw` is for one output: name it");
    check(&["a", "failing.hcl"], "`a` has no value because a resource that it depends on failed: assert.no:");
    check(&["failing.hcl"], "assert.no:");
}
