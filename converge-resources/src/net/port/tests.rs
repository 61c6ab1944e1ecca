use std::sync::Arc;
use std::time::Duration;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Address, ModelSystem, System};

use super::PortPreparer;
use crate::testing::{Written, apply, context, local, plan, plan_pending, prepare};

fn written(port: u16, extra: Written<'_>) -> Vec<(&'static str, Value)> {
    [("port", Value::from(i64::from(port)))].into_iter().chain(extra.iter().cloned()).collect()
}

fn model(listening: &[u16]) -> Arc<dyn System> {
    let model = ModelSystem::new().with_flowing_time();
    Arc::new(
        listening.iter().fold(model, |model, port| model.with_listener(Address::tcp("localhost", *port))),
    )
}

#[tokio::test]
async fn what_a_plan_says() {
    let check = async |port: u16, more: Written<'_>, expect: &str| {
        assert_eq!(
            plan::<PortPreparer>(&model(&[80]), &written(port, more)).await,
            expect,
            "{port} {more:?}"
        );
    };
    check(80, &[], "no change").await;
    check(80, &[("host", "".into())], "no change").await;
    check(81, &[], "will change\nlocalhost:81: \"closed\" => \"open\"\n# connection refused").await;
    check(
        80,
        &[("host", "::1".into())],
        "will change\n[::1]:80: \"closed\" => \"open\"\n# connection refused",
    )
    .await;
    check(
        80,
        &[("host", "[::1]".into())],
        "will change\n[::1]:80: \"closed\" => \"open\"\n# connection refused",
    )
    .await;
    check(80, &[("max_retry", 0.into())], "error: max_retry: 0 is out of range: at least 1").await;
    let output = plan::<PortPreparer>(&model(&[]), &[]).await;
    assert_eq!(output, "error: port: `port` is required");
    let pending = plan_pending::<PortPreparer>(&model(&[]), &written(80, &[])).await;
    assert_eq!(pending, "may change\nlocalhost:80: \"closed\" => \"open\"\n# connection refused");
}

#[tokio::test]
async fn an_apply_gives_up_in_the_end() {
    let check = async |more: Written<'_>, expect: &str| {
        let output = apply::<PortPreparer>(&model(&[]), &written(80, more)).await;
        let expect = format!(
            "will change\nlocalhost:80: \"closed\" => \"open\"\n# connection refused\nerror: localhost:80 does not \
             accept connections after {expect}: connection refused"
        );
        assert_eq!(output, expect, "{more:?}");
    };
    check(&[], "5 attempts in 20.0s").await;
    check(&[("max_retry", 1.into())], "1 attempt in 0.0s").await;
    check(&[("interval", "100ms".into()), ("max_retry", 3.into())], "3 attempts in 0.2s").await;
    check(&[("grace_period", "2s".into()), ("max_retry", 2.into())], "2 attempts in 7.0s").await;
}

/// A real port opens during the wait.
#[tokio::test]
async fn a_port_that_opens_later() {
    // The bound socket reserves the port, which is still closed.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let fields =
        [("host", "127.0.0.1".into()), ("interval", "10ms".into()), ("max_retry", Value::from(10_000))];
    let fields = written(address.port(), &fields);
    let cx = context(local(), RunMode::Apply);
    let mut task = prepare::<PortPreparer>(&cx, &fields).await.unwrap();
    let renderer = converge_core::testing::FakeRenderer::new();
    assert!(task.check(&cx, &renderer).await.unwrap().has_changes());
    let (applied, listener) = tokio::join!(task.apply(&cx), async {
        // The task has seen the port closed before this code runs.
        tokio::task::yield_now().await;
        socket.listen(16)
    });
    let _listener = listener.unwrap();
    let applied = applied.unwrap();
    let message = applied.messages().first().copied().unwrap_or_default();
    assert!(message.starts_with(&format!("{address} is open after ")), "{message}");
    assert!(!task.check(&cx, &renderer).await.unwrap().has_changes());
}

#[tokio::test]
async fn it_can_be_cancelled_at_once() {
    let cx = context(Arc::new(ModelSystem::new()), RunMode::Apply);
    let mut task = prepare::<PortPreparer>(&cx, &written(80, &[])).await.unwrap();
    let cancellation = cx.cancellation().clone();
    let (applied, ()) =
        tokio::join!(tokio::time::timeout(Duration::from_mins(1), task.apply(&cx)), async move {
            cancellation.cancel();
        });
    assert!(matches!(applied, Ok(Err(Error::Cancelled))), "{applied:?}");
}

laws!(
    PortPreparer,
    start = || ModelSystem::new().with_listener(Address::tcp("localhost", 80)),
    values = ("port", [80, 81]),
    values = ("max_retry", [1, 3]),
    values = ("grace_period", ["1s"]),
    values = ("interval", ["1s"]),
    only_looks = "others open a port"
);
