//! Tests of the call metrics.

use std::time::Duration;

use serde_json::json;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::client::reflect;
use super::{artist, artist_type, id, start};
use crate::server::Running;

/// The maximum time to wait before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

async fn metrics(running: &Running) -> String {
    running.metrics().openmetrics("").await
}

/// Waits until a sample of the gRPC listener has a value.
async fn until(running: &Running, metric: &str, labels: &str, value: u64) {
    let expect = format!("{metric}{{door=\"grpc\"{labels}}} {value}");
    let counted = async {
        while !metrics(running).await.lines().any(|line| line == expect) {
            yield_now().await;
        }
    };
    let counted = timeout(PATIENCE, counted).await;
    assert!(counted.is_ok(), "no {expect} in\n{}", metrics(running).await);
}

async fn until_asked(running: &Running, method: &str, code: &str, count: u64) {
    let route = if method == "other" { "other" } else { "converge.resource.ResourceService" };
    let labels = format!(",method=\"{method}\",route=\"{route}\",code=\"{code}\"");
    until(running, "converge_server_requests_total", &labels, count).await;
}

#[tokio::test]
async fn calls_are_counted_by_method_and_code() {
    let (running, client) = start().await;
    client.ask("Write", json!({ "resource": artist("korn", "metal") })).await.unwrap();
    until_asked(&running, "Write", "OK", 1).await;
    client.ask("Read", json!({ "id": id("korn") })).await.unwrap();
    client.ask("Read", json!({ "id": id("none") })).await.unwrap_err();
    client.ask("Read", json!({ "id": id("other") })).await.unwrap_err();
    until_asked(&running, "Read", "OK", 1).await;
    until_asked(&running, "Read", "NOT_FOUND", 2).await;
    reflect(&client.channel, "v1alpha", Vec::new()).await;
    let reflected =
        ",method=\"ServerReflectionInfo\",route=\"grpc.reflection.v1alpha.ServerReflection\",code=\"OK\"";
    until(&running, "converge_server_requests_total", reflected, 1).await;

    let large = artist("korn", &"x".repeat(3 * 1024 * 1024));
    client.ask("Write", json!({ "resource": large })).await.unwrap_err();
    until_asked(&running, "Write", "RESOURCE_EXHAUSTED", 1).await;
    until(&running, "converge_server_refused_total", ",limit=\"body\"", 1).await;
    running.stop().await;
}

#[tokio::test]
async fn a_watch_is_counted_while_it_is_told_and_when_it_ends() {
    let (running, client) = start().await;
    let watch = || client.request("WatchList", json!({ "type": artist_type() }));
    let mut left = client.watch(watch()).await.unwrap();
    left.message().await.unwrap();
    until(&running, "converge_server_watches", "", 1).await;
    until(&running, "converge_server_requests_in_flight", "", 0).await;
    drop(left);
    until(&running, "converge_server_watches", "", 0).await;
    until_asked(&running, "WatchList", "cancelled", 1).await;

    let mut timed = watch();
    timed.metadata_mut().insert("grpc-timeout", "3S".parse().unwrap());
    let mut timed = client.watch(timed).await.unwrap();
    while timed.message().await.is_ok() {}
    until_asked(&running, "WatchList", "DEADLINE_EXCEEDED", 1).await;
    until(&running, "converge_server_refused_total", ",limit=\"request_time\"", 1).await;
    running.stop().await;
}

#[tokio::test]
async fn no_client_makes_new_labels() {
    let (running, client) = start().await;
    let ask = async |number: u32| {
        client.send(&format!("Steal{number}"), Vec::new()).await.unwrap_err();
        client.ask("Read", json!({ "id": id(&format!("name-{number}")) })).await.unwrap_err();
        let mut unknown_id = id("x");
        unknown_id["type"]["kind"] = json!(format!("Kind{number}"));
        client.ask("Read", json!({ "id": unknown_id })).await.unwrap_err();
    };
    let series = async || -> Vec<String> {
        let text = metrics(&running).await;
        text.lines().filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned())).collect()
    };
    ask(0).await;
    until_asked(&running, "other", "UNIMPLEMENTED", 1).await;
    let before = series().await;
    for number in 1..=1000 {
        ask(number).await;
    }
    until_asked(&running, "other", "UNIMPLEMENTED", 1001).await;
    assert_eq!(series().await, before);
    running.stop().await;
}
