//! Secrets at this door.

use serde_json::json;
use tonic::Code;

use super::client::{Client, connect, refused};
use crate::seal::SecretKeys;
use crate::server::Server;

#[tokio::test]
async fn a_value_is_sealed_before_anything_else_sees_it() {
    let here = "127.0.0.1:0".parse().unwrap();
    let server = Server::new().with_http(here).with_grpc(here).with_secrets(SecretKeys::random().unwrap());
    let running = server.start().await.unwrap();
    let client = Client::learn(connect(&running).await, &["converge.converge.v1.Secret"]).await;
    let secret_type = json!({ "group": "converge", "group_version": "v1", "kind": "Secret" });
    let data = json!({ "@type": "type.googleapis.com/converge.converge.v1.Secret", "value": "hunter2" });
    // No tenancy is said, and it is sealed under the whole name all the same.
    let write = json!({ "resource": { "id": { "type": secret_type, "name": "db" }, "data": data } });
    for method in ["MutateAndValidate", "Write"] {
        let answer = client.ask(method, write.clone()).await.unwrap();
        assert!(!answer.to_string().contains("hunter2"), "{answer}");
        assert!(answer["resource"]["data"]["sealed"].is_string(), "{answer}");
        let back = client.ask("Write", json!({ "resource": answer["resource"] })).await;
        assert_eq!(
            back.is_ok(),
            method == "Write",
            "what a dry run gives has a uid that nobody has: {back:?}"
        );
    }
    let other = json!({ "partition": "default", "namespace": "default" });
    let read = json!({ "id": { "type": secret_type, "tenancy": other, "name": "db" } });
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
