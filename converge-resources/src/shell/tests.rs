mod output_progress;
mod run_as;

use std::sync::{Arc, mpsc};
use std::time::Duration;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::Exports;
use converge_sdk::Health;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, Output, System};

use super::healthcheck::HealthcheckPreparer;
use super::query::QueryPreparer;
use super::script::ScriptPreparer;
use super::wait::WaitPreparer;
use crate::testing::{Written, apply, apply_task, context, local, plan, plan_pending, prepare, show};

fn env(variables: &[(&str, &str)]) -> Value {
    Value::Map(variables.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect())
}

#[tokio::test]
async fn variables_that_cannot_be() {
    let check = async |name: &str, value: &str, expect: &str| {
        let fields = [("check", Value::from("true")), ("env", env(&[(name, value)]))];
        let output = plan::<ScriptPreparer>(&local(), &fields).await;
        assert!(
            output.starts_with("error: ") && output.contains("env") && output.contains(expect),
            "{output}"
        );
    };
    check("", "x", "a variable needs a name").await;
    check("A=B", "x", "no variable has a name with `=`, as \"A=B\" has").await;
    check("A\0", "x", "no variable has a name with NUL").await;
    check("A", "x\0y", "the value of \"A\" has a NUL").await;
}

#[tokio::test]
async fn scripts_that_do_nothing_are_refused() {
    let check = async |written: Written<'_>, task: &str, health: &str| {
        assert_eq!(plan::<ScriptPreparer>(&local(), written).await, task, "{written:?}");
        assert_eq!(plan::<HealthcheckPreparer>(&local(), written).await, health, "{written:?}");
    };
    let only_apply = "no change\nwarning: there is no `check`, so `apply` only runs for `on_change_of`";
    let is_required = "error: check: `check` is required";
    check(&[], "error: one of `check` or `apply` is required", is_required).await;
    check(&[("apply", "true".into())], only_apply, is_required).await;
    check(&[("dir", "/".into())], "error: one of `check` or `apply` is required", is_required).await;
    for field in ["check", "apply"] {
        let fields = |text: &str| {
            [("check", Value::from("true")), ("apply", "true".into())]
                .map(|(name, other)| (name, if name == field { Value::from(text) } else { other }))
        };
        let empty = format!("error: {field}: `{field}` must not be empty");
        check(&fields(""), &empty, &empty).await;
        let blank = format!("error: {field}: \" \\n\" is not a script: it is blank");
        check(&fields(" \n"), &blank, &blank).await;
    }
    for (name, output) in [
        ("query", plan::<QueryPreparer>(&local(), &[("query", "\n".into())]).await),
        ("check", plan::<WaitPreparer>(&local(), &[("check", "\n".into())]).await),
    ] {
        assert_eq!(output, format!("error: {name}: \"\\n\" is not a script: it is blank"));
    }
}

#[tokio::test]
async fn plans() {
    let check = async |written: Written<'_>, expect: &str| {
        assert_eq!(plan::<ScriptPreparer>(&local(), written).await, expect, "{written:?}");
        assert_eq!(plan::<HealthcheckPreparer>(&local(), written).await, expect, "{written:?}");
    };
    let apply = || ("apply", Value::from("true"));
    check(&[("check", "true".into()), apply()], "no change").await;
    check(
        &[("check", "echo out; echo err >&2; exit 3".into()), apply()],
        "will change\ncheck: \"exit code 3\" => \"exit code 0\"\n# `check` printed:\nout\nerr",
    )
    .await;
    check(
        &[("check", "echo down; exit 1".into())],
        "can't change\nerror: there is no `apply`, so nothing can be changed: `check` ended with exit code 1:\ndown",
    )
    .await;
    check(
        &[("check", "kill -9 $$".into()), apply()],
        "will change\ncheck: \"exit code 137\" => \"exit code 0\"",
    )
    .await;
    check(&[("check", "[ \"$A\" = 'b c' ]".into()), ("env", env(&[("A", "b c")]))], "no change").await;
    check(&[("check", "[ \"$PWD\" = / ]".into()), ("dir", "/".into())], "no change").await;
    check(
        &[("check", "false; true".into()), ("exec_flags", vec!["-e"].into()), apply()],
        "will change\ncheck: \"exit code 1\" => \"exit code 0\"",
    )
    .await;
    check(&[("check", "true".into()), ("dir", "/none".into())], "error: directory \"/none\" does not exist")
        .await;
    check(
        &[("check", "true".into()), ("interpreter", "/none/sh".into())],
        "error: interpreter \"/none/sh\" does not exist",
    )
    .await;
}

