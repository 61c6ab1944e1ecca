//! The messages, field by field.

use std::collections::BTreeMap;

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Resource {
    #[prost(message, optional, tag = "1")]
    pub(super) id: Option<Id>,
    #[prost(message, optional, tag = "2")]
    pub(super) owner: Option<Id>,
    #[prost(string, tag = "3")]
    pub(super) version: String,
    #[prost(string, tag = "4")]
    pub(super) generation: String,
    #[prost(btree_map = "string, string", tag = "5")]
    pub(super) metadata: BTreeMap<String, String>,
    #[prost(btree_map = "string, message", tag = "6")]
    pub(super) status: BTreeMap<String, Status>,
    #[prost(message, optional, tag = "7")]
    pub(super) data: Option<Any>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Type {
    #[prost(string, tag = "1")]
    pub(super) group: String,
    #[prost(string, tag = "2")]
    pub(super) group_version: String,
    #[prost(string, tag = "3")]
    pub(super) kind: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Tenancy {
    #[prost(string, tag = "1")]
    pub(super) partition: String,
    #[prost(string, tag = "2")]
    pub(super) namespace: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Id {
    #[prost(message, optional, tag = "1")]
    pub(super) r#type: Option<Type>,
    #[prost(message, optional, tag = "2")]
    pub(super) tenancy: Option<Tenancy>,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) uid: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Reference {
    #[prost(message, optional, tag = "1")]
    pub(super) r#type: Option<Type>,
    #[prost(message, optional, tag = "2")]
    pub(super) tenancy: Option<Tenancy>,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) section: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Status {
    #[prost(string, tag = "1")]
    pub(super) observed_generation: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) conditions: Vec<Condition>,
    #[prost(message, optional, tag = "3")]
    pub(super) updated_at: Option<Timestamp>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Condition {
    #[prost(string, tag = "1")]
    pub(super) r#type: String,
    /// 0 unknown, 1 true, 2 false.
    #[prost(int32, tag = "2")]
    pub(super) state: i32,
    #[prost(string, tag = "3")]
    pub(super) reason: String,
    #[prost(string, tag = "4")]
    pub(super) message: String,
    #[prost(message, optional, tag = "5")]
    pub(super) resource: Option<Reference>,
}

/// `google.protobuf.Timestamp`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Timestamp {
    #[prost(int64, tag = "1")]
    pub(super) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(super) nanos: i32,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Any {
    #[prost(string, tag = "1")]
    pub(super) type_url: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) value: bytes::Bytes,
}
