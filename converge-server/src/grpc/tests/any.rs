//! Tests with arbitrary bytes as messages.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use prost_reflect::DynamicMessage;
use prost_reflect::prost::Message as _;
use serde_json::json;
use tonic::Code;

use super::{artist, artist_type, id, start};
use crate::grpc::methods::methods;

/// Generates bytes that resemble a message: damaged, truncated or random.
fn bytes(messages: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let damaged = (prop::sample::select(messages), changes, any::<prop::sample::Index>()).prop_map(
        |(mut bytes, changes, end)| {
            for (position, byte) in changes {
                let offset = position.index(bytes.len());
                bytes[offset] = byte;
            }
            let end = end.index(bytes.len() * 2);
            bytes.truncate(end);
            bytes
        },
    );
    prop_oneof![4 => damaged, 1 => prop::collection::vec(any::<u8>(), 0..64)]
}

#[tokio::test]
async fn any_bytes_are_answered_or_refused() {
    let (running, client) = start().await;
    let message = |method: &str, json| -> DynamicMessage { client.request(method, json).into_inner() };
    let messages = [
        message("Write", json!({ "resource": artist("korn", "metal") })),
        message("Read", json!({ "id": id("korn") })),
        message("List", json!({ "type": artist_type(), "tenancy": { "namespace": "*" }, "selector": "a=b" })),
    ];
    let strategy = bytes(messages.iter().map(DynamicMessage::encode_to_vec).collect());
    let mut runner = TestRunner::new(Config::default());
    for _ in 0..64 {
        let bytes = strategy.new_tree(&mut runner).unwrap().current();
        for method in methods().map(|method| method.name) {
            if let Err(status) = client.send(method, bytes.clone()).await {
                let mistakes =
                    [Code::InvalidArgument, Code::NotFound, Code::FailedPrecondition, Code::Aborted];
                assert!(mistakes.contains(&status.code()), "{method} {bytes:?}: {status}");
            }
        }
    }
    running.stop().await;
}

/// Encodes messages that are nested to a depth.
fn nested(depth: usize) -> Vec<u8> {
    (0..depth).fold(Vec::new(), |inner, _| {
        let mut outer = vec![0x0a];
        prost::encoding::encode_varint(inner.len() as u64, &mut outer);
        outer.extend(inner);
        outer
    })
}

#[tokio::test]
async fn deep_messages_are_refused() {
    let (running, client) = start().await;
    for method in methods().map(|method| method.name) {
        let status = client.send(method, nested(10_000)).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{method}: {status}");
    }
    running.stop().await;
}
