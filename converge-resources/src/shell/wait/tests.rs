use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, Output, System};

use super::WaitPreparer;
use crate::testing::{Written, apply, context, local, plan, plan_pending, prepare};

#[tokio::test]
async fn what_a_plan_says() {
    let check = async |written: Written<'_>, expect: &str| {
        assert_eq!(plan::<WaitPreparer>(&local(), written).await, expect, "{written:?}");
    };
    let fails = "\ncheck: \"not ready\" => \"ready\"\n# `check` ended with exit code 3:\nno";
    check(&[("check", "echo fine".into())], "no change").await;
    check(&[("check", "echo no; exit 3".into())], &format!("will change{fails}")).await;
    check(&[("check", "".into())], "error: check: `check` must not be empty").await;
    check(
        &[("check", "sleep 100".into()), ("timeout", "50ms".into())],
        "will change\ncheck: \"not ready\" => \"ready\"\n# `check` did not end within 50ms, so its process group was killed",
    )
    .await;
    check(&[("check", "true".into()), ("dir", "/none".into())], "error: directory \"/none\" does not exist")
        .await;
    let pending = plan_pending::<WaitPreparer>(&local(), &[("check", "echo no; exit 3".into())]).await;
    assert_eq!(pending, format!("may change{fails}"));
    let hidden = Value::from("echo hunter2; exit 1").into_secret();
    let output = plan::<WaitPreparer>(&local(), &[("check", hidden)]).await;
    assert!(output.ends_with("exit code 1:\n(sensitive)"), "{output}");
}

/// Returns a host on which a script succeeds in its `nth` run.
fn ready_at(nth: u32) -> Arc<dyn System> {
    let model = ModelSystem::new().with_flowing_time().with_program(move |command, machine| {
        if command.args == ["-n"] {
            return Some(Output::success(""));
        }
        let runs = machine.fact("runs").and_then(|runs| runs.parse().ok()).unwrap_or(0) + 1;
        machine.put_fact("runs", runs.to_string());
        Some(if runs >= nth { Output::success("ready") } else { Output::failure(7, "not yet") })
    });
    Arc::new(model)
}

#[tokio::test]
async fn what_an_apply_says() {
    let check = async |nth: u32, more: Written<'_>, expect: &str| {
        let fields: Vec<_> = [("check", "x".into())].into_iter().chain(more.iter().cloned()).collect();
        let output = apply::<WaitPreparer>(&ready_at(nth), &fields).await;
        let before =
            "will change\ncheck: \"not ready\" => \"ready\"\n# `check` ended with exit code 7:\nnot yet";
        assert_eq!(output, format!("{before}\n{expect}"), "{nth} {more:?}");
    };
    check(2, &[], "# ready after 1 attempt in 0.0s").await;
    check(4, &[("interval", "1500ms".into())], "# ready after 3 attempts in 3.0s").await;
    check(
        9,
        &[("grace_period", "1s".into()), ("max_retry", 2.into())],
        "error: not ready after 2 attempts in 6.0s: `check` ended with exit code 7:\nnot yet",
    )
    .await;
}

#[tokio::test]
async fn the_last_attempt_is_exported() {
    let cx = context(ready_at(3), RunMode::Apply);
    let mut task = prepare::<WaitPreparer>(&cx, &[("check", "x".into())]).await.unwrap();
    let code = |task: &super::Wait| task.exports().get(&["status", "exitstatus"]).cloned();
    task.check(&cx, &FakeRenderer::new()).await.unwrap();
    assert_eq!(code(&task), Some(Value::Int(7)));
    task.apply(&cx).await.unwrap();
    assert_eq!(code(&task), Some(Value::Int(0)));
}

#[tokio::test]
async fn it_can_be_cancelled_at_once() {
    let model = ModelSystem::new().with_program(|_, _| Some(Output::success("")));
    let cx = context(Arc::new(model), RunMode::Apply);
    let fields = [("check", "x".into()), ("grace_period", "1h".into())];
    let mut task = prepare::<WaitPreparer>(&cx, &fields).await.unwrap();
    let cancellation = cx.cancellation().clone();
    let (applied, ()) = tokio::join!(task.apply(&cx), async move { cancellation.cancel() });
    assert!(matches!(applied, Err(Error::Cancelled)), "{applied:?}");
}

fn never_ready() -> ModelSystem {
    ModelSystem::new().with_program(|command, _| match command.args.as_slice() {
        [flag] if flag == "-n" => Some(Output::success("")),
        _ if command.stdin == b"ready" => Some(Output::success("")),
        _ => Some(Output::failure(7, "not yet")),
    })
}

laws!(
    WaitPreparer,
    start = never_ready,
    values = ("check", ["waits", "ready"]),
    values = ("max_retry", [1, 3]),
    values = ("interval", ["1s"]),
    values = ("grace_period", ["1s"]),
    only_looks = "others make ready what it waits for"
);
