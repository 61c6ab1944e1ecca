//! Baseline for an etcd client: one connection and the transaction that compares and puts a key.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic_prost::ProstCodec;

use super::report::Rounds;
use super::stores::{BESIDE_DATA, SIZE};
use crate::error::BenchError;

#[derive(Clone, PartialEq, prost::Message)]
struct TxnRequest {
    #[prost(message, repeated, tag = "1")]
    compare: Vec<Compare>,
    #[prost(message, repeated, tag = "2")]
    success: Vec<RequestOp>,
    #[prost(message, repeated, tag = "3")]
    failure: Vec<RequestOp>,
}

/// A comparison of a key.
///
/// The operator "equal" is the protobuf default, which is not sent.
#[derive(Clone, PartialEq, prost::Message)]
struct Compare {
    #[prost(int32, tag = "2")]
    target: i32,
    #[prost(bytes = "vec", tag = "3")]
    key: Vec<u8>,
    #[prost(int64, optional, tag = "6")]
    mod_revision: Option<i64>,
}

/// The compared property of a key: the revision of its last change.
const MOD: i32 = 2;

#[derive(Clone, PartialEq, prost::Message)]
struct RequestOp {
    #[prost(message, optional, tag = "1")]
    range: Option<RangeRequest>,
    #[prost(message, optional, tag = "2")]
    put: Option<PutRequest>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct RangeRequest {
    #[prost(bytes = "vec", tag = "1")]
    key: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct PutRequest {
    #[prost(bytes = "vec", tag = "1")]
    key: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct TxnResponse {
    #[prost(message, optional, tag = "1")]
    header: Option<ResponseHeader>,
    #[prost(bool, tag = "2")]
    succeeded: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ResponseHeader {
    #[prost(int64, tag = "3")]
    revision: i64,
}

/// Replaces keys for the given time, a fixed number at once, each task its own key.
pub(super) async fn writes(
    address: &str,
    prefix: &str,
    in_flight: usize,
    time: Duration,
    rounds: &mut Rounds,
) -> Result<(), BenchError> {
    let endpoint = Endpoint::from_shared(address.to_owned()).map_err(BenchError::store)?;
    let channel = endpoint.tcp_nodelay(true).connect().await.map_err(BenchError::store)?;
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..in_flight {
        let channel = channel.clone();
        let key = format!("{prefix}/r/bench/Entry/default/default/entry-{number:07}");
        tasks.spawn(async move {
            let mut latencies = Vec::new();
            let mut revision = 0;
            while start.elapsed() < time {
                let write_start = Instant::now();
                revision = replace(channel.clone(), key.as_bytes(), revision).await?;
                latencies.push(write_start.elapsed());
            }
            Ok::<_, BenchError>(latencies)
        });
    }
    let latencies = tasks.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    rounds.add(latencies.concat(), start.elapsed());
    Ok(())
}

/// Replaces a key that has the given revision and returns its new revision.
async fn replace(channel: Channel, key: &[u8], revision: i64) -> Result<i64, BenchError> {
    let put_request = PutRequest { key: key.to_vec(), value: vec![7; SIZE + BESIDE_DATA] };
    let range = RangeRequest { key: key.to_vec() };
    let request = TxnRequest {
        compare: vec![Compare { target: MOD, key: key.to_vec(), mod_revision: Some(revision) }],
        success: vec![RequestOp { put: Some(put_request), range: None }],
        failure: vec![RequestOp { put: None, range: Some(range) }],
    };
    let mut grpc = Grpc::new(channel);
    grpc.ready().await.map_err(BenchError::store)?;
    let path = PathAndQuery::from_static("/etcdserverpb.KV/Txn");
    let codec = ProstCodec::<TxnRequest, TxnResponse>::default();
    let answer = grpc.unary(tonic::Request::new(request), path, codec).await;
    let answer = answer.map_err(BenchError::store)?.into_inner();
    match answer.header.filter(|_| answer.succeeded) {
        Some(header) => Ok(header.revision),
        None => Err(BenchError::WrongResult {
            step: "bare etcd",
            expected: "a change".to_owned(),
            got: format!("another revision than {revision}"),
        }),
    }
}
