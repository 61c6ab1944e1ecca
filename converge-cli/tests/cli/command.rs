//! Tests of the output and the exit code of each command.

use crate::env::Env;

#[test]
fn a_plan_changes_nothing_and_an_apply_does() {
    let env = Env::with("web.hcl", MOTD);
    env.run(&["plan", "--local", "-p", "text=hi", "web.hcl"])
        .out("+ file.content.motd  will change\n  state: \"absent\" => \"present\"\n  content: \"\" => \"hi\"\nPlan: 1 to change, 0 failed, 0 unchanged (TIME)\n")
        .err("")
        .code(0);
    env.run(&["plan", "--detailed-exitcode", "-p", "text=hi", "web.hcl"]).code(2);
    assert_eq!(env.read("motd"), None);
    env.run(&["apply", "--local", "-p", "text=a=b", "web.hcl"]).code(0);
    assert_eq!(env.read("motd").as_deref(), Some("a=b"));
    env.run(&["apply", "-p", "text=a=b", "web.hcl"])
        .out("Apply: 0 changed, 0 failed, 1 unchanged (TIME)\n")
        .err("")
        .code(0);
    env.run(&["plan", "--detailed-exitcode", "-p", "text=a=b", "web.hcl"]).code(0);
}

const MOTD: &str = r#"
param "text" {}

file.content "motd" {
  destination = "DIR/motd"
  content     = "{{param `text`}}"
}
"#;

#[test]
fn limits_are_set_and_told() {
    let env = Env::with("web.hcl", MOTD);
    let run = |args: &[&str]| env.run(&[&["apply", "-p", "text=12345678", "web.hcl"], args].concat());
    run(&["--limit", "resources=1"])
        .err_has("error[too-many-resources]: more than 1 resources")
        .err_has("the limit `resources` is 1: `--limit resources=N` sets it")
        .code(1);
    run(&["--limit", "file=7"])
        .out_has("no file may be larger than 7 bytes here")
        .out_has("the limit `file` is 7: `--limit file=N` sets it")
        .code(1);
    assert_eq!(env.read("motd"), None);
    run(&["--limit", "file=8", "--limit", "resources=2"]).code(0);
    run(&["--limit", "size=8"]).err_has("unknown limit `size`").code(1);
}

#[test]
fn a_module_with_mistakes_is_not_run() {
    let env =
        Env::with("good.hcl", "task \"touch\" {\n  check = \"false\"\n  apply = \"touch DIR/touched\"\n}\n");
    env.write("bad.hcl", "task \"x\" {\n  chck = \"true\"\n}\n");
    env.run(&["apply", "good.hcl", "bad.hcl", "missing.hcl"])
        .out("")
        .err_has("error[unknown-field]: task: unknown field `chck`\n --> bad.hcl:2:3\n")
        .err_has("error: could not load bad.hcl: 1 error\n")
        .err_has("cannot read missing.hcl: ")
        .code(1);
    assert_eq!(env.read("touched"), None);
}

#[test]
fn programs_get_diagnostics_as_lines_of_json() {
    let env = Env::with("bad.hcl", "task \"x\" {\n  chck = \"true\"\n}\n");
    let run = env.run(&["plan", "--format", "json", "bad.hcl"]).err("").code(1);
    let line: serde_json::Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(line["event"], "diagnostic");
    assert_eq!(line["code"], "unknown-field");
    assert_eq!(line["labels"][0]["file"], "bad.hcl");
    assert_eq!((&line["labels"][0]["line"], &line["labels"][0]["column"]), (&2.into(), &3.into()));
}

#[test]
fn programs_get_every_event_as_a_line_of_json() {
    let env = Env::with("a.hcl", "task \"x\" { check = \"true\" }\n");
    let run = env.run(&["apply", "--format", "json", "a.hcl"]).err("").code(0);
    let events: Vec<String> = run
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["event"].as_str().unwrap().into()
        })
        .collect();
    let expect =
        ["module", "run-started", "resource-started", "resource-stage", "resource-finished", "run-finished"];
    assert_eq!(events, expect);
}

fn is_progress(event: &serde_json::Value) -> bool {
    event["event"] == "resource-stage" || event["event"] == "resource-output"
}