#[tokio::test]
async fn a_mistake_in_the_syntax_is_found_before_anything_is_changed() {
    let dir = tempfile::tempdir().unwrap();
    let marker = dir.path().join("ran");
    let changes = format!("touch {}\nif", marker.display());
    let check = async |written: Written<'_>, expect: &str| {
        let output = apply::<ScriptPreparer>(&local(), written).await;
        assert!(output.lines().any(|line| line == expect), "{written:?}: {output}");
        #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
        let exists = marker.exists();
        assert!(!exists, "{written:?}");
    };
    let bad = || Value::from("true\nif");
    check(&[("check", bad())], "error: check: /bin/sh does not accept this script:").await;
    check(
        &[("check", "false".into()), ("apply", changes.as_str().into())],
        "error: apply: /bin/sh does not accept this script:",
    )
    .await;
    check(
        &[("check", bad()), ("interpreter", "/bin/bash".into())],
        "error: check: /bin/bash does not accept this script:",
    )
    .await;
    // A shell reads a whole line before it runs anything of it.
    let line = changes.replace('\n', "; ");
    for shell in ["/bin/sh", "/bin/bash"] {
        let interpreter = || ("interpreter", Value::from(shell));
        let refused = |field: &str| format!("error: {field}: {shell} does not accept this script:");
        check(&[("check", "true; if".into()), interpreter()], &refused("check")).await;
        let fields = [("check", "false".into()), ("apply", line.as_str().into()), interpreter()];
        check(&fields, &refused("apply")).await;
    }
    check(
        &[("check", "exit 7".into()), ("interpreter", "/bin/sh".into()), ("check_flags", vec!["-e"].into())],
        "error: check: /bin/sh does not accept this script",
    )
    .await;
    // The syntax check of this interpreter is unknown.
    check(&[("check", "if".into()), ("interpreter", "/bin/cat".into())], "no change").await;
    check(
        &[
            ("check", "if".into()),
            ("check_flags", Value::List(vec![])),
            ("exec_flags", vec!["-c", "true"].into()),
        ],
        "no change",
    )
    .await;
}

#[tokio::test]
async fn what_is_missing_may_be_made_by_a_pending_change() {
    let check = async |written: Written<'_>, expect: &str| {
        assert_eq!(plan_pending::<ScriptPreparer>(&local(), written).await, expect, "{written:?}");
    };
    check(
        &[("check", "true".into()), ("interpreter", "/none/sh".into())],
        "may change\n# the interpreter \"/none/sh\" does not exist yet",
    )
    .await;
    check(
        &[("check", "true".into()), ("dir", "/none".into())],
        "may change\n# the directory \"/none\" does not exist yet",
    )
    .await;
    check(&[("check", "exit 1".into())], "may change\n# `check` ended with exit code 1").await;
    check(
        &[("check", "exit 1".into()), ("apply", "true".into())],
        "will change\ncheck: \"exit code 1\" => \"exit code 0\"",
    )
    .await;
}

#[tokio::test]
async fn an_apply_makes_the_check_pass() {
    let dir = tempfile::tempdir().unwrap();
    let failing = "will change\ncheck: \"exit code 1\" => \"exit code 0\"";
    let check = async |check: &str, script: &str, expect: &str| {
        let fields = [
            ("check", Value::from(check)),
            ("apply", Value::from(script)),
            ("dir", Value::from(dir.path().to_str().unwrap())),
        ];
        assert_eq!(apply::<ScriptPreparer>(&local(), &fields).await, expect, "{check} {script}");
    };
    check("[ -f a ]", "touch a", failing).await;
    check("[ -f a ]", "touch a", "no change").await;
    let printed = format!("{failing}\n# `apply` printed:\nmade\nreally");
    check("[ -f b ]", "touch b; echo made; echo really >&2", &printed).await;
    let failed = format!("{failing}\nerror: `apply` ended with exit code 4:\ntrying");
    check("[ -f c ]", "echo trying; exit 4", &failed).await;
    check("[ -f d ]", "true", &format!("{failing}\nand after apply: {failing}")).await;
}

