//! Tests of secrets over gRPC.

use prost::Message as _;
use serde_json::json;
use tonic::Code;

use super::client::{Client, connect, refused};
use crate::secret_seal::SecretKeys;
use crate::server::Server;

#[tokio::test]
async fn a_value_is_sealed_before_anything_else_sees_it() {
    let local_address = "127.0.0.1:0".parse().unwrap();
    let server = Server::new()
        .with_http(local_address)
        .with_grpc(local_address)
        .with_secrets(SecretKeys::random().unwrap());
    let running = server.start().await.unwrap();
    let client = Client::learn(connect(&running).await, &["converge.converge.v1.Secret"]).await;
    let secret_type = json!({ "group": "converge", "group_version": "v1", "kind": "Secret" });
    let data = json!({ "@type": "type.googleapis.com/converge.converge.v1.Secret", "value": "hunter2" });
    // The request has no tenancy, but the secret is encrypted under its complete id.
    let write = json!({ "resource": { "id": { "type": secret_type, "name": "db" }, "data": data } });
    for method in ["MutateAndValidate", "Write"] {
        let answer = client.ask(method, write.clone()).await.unwrap();
        assert!(!answer.to_string().contains("hunter2"), "{answer}");
        assert!(answer["resource"]["data"]["sealed"].is_string(), "{answer}");
        let result = client.ask("Write", json!({ "resource": answer["resource"] })).await;
        assert_eq!(
            result.is_ok(),
            method == "Write",
            "what a dry run gives has a uid that nobody has: {result:?}"
        );
    }
    let tenancy = json!({ "partition": "default", "namespace": "default" });
    let read = json!({ "id": { "type": secret_type, "tenancy": tenancy, "name": "db" } });
    let mut moved = client.ask("Read", read).await.unwrap()["resource"].clone();
    moved["id"] = json!({ "type": secret_type, "name": "db2" });
    moved["version"] = json!("");
    refused(
        client.ask("Write", json!({ "resource": moved })).await,
        Code::InvalidArgument,
        "under this name",
    );
    running.stop().await;
}

/// A value that occurs nowhere else.
const CANARY: &str = "canary-Vq7x0RtBn3";

#[track_caller]
fn without_canary(label: &str, bytes: &[u8]) {
    let is_present = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
    assert!(!is_present, "{label} has the value: {}", String::from_utf8_lossy(bytes));
}

#[tokio::test]
async fn no_byte_of_a_value_leaves_by_any_call() {
    let local_address = "127.0.0.1:0".parse().unwrap();
    let server = Server::new()
        .with_http(local_address)
        .with_grpc(local_address)
        .with_secrets(SecretKeys::random().unwrap());
    let running = server.start().await.unwrap();
    let client = Client::learn(connect(&running).await, &["converge.converge.v1.Secret"]).await;
    let secret_type = json!({ "group": "converge", "group_version": "v1", "kind": "Secret" });
    let tenancy = json!({ "partition": "default", "namespace": "default" });
    let id = json!({ "type": secret_type, "tenancy": tenancy, "name": "db" });
    let query = json!({ "type": secret_type, "tenancy": tenancy });
    let mut watch = client.open("WatchList", query.clone()).await.unwrap();
    // The end of an empty snapshot.
    let mut messages = vec![watch.message().await.unwrap().unwrap()];

    let data = json!({ "@type": "type.googleapis.com/converge.converge.v1.Secret", "value": CANARY });
    let write = json!({ "resource": { "id": id, "data": data } });
    let sent = client.request("Write", write.clone()).into_inner().encode_to_vec();
    assert!(sent.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()), "nothing would be found");
    let requests = [
        ("MutateAndValidate", write.clone()),
        ("Write", write),
        ("Read", json!({ "id": id })),
        ("List", query),
        ("ListByOwner", json!({ "owner": id })),
        ("Delete", json!({ "id": id })),
    ];
    for (method, json) in requests {
        match client.open(method, json).await {
            Ok(mut answers) => {
                while let Some(answer) = answers.message().await.unwrap() {
                    without_canary(method, &answer);
                }
            }
            Err(status) => {
                assert_eq!(method, "ListByOwner", "it asks for a whole identity: {status}");
                without_canary(method, format!("{status:?}").as_bytes());
            }
        }
    }
    // The secret was written and deleted.
    for _ in 0..2 {
        messages.push(watch.message().await.unwrap().unwrap());
    }
    assert!(messages[1].len() > 50 && messages[2].len() > 50, "{messages:?}");
    for event in &messages {
        without_canary("WatchList", event);
    }
    // The error about an invalid value must not contain the value either.
    let long = CANARY.repeat(5000);
    let data = json!({ "@type": "type.googleapis.com/converge.converge.v1.Secret", "value": long });
    let refused = client.ask("Write", json!({ "resource": { "id": id, "data": data } })).await.unwrap_err();
    without_canary("a refusal", format!("{refused:?}").as_bytes());
    without_canary("/metrics", running.metrics().openmetrics("").await.as_bytes());
    running.stop().await;
}
