//! Tests of the output and exit codes of `converge healthcheck`.

use serde_json::{Value, json};

use crate::env::Env;

const SITE: &str = r#"
param "code" { default = 0 }

file.content "page" {
  destination = "DIR/page"
  content     = "hello"
}

healthcheck.task "disk" {
  check = "echo 91% used; exit {{param `code`}}"
}

task "report" {
  check   = "true"
  depends = ["healthcheck.task.disk"]
}
"#;

#[test]
fn each_level_has_its_code() {
    let env = Env::with("site.hcl", SITE);
    env.run(&["healthcheck", "site.hcl"])
        .out(
            "~ file.content.page  warning: will change\n  state: \"absent\" => \"present\"\n  content: \"\" => \"hello\"\n\
             = healthcheck.task.disk  healthy\n\
             = task.report  healthy\n\
             Health: warning: 0 errors, 1 warning, 2 healthy (TIME)\n",
        )
        .err("")
        .code(3);
    assert_eq!(env.read("page"), None, "nothing is changed");

    env.write("page", "hello");
    env.run(&["healthcheck", "site.hcl"]).code(0);
    env.run(&["healthcheck", "--quiet", "site.hcl"])
        .out("Health: healthy: 0 errors, 0 warnings, 3 healthy (TIME)\n")
        .code(0);

    // Exit code 1 of a check is a warning, and any other an error; both prevent checks of dependents.
    for (code, health, summary, exit) in [
        ("1", "warning", "warning: 0 errors, 2 warnings", 3),
        ("2", "error", "error: 2 errors, 0 warnings", 4),
        ("77", "error", "error: 2 errors, 0 warnings", 4),
    ] {
        let reason =
            format!("there is no `apply`, so nothing can be changed: `check` ended with exit code {code}:");
        let sign = if exit == 3 { "~" } else { "!" };
        env.run(&["healthcheck", "-q", "-p", &format!("code={code}"), "site.hcl"])
            .out(&format!(
                "{sign} healthcheck.task.disk  {health}: can't change\n  error: {reason}\n  91% used\n\
                 {sign} task.report  {health}: skipped, because healthcheck.task.disk failed\n  \
                 failing dependencies: healthcheck.task.disk ({health})\n\
                 Health: {summary}, 1 healthy (TIME)\n",
            ))
            .err("")
            .code(exit);
    }
}

#[test]
fn an_exit_code_also_counts_where_an_apply_would_mend_it() {
    let env = Env::with("a.hcl", "healthcheck.task \"a\" {\n  check = \"exit 2\"\n  apply = \"true\"\n}\n");
    env.run(&["plan", "a.hcl"]).out_has("+ healthcheck.task.a  will change\n").code(0);
    env.run(&["healthcheck", "a.hcl"]).out_has("! healthcheck.task.a  error: will change\n").code(4);
    // For a `task`, the exit code does not affect health.
    env.write("b.hcl", "task \"b\" {\n  check = \"exit 2\"\n  apply = \"true\"\n}\n");
    env.run(&["healthcheck", "b.hcl"]).out_has("~ task.b  warning: will change\n").code(3);
    // The worst file decides the exit code.
    env.run(&["healthcheck", "a.hcl", "b.hcl"]).out_has("a.hcl:\n").out_has("b.hcl:\n").code(4);
    env.run(&["healthcheck", "b.hcl", "a.hcl"]).code(4);
}

#[test]
fn programs_get_lines_of_json() {
    let env = Env::with("site.hcl", SITE);
    let run = env.run(&["healthcheck", "--format", "json", "-p", "code=5", "site.hcl"]).err("").code(4);
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let short: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {} {}", line["event"], line["id"], line["health"]).replace('"', ""))
        .collect();
    assert_eq!(
        short,
        [
            "module null null",
            "health root/file.content.page warning",
            "health root/healthcheck.task.disk error",
            "health root/task.report error",
            "health-summary null error",
        ]
    );
    assert_eq!(lines[3]["failing"], json!([{ "id": "root/healthcheck.task.disk", "health": "error" }]));
    assert_eq!(lines[2]["failure"]["stage"], "check");
    assert_eq!(
        (&lines[4]["errors"], &lines[4]["warnings"], &lines[4]["healthy"]),
        (&json!(2), &json!(1), &json!(0))
    );
}

#[test]
fn a_module_with_mistakes_says_nothing_about_health() {
    let env = Env::with("bad.hcl", "task \"x\" { chck = \"true\" }\n");
    env.run(&["healthcheck", "bad.hcl"]).out("").err_has("unknown field `chck`").code(1);
}