/// Returns a host with a shell that can query and set facts.
fn model() -> ModelSystem {
    ModelSystem::new().with_program(|command, machine| {
        match (command.args.as_slice(), command.stdin.as_slice()) {
            ([flag], _) if flag == "-n" => Some(Output::success("")),
            ([], b"look") if machine.fact("done").is_some() => Some(Output::success("")),
            ([], b"look") => Some(Output::failure(1, "")),
            ([], b"do") => {
                machine.put_fact("done", "yes");
                Some(Output::success(""))
            }
            _ => None,
        }
    })
}

#[tokio::test]
async fn a_script_that_runs_too_long_is_killed_with_all_that_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let (start_marker, fifo) = (dir.path().join("begun"), dir.path().join("fifo"));
    #[expect(clippy::disallowed_methods, reason = "the test makes what the resource works on")]
    let status = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(status.success());
    // Reading ends when the last process that has the pipe open has ended.
    let (ended, all_ended) = mpsc::channel();
    let script = format!(
        "exec 3>{}\nsleep 100 &\necho begun; echo trouble >&2; touch {}; wait",
        fifo.display(),
        start_marker.display()
    );
    std::thread::spawn(move || {
        #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
        let read = std::fs::read(fifo);
        ended.send(read).unwrap();
    });
    let fields = [("check", Value::from(script)), ("timeout", Value::from("1h"))];
    let system = local();
    let (planned, ()) = tokio::join!(plan::<ScriptPreparer>(&system, &fields), async {
        #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
        while !start_marker.exists() {
            tokio::task::yield_now().await;
        }
        tokio::time::pause();
        tokio::time::advance(Duration::from_hours(1)).await;
        tokio::time::resume();
    });
    assert_eq!(
        planned,
        "error: `check` did not end within 3600s, so its process group was killed:\nbegun\ntrouble"
    );
    all_ended
        .recv_timeout(Duration::from_secs(30))
        .expect("the program in the background was killed")
        .unwrap();
}

fn exported(exports: &Exports, paths: &[&str]) -> Vec<String> {
    let path = |path: &&str| {
        let parts: Vec<&str> = path.split('.').collect();
        exports.get(&parts).map_or_else(|| "nothing".to_owned(), ToString::to_string)
    };
    paths.iter().map(path).collect()
}

#[tokio::test]
async fn exports_follow_the_scripts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let fields = [
        ("check", Value::from("echo looking; [ -f a ]")),
        ("apply", Value::from("echo doing; echo hm >&2; touch a")),
        ("dir", Value::from(path)),
        ("env", env(&[("A", "1")])),
    ];
    let cx = context(local(), RunMode::Apply);
    let mut task = prepare::<ScriptPreparer>(&cx, &fields).await.unwrap();
    let names = ["check", "apply", "dir", "env.A", "status.exitstatus", "Status.Stdout", "healthstatus"];
    let expect = [
        "\"echo looking; [ -f a ]\"",
        "\"echo doing; echo hm >&2; touch a\"",
        &format!("{path:?}"),
        "\"1\"",
        "1",
        "\"looking\\n\"",
        "\"warning\"",
    ];
    show(&task.check(&cx, &FakeRenderer::new()).await);
    assert_eq!(exported(&task.exports(), &names), expect);

    apply_task(&cx, &mut task).await;
    let names = ["status.exitstatus", "status.stdout", "status.stderr", "status.stdin", "checkstatus.stdout"];
    let expect = ["0", "\"doing\\n\"", "\"hm\\n\"", "\"echo doing; echo hm >&2; touch a\"", "\"looking\\n\""];
    assert_eq!(exported(&task.exports(), &names), expect);
    assert_eq!(exported(&task.exports(), &["checkstatus.exitstatus", "healthstatus"]), ["1", "\"healthy\""]);
}