/// Tests that parameters, which are not resources, are not counted, but reported if they fail.
#[test]
fn parameters_are_not_counted() {
    let module = "param \"p\" { default = 2 }\nparam \"q\" { default = \"{{param `p`}}\" }\n\
                  task.query \"size\" { query = \"cat DIR/size\" }\n\
                  param \"size\" {\n  type = \"number\"\n  default = \"{{lookup `task.query.size.status.stdout`}}\"\n}\n\
                  task \"x\" { check = \"test {{param `q`}} = {{param `size`}}\" }\n";
    let env = Env::with("a.hcl", module);
    env.write("size", "2");
    let events = |code| {
        let run = env.run(&["plan", "--format", "json", "a.hcl"]).code(code);
        let events = run.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        events.filter(|event| !is_progress(event)).collect::<Vec<_>>()
    };
    env.run(&["plan", "a.hcl"]).out("Plan: 0 to change, 0 failed, 2 unchanged (TIME)\n").err("").code(0);
    env.run(&["-v", "plan", "a.hcl"]).err_has("loaded module=\"a.hcl\" resources=2 problems=0").code(0);
    let events_of_plan = events(0);
    let count = |told: &[serde_json::Value]| -> i64 {
        let summary = told.last().unwrap()["summary"].as_object().unwrap().values();
        summary.filter_map(serde_json::Value::as_i64).sum()
    };
    assert_eq!(
        (&events_of_plan[1]["resources"], count(&events_of_plan), events_of_plan.len()),
        (&2.into(), 2, 7),
        "{events_of_plan:?}"
    );
    env.write("size", "large");
    env.run(&["plan", "a.hcl"])
        .out_has("! param.size  could not be rendered\n")
        .out_has("- task.x  skipped, because param.size failed\n")
        .out_has("Plan: 0 to change, 1 failed, 1 skipped, 1 unchanged (TIME)\n")
        .code(1);
    let events_of_apply = events(1);
    let failed = events_of_apply.iter().find(|event| event["id"] == "root/param.size").unwrap();
    assert_eq!((&failed["role"], &failed["outcome"]), (&"param".into(), &"failed".into()));
    assert_eq!(
        (&events_of_apply[1]["resources"], &events_of_apply.last().unwrap()["summary"]["failed"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn what_fails_skips_what_depends_on_it() {
    let env = Env::with(
        "a.hcl",
        "task \"a\" {\n  check = \"false\"\n  apply = \"echo oops >&2; exit 3\"\n}\n\
         task \"b\" {\n  check = \"true\"\n  depends = [\"task.a\"]\n}\n",
    );
    env.write("later.hcl", "task \"x\" { check = \"true\" }\n");
    env.run(&["apply", "a.hcl", "later.hcl"])
        .out_has("! task.a  ")
        .out_has("- task.b  skipped, because task.a failed\n")
        .out_has("Apply: 0 changed, 1 failed, 1 skipped, 0 unchanged (TIME)\n")
        .err("error: later.hcl was not started\n")
        .code(1);
}

#[test]
fn several_files_are_planned_one_after_the_other() {
    let env = Env::with("a.hcl", "task \"x\" { check = \"true\" }\n");
    env.write("b.hcl", "task \"x\" {\n  check = \"false\"\n  apply = \"true\"\n}\n");
    env.run(&["plan", "--detailed-exitcode", "a.hcl", "b.hcl"])
        .out_has("a.hcl:\nPlan: 0 to change, 0 failed, 1 unchanged (TIME)\nb.hcl:\n+ task.x  will change\n")
        .code(2);
}

#[test]
fn valid_files_are_counted() {
    let env = Env::with("a.hcl", "task \"x\" { check = \"true\" }\n");
    env.write("b.hcl", "param \"_y\" { default = 1 }\n");
    env.write("bad.hcl", "nope \"x\" {}\n");
    env.run(&["validate", "a.hcl"]).out("1 file is valid\n").err("").code(0);
    env.run(&["validate", "a.hcl", "b.hcl"]).out("2 files are valid\n").err("").code(0);
    env.run(&["validate", "a.hcl", "bad.hcl"])
        .out("1 of 2 files are valid\n")
        .err_has("error: could not load bad.hcl: 1 error\n")
        .code(1);
    env.run(&["validate", "--format", "json", "bad.hcl"])
        .out_has(
            "{\"event\":\"validated\",\"file\":\"bad.hcl\",\"valid\":false,\"errors\":1,\"warnings\":0}\n",
        )
        .err("")
        .code(1);
}

#[test]
fn a_broken_module_has_a_graph() {
    let env = Env::with(
        "bad.hcl",
        "task \"a\" { check = \"true\" }\ntask \"b\" {\n  check = \"true\"\n  depends = [\"task.a\", \"task.c\"]\n}\n",
    );
    for format in ["dot", "mermaid", "json"] {
        env.run(&["graph", "--format", format, "bad.hcl"])
            .out_has("task.a")
            .err_has("`depends` names `task.c`, which does not exist")
            .code(1);
    }
}

#[test]
fn mistakes_on_the_command_line_end_with_1() {
    let env = Env::with("a.hcl", "");
    env.run(&["plan"]).out("").err_has("required arguments").code(1);
    env.run(&["plan", "-p", "x", "a.hcl"]).out("").err_has("has no `=`; write `-p NAME=VALUE`").code(1);
    env.run(&["plan", "-p", "x=1", "a.hcl"]).out("").err_has("a.hcl has no parameter `x`").code(1);
    env.run(&["resources", "tsk"])
        .out("")
        .err("error: there is no resource type `tsk`; did you mean `task`?\n")
        .code(1);
}

#[test]
fn help_and_version_are_no_mistakes() {
    let env = Env::with("a.hcl", "");
    let version = concat!("converge ", env!("CARGO_PKG_VERSION"), "\n");
    env.run(&["--version"]).out(version).err("").code(0);
    env.run(&["version"]).out(version).err("").code(0);
    env.run(&["help", "plan"]).out_has("Usage: converge plan").err("").code(0);
}

#[test]
fn colours_are_used_when_asked_for() {
    let env = Env::with("a.hcl", "task \"x\" {\n  check = \"false\"\n  apply = \"true\"\n}\n");
    let colored = |args: &[&str], expect: bool| {
        let run = env.run(args);
        assert_eq!(run.stdout.contains('\x1b'), expect, "{args:?}: {}", run.stdout);
    };
    colored(&["plan", "a.hcl"], false);
    colored(&["plan", "--color", "always", "a.hcl"], true);
    colored(&["plan", "--color", "never", "a.hcl"], false);
}

#[test]
fn logs_are_quiet_unless_asked_for() {
    let env = Env::with("a.hcl", "task \"x\" { check = \"true\" }\n");
    env.run(&["plan", "a.hcl"]).err("").code(0);
    env.run(&["plan", "--log", "nonsense=nonsense=", "a.hcl"]).err_has("invalid value").code(1);
}

#[test]
fn logs_are_on_standard_error_and_only_when_asked_for() {
    let env = Env::with("a.hcl", "task \"x\" { check = \"true\" }\n");
    env.run(&["apply", "a.hcl"]).err("").code(0);
    env.run(&["apply", "-v", "a.hcl"])
        .out("Apply: 0 changed, 0 failed, 1 unchanged (TIME)\n")
        .err_has("loaded module=\"a.hcl\" resources=1 problems=0")
        .err_has("handled id=root/task.x outcome=Unchanged")
        .code(0);
    env.run(&["apply", "--log", "converge_system=debug", "a.hcl"])
        .err_has("ended program=\"/bin/sh\" exit=Code(0)")
        .code(0);
}

/// Tests that messages of unchanged resources are shown to people with `-v`, and to programs always.
#[test]
fn messages_of_unchanged_resources_are_shown_when_asked() {
    let env = Env::with("a.hcl", "task.query \"q\" { query = \"echo why; exit 3\" }\n");
    for command in ["plan", "apply", "healthcheck"] {
        let short = env.run(&[command, "a.hcl"]).code(0).stdout;
        assert!(!short.contains("why"), "{short}");
        env.run(&[command, "-v", "a.hcl"])
            .out_has("= task.query.q  ")
            .out_has("exit code 3:\n  why\n")
            .code(0);
        env.run(&[command, "--format", "json", "a.hcl"]).out_has("exit code 3:\\nwhy").code(0);
    }
}

#[test]
fn a_parameter_is_for_the_files_that_have_it() {
    let env = Env::with("a.hcl", "param \"x\" {}\n");
    env.write("b.hcl", "param \"y\" { default = 1 }\n");
    env.run(&["plan", "-p", "x=1", "a.hcl", "b.hcl"]).err("").code(0);
    env.run(&["plan", "-p", "x=1", "-p", "z=1", "a.hcl", "b.hcl"])
        .err_has("a.hcl has no parameter `z`")
        .err_has("b.hcl has no parameter `z`")
        .code(1);
}

#[test]
fn a_module_is_looked_at_without_values_for_its_parameters() {
    let env = Env::with("a.hcl", "param \"x\" {}\ntask \"t\" { check = param.x }\n");
    env.run(&["validate", "a.hcl"]).out("1 file is valid\n").err("").code(0);
    env.run(&["graph", "a.hcl"]).out_has("param.x").err("").code(0);
    env.run(&["plan", "a.hcl"]).err_has("error[missing-param]: parameter `x` of a.hcl is required").code(1);
}
