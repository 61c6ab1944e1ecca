//! A target that makes gRPC calls to a server.
//!
//! Each call must be answered without an internal error.
//!
//! A call consists of one byte for its method, two bytes for the length of its message, and the message.

use std::net::SocketAddr;

use hyper::StatusCode;
use hyper::body::Bytes;

use crate::test_server::{Problem, call, with_server};

/// The `.proto` file of the service.
const SERVICE: &str =
    include_str!("../../../../converge-server/proto/converge/resource/resource_service.proto");

/// The paths of the reflection services.
const REFLECTION: [&str; 2] = [
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

/// The status codes that no client may see, whatever it sends: `UNKNOWN`, `INTERNAL` and `DATA_LOSS`.
const MISTAKES: [&str; 3] = ["2", "13", "15"];

/// The maximum number of calls per input; more calls find no further errors.
const MOST: usize = 8;

pub(crate) fn run(bytes: &[u8]) {
    let names = SERVICE.lines().filter_map(|line| line.trim().strip_prefix("rpc ")?.split_once('('));
    let paths = names.map(|(name, _)| format!("/converge.resource.ResourceService/{name}"));
    let paths: Vec<_> = paths.chain(REFLECTION.map(str::to_owned)).collect();
    let mut calls = Vec::new();
    let mut rest = bytes;
    while let [method, high, low, after @ ..] = rest
        && calls.len() < MOST
    {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(after.len());
        let (message, after) = after.split_at(length);
        calls.push((paths[usize::from(*method) % paths.len()].clone(), framed(message)));
        rest = after;
    }
    if !calls.is_empty() {
        with_server(|_, grpc| exchange(grpc, calls));
    }
}

async fn exchange(server: SocketAddr, calls: Vec<(String, Bytes)>) -> Result<(), Problem> {
    for (path, message) in calls {
        let answer = call(server, &path, message).await?;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        let status = answer.headers.get("grpc-status").and_then(|status| status.to_str().ok());
        // A stream has no final status yet.
        let is_watch = path.ends_with("WatchList") && !answer.body.is_empty();
        assert!(status.is_some() || is_watch, "{path} does not say how it ended: {:?}", answer.headers);
        let is_mistake = status.is_some_and(|status| MISTAKES.contains(&status));
        assert!(!is_mistake, "{path}: {:?}", answer.headers);
    }
    Ok(())
}

/// Adds the gRPC frame header of an uncompressed message.
fn framed(message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&[0], length.as_slice(), message].concat().into()
}