#[tokio::test]
async fn a_check_of_health_says_it_by_its_exit_code() {
    async fn health<R: Resource>(code: i64, apply: Option<&str>) -> Option<Health> {
        let cx = context(local(), RunMode::Plan);
        let fields = [("check", Value::from(format!("exit {code}"))), ("apply", Value::from(apply))];
        let mut task = prepare::<R>(&cx, &fields).await.unwrap();
        task.check(&cx, &FakeRenderer::new()).await.unwrap().health()
    }
    for (code, expect) in
        [(0, Health::Healthy), (1, Health::Warning), (2, Health::Error), (255, Health::Error)]
    {
        for apply in [None, Some("true")] {
            assert_eq!(health::<HealthcheckPreparer>(code, apply).await, Some(expect), "{code}");
            assert_eq!(health::<ScriptPreparer>(code, apply).await, None, "{code}");
        }
    }
}

#[tokio::test]
async fn nothing_of_a_secret_is_shown() {
    let secret = || Value::from("hunter2").into_secret();
    let check = async |written: Written<'_>| {
        let cx = context(local(), RunMode::Apply);
        let mut task = prepare::<ScriptPreparer>(&cx, written).await.unwrap();
        let output = apply_task(&cx, &mut task).await;
        assert!(output.contains("(sensitive)") && !output.contains("hunter2"), "{output}");
        assert!(!format!("{task:?}").contains("hunter2"), "{task:?}");
        let exports = task.exports().into_value().to_string();
        assert!(!exports.contains("hunter2"), "{exports}");
    };
    let map = Value::from([("PASSWORD", secret())]);
    check(&[("check", "echo $PASSWORD; exit 1".into()), ("env", map)]).await;
    check(&[("check", Value::from("echo hunter2; exit 1").into_secret())]).await;
    check(&[("check", "exit 1".into()), ("apply", Value::from("echo hunter2; exit 1").into_secret())]).await;
    let syntax = [("check", Value::from("if hunter2 ; hunter2").into_secret())];
    let output = plan::<ScriptPreparer>(&local(), &syntax).await;
    assert_eq!(output, "error: check: /bin/sh does not accept this script:\n(sensitive)");
}

#[tokio::test]
async fn the_deadline_of_the_run_is_a_timeout_too() {
    let cx = context(local(), RunMode::Plan);
    let cx = cx.with_deadline(tokio::time::Instant::now() + Duration::from_millis(300));
    let fields = [("check", Value::from("sleep 100")), ("timeout", Value::from("20s"))];
    let mut task = prepare::<ScriptPreparer>(&cx, &fields).await.unwrap();
    let output = show(&task.check(&cx, &FakeRenderer::new()).await);
    assert!(output.starts_with("error: `check` did not end within"), "{output}");
    assert!(!output.contains("within 20s"), "{output}");
}

#[tokio::test]
async fn the_script_is_not_in_the_list_of_processes() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    plan::<ScriptPreparer>(&system, &[("check", Value::from("look")), ("apply", Value::from("do"))]).await;
    let arguments: Vec<_> = model.commands().into_iter().map(|command| command.args).collect();
    assert_eq!(arguments, [vec![], vec!["-n".to_owned()]]);
}

#[tokio::test]
async fn what_is_in_order_costs_one_process() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = [("check", Value::from("look")), ("apply", Value::from("do"))];
    apply::<ScriptPreparer>(&system, &fields).await;
    model.restart();
    plan::<ScriptPreparer>(&system, &fields).await;
    apply::<ScriptPreparer>(&system, &fields).await;
    plan::<HealthcheckPreparer>(&system, &fields).await;
    assert_eq!(model.commands().len(), 3);
}

mod of_scripts {
    use super::*;

    laws!(ScriptPreparer, start = model, values = ("check", ["look"]), values = ("apply", ["do"]));
}

mod of_healthchecks {
    use super::*;

    laws!(HealthcheckPreparer, start = model, values = ("check", ["look"]), values = ("apply", ["do"]));
}
