//! The messages in use of the etcd API, version 3: their names and field numbers.
//!
//! Other fields are skipped, as protobuf requires. The API keeps these numbers for all of version 3.

use bytes::Bytes;

/// A method of the API.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method {
    /// The path of the HTTP request.
    pub(super) path: &'static str,
    /// Whether the request can be repeated if its outcome is unknown.
    pub(super) repeatable: bool,
    /// The maximum size of a response in bytes.
    pub(super) most_bytes: usize,
}

impl Method {
    /// The maximum size of a response in bytes, for requests that can be split.
    const BOUND: usize = 16 << 20;

    pub(super) const RANGE: Self = Self::new("/etcdserverpb.KV/Range", true);
    /// A transaction that only reads.
    pub(super) const LOOK: Self = Self::new("/etcdserverpb.KV/Txn", true);
    /// A transaction with changes.
    pub(super) const TXN: Self = Self::new("/etcdserverpb.KV/Txn", false);
    pub(super) const WATCH: Self = Self::new("/etcdserverpb.Watch/Watch", true);
    pub(super) const LEASE_GRANT: Self = Self::new("/etcdserverpb.Lease/LeaseGrant", true);
    pub(super) const LEASE_REVOKE: Self = Self::new("/etcdserverpb.Lease/LeaseRevoke", true);
    pub(super) const LEASE_KEEP_ALIVE: Self = Self::new("/etcdserverpb.Lease/LeaseKeepAlive", true);
    pub(super) const AUTHENTICATE: Self = Self::new("/etcdserverpb.Auth/Authenticate", true);

    const fn new(path: &'static str, repeatable: bool) -> Self {
        Self { path, repeatable, most_bytes: usize::MAX }
    }

