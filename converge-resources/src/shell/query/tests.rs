use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::System;
use converge_sdk::system::{Command, Exit, LeftOut, ModelSystem, Output};

use super::QueryPreparer;
use crate::testing::{Written, context, local, plan, plan_pending, prepare, show};

#[tokio::test]
async fn a_query_that_runs_too_long() {
    let killed = Output {
        exit: Exit::TimedOut,
        stdout: b"begun\n".to_vec(),
        stderr: Vec::new(),
        left_out: LeftOut::default(),
    };
    let is_checked = |command: &Command| !command.args.is_empty();
    let answer =
        move |command: &Command| if is_checked(command) { Output::success("") } else { killed.clone() };
    let model = ModelSystem::new().with_program(move |command, _| Some(answer(command)));
    let system: Arc<dyn System> = Arc::new(model);
    assert_eq!(
        plan::<QueryPreparer>(&system, &[("query", "slow".into()), ("timeout", "200ms".into())]).await,
        "error: `query` did not end within 200ms, so its process group was killed:\nbegun"
    );
}

#[tokio::test]
async fn a_query_never_has_changes() {
    let check = async |written: Written<'_>, expect: &str| {
        assert_eq!(plan::<QueryPreparer>(&local(), written).await, expect, "{written:?}");
    };
    check(&[("query", "echo hi".into())], "no change").await;
    check(&[("query", "exit 2".into())], "no change\n# `query` ended with exit code 2").await;
    check(
        &[("query", "echo a; echo b >&2; exit 2".into())],
        "no change\n# `query` ended with exit code 2:\na\nb",
    )
    .await;
    check(&[("query", "".into())], "error: query: `query` must not be empty").await;
    check(&[], "error: query: `query` is required").await;
    let output = plan::<QueryPreparer>(&local(), &[("query", Value::from("if"))]).await;
    assert!(output.starts_with("error: query: /bin/sh does not accept this script:\n"), "{output}");
    check(&[("query", "true".into()), ("dir", "/none".into())], "error: directory \"/none\" does not exist")
        .await;
    assert_eq!(
        plan_pending::<QueryPreparer>(&local(), &[("query", "true".into()), ("dir", "/none".into())]).await,
        "may change\n# the directory \"/none\" does not exist yet"
    );
}

#[tokio::test]
async fn the_answer_is_exported() {
    let check = async |query: Value, expect: [&str; 6]| {
        let cx = context(local(), RunMode::Plan);
        let fields = [("query", query), ("exec_flags", Value::from(vec!["-u"]))];
        let mut task = prepare::<QueryPreparer>(&cx, &fields).await.unwrap();
        show(&task.check(&cx, &FakeRenderer::new()).await);
        let exports = task.exports();
        let paths: [&[&str]; 6] = [
            &["task"],
            &["status", "exitstatus"],
            &["status", "stdout"],
            &["status", "stderr"],
            &["status", "stdin"],
            &["checkstatus", "stdout"],
        ];
        assert_eq!(paths.map(|path| exports.get(path).unwrap().to_string()), expect);
    };
    check(
        "echo hi; echo ho >&2; exit 2".into(),
        [
            "\"echo hi; echo ho >&2; exit 2\"",
            "2",
            "\"hi\\n\"",
            "\"ho\\n\"",
            "\"echo hi; echo ho >&2; exit 2\"",
            "\"hi\\n\"",
        ],
    )
    .await;
    check(
        "printf '\\377'".into(),
        ["\"printf '\\\\377'\"", "0", "\"\u{fffd}\"", "\"\"", "\"printf '\\\\377'\"", "\"\u{fffd}\""],
    )
    .await;
    let hidden = "(sensitive)";
    check(Value::from("echo hunter2").into_secret(), [hidden, "0", hidden, hidden, hidden, hidden]).await;
}

/// Returns the output of a shell that accepts the syntax of a script and fails to run it.
fn answer(command: &Command) -> Output {
    let checks = command.args.iter().any(|flag| flag == "-n" || flag == "-c");
    if checks { Output::success("") } else { Output::failure(1, "no such command") }
}

#[tokio::test]
async fn what_runs() {
    let model = Arc::new(ModelSystem::new().with_program(|command, _| Some(answer(command))));
    let cx = context(Arc::clone(&model) as _, RunMode::Plan);
    let check = async |more: Written<'_>, expect: &[&[&str]]| {
        model.restart();
        let fields: Vec<_> =
            [("query", Value::from("uptime"))].into_iter().chain(more.iter().cloned()).collect();
        let mut task = prepare::<QueryPreparer>(&cx, &fields).await.unwrap();
        show(&task.check(&cx, &FakeRenderer::new()).await);
        let lines: Vec<Vec<String>> = model
            .commands()
            .into_iter()
            .inspect(|command| assert_eq!(command.stdin, b"uptime"))
            .map(|command| std::iter::once(command.program).chain(command.args).collect())
            .collect();
        assert_eq!(lines, expect, "{more:?}");
    };
    let with_interpreter = |interpreter: &'static str| ("interpreter", Value::from(interpreter));
    check(&[], &[&["/bin/sh"], &["/bin/sh", "-n"]]).await;
    check(&[with_interpreter("bash")], &[&["bash"], &["bash", "-n"]]).await;
    check(
        &[with_interpreter("/usr/bin/zsh"), ("exec_flags", vec!["-e", "-u"].into())],
        &[&["/usr/bin/zsh", "-e", "-u"], &["/usr/bin/zsh", "-n"]],
    )
    .await;
    check(&[with_interpreter("/usr/bin/python3")], &[&["/usr/bin/python3"]]).await;
    check(&[with_interpreter("ruby"), ("check_flags", vec!["-c"].into())], &[&["ruby"], &["ruby", "-c"]])
        .await;
    check(&[("check_flags", Value::List(vec![]))], &[&["/bin/sh"]]).await;
    assert_eq!(model.effects(), []);
}

fn answers() -> ModelSystem {
    ModelSystem::new().with_program(|command, _| match command.stdin.as_slice() {
        b"fails" => Some(Output::failure(2, "")),
        _ => Some(Output::success("an answer\n")),
    })
}

laws!(
    QueryPreparer,
    start = answers,
    values = ("query", ["asks", "fails"]),
    only_looks = "a query has no changes"
);