    /// Returns the method with a limit of the response size.
    pub(super) fn bounded(self) -> Self {
        Self { most_bytes: Self::BOUND, ..self }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ResponseHeader {
    /// The revision of the whole store when the request was processed.
    #[prost(int64, tag = "3")]
    pub(super) revision: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct KeyValue {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Bytes,
    #[prost(int64, tag = "2")]
    pub(super) create_revision: i64,
    #[prost(int64, tag = "3")]
    pub(super) mod_revision: i64,
    #[prost(bytes = "bytes", tag = "5")]
    pub(super) value: Bytes,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RangeRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Bytes,
    /// The first key after the range; empty for one key.
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) range_end: Bytes,
    /// The maximum number of keys; 0 for no limit.
    #[prost(int64, tag = "3")]
    pub(super) limit: i64,
    /// The revision to read; 0 for the newest.
    #[prost(int64, tag = "4")]
    pub(super) revision: i64,
    /// Whether the member answers from its own state, without asking the others.
    #[prost(bool, tag = "7")]
    pub(super) serializable: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RangeResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub(super) kvs: Vec<KeyValue>,
    /// Whether the limit cut off some keys.
    #[prost(bool, tag = "3")]
    pub(super) more: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct PutRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) value: Bytes,
    /// The lease whose end deletes the key; 0 for none.
    #[prost(int64, tag = "3")]
    pub(super) lease: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct PutResponse {}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct DeleteRangeRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Bytes,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct DeleteRangeResponse {}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RequestOp {
    #[prost(oneof = "Request", tags = "1, 2, 3")]
    pub(super) request: Option<Request>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Request {
    #[prost(message, tag = "1")]
    Range(RangeRequest),
    #[prost(message, tag = "2")]
    Put(PutRequest),
    #[prost(message, tag = "3")]
    DeleteRange(DeleteRangeRequest),
}

impl From<Request> for RequestOp {
    fn from(request: Request) -> Self {
        Self { request: Some(request) }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ResponseOp {
    #[prost(oneof = "Response", tags = "1, 2, 3")]
    pub(super) response: Option<Response>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Response {
    #[prost(message, tag = "1")]
    Range(RangeResponse),
    #[prost(message, tag = "2")]
    Put(PutResponse),
    #[prost(message, tag = "3")]
    DeleteRange(DeleteRangeResponse),
}

/// The compared property of a key.
///
/// Equality is the only comparison in use, and is the default on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, prost::Enumeration)]
#[repr(i32)]
pub(super) enum Target {
    Version = 0,
    Create = 1,
    Mod = 2,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Compare {
    #[prost(enumeration = "Target", tag = "2")]
    target: i32,
    #[prost(bytes = "bytes", tag = "3")]
    key: Bytes,
    #[prost(oneof = "Expected", tags = "5, 6")]
    expected: Option<Expected>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Expected {
    #[prost(int64, tag = "5")]
    CreateRevision(i64),
    #[prost(int64, tag = "6")]
    ModRevision(i64),
}

impl Compare {
    /// Compares the revision of the creation of a key.
    pub(super) fn created(key: Bytes, revision: i64) -> Self {
        let expected = Some(Expected::CreateRevision(revision));
        Self { target: Target::Create.into(), key, expected }
    }

    /// Compares the revision of the last change of a key; 0 if the key does not exist.
    pub(super) fn modified(key: Bytes, revision: i64) -> Self {
        let expected = Some(Expected::ModRevision(revision));
        Self { target: Target::Mod.into(), key, expected }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TxnRequest {
    #[prost(message, repeated, tag = "1")]
    pub(super) compare: Vec<Compare>,
    /// The operations if all comparisons hold.
    #[prost(message, repeated, tag = "2")]
    pub(super) success: Vec<RequestOp>,
    /// The operations otherwise.
    #[prost(message, repeated, tag = "3")]
    pub(super) failure: Vec<RequestOp>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TxnResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<ResponseHeader>,
    #[prost(bool, tag = "2")]
    pub(super) succeeded: bool,
    #[prost(message, repeated, tag = "3")]
    pub(super) responses: Vec<ResponseOp>,
}

impl TxnResponse {
    /// Returns the keys found by each range read.
    pub(super) fn ranges(self) -> impl Iterator<Item = Vec<KeyValue>> {
        self.responses.into_iter().filter_map(|response| match response.response {
            Some(Response::Range(range)) => Some(range.kvs),
            _ => None,
        })
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct WatchRequest {
    #[prost(oneof = "WatchAction", tags = "1")]
    pub(super) action: Option<WatchAction>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum WatchAction {
    #[prost(message, tag = "1")]
    Create(WatchCreateRequest),
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct WatchCreateRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) range_end: Bytes,
    #[prost(int64, tag = "3")]
    pub(super) start_revision: i64,
    /// Whether the revision is reported from time to time while nothing happens.
    #[prost(bool, tag = "4")]
    pub(super) progress_notify: bool,
    #[prost(bool, tag = "6")]
    pub(super) prev_kv: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct WatchResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<ResponseHeader>,
    #[prost(bool, tag = "3")]
    pub(super) created: bool,
    #[prost(bool, tag = "4")]
    pub(super) canceled: bool,
    /// The oldest revision that can be watched, if an older one was requested.
    #[prost(int64, tag = "5")]
    pub(super) compact_revision: i64,
    #[prost(string, tag = "6")]
    pub(super) cancel_reason: String,
    #[prost(message, repeated, tag = "11")]
    pub(super) events: Vec<Event>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, prost::Enumeration)]
#[repr(i32)]
pub(super) enum EventType {
    Put = 0,
    Delete = 1,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Event {
    #[prost(enumeration = "EventType", tag = "1")]
    pub(super) r#type: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) kv: Option<KeyValue>,
    #[prost(message, optional, tag = "3")]
    pub(super) prev_kv: Option<KeyValue>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LeaseGrantRequest {
    /// The time to live in seconds.
    #[prost(int64, tag = "1")]
    pub(super) ttl: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LeaseGrantResponse {
    #[prost(int64, tag = "2")]
    pub(super) id: i64,
    /// The time to live in seconds, which may exceed the requested one.
    #[prost(int64, tag = "3")]
    pub(super) ttl: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LeaseRevokeRequest {
    #[prost(int64, tag = "1")]
    pub(super) id: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LeaseRevokeResponse {}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LeaseKeepAliveRequest {
    #[prost(int64, tag = "1")]
    pub(super) id: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LeaseKeepAliveResponse {
    /// The time to live in seconds; 0 if the lease has expired.
    #[prost(int64, tag = "3")]
    pub(super) ttl: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct AuthenticateRequest {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) password: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct AuthenticateResponse {
    #[prost(string, tag = "2")]
    pub(super) token: String,
}
