//! The methods of the resource service.
//!
//! `resource_service.proto` declares and documents them. This table names the function that answers each.

use std::future::Future;

use axum::routing::{MethodRouter, post};
use converge_controller::StoredMessage;
use converge_controller::protobuf::Declaration;
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::call::{Answers, Call};
use super::{resources, watch};
use crate::listeners::{ListenerState, RequestContext};

/// The full name of the resource service.
pub(super) const SERVICE: &str = "converge.resource.ResourceService";

/// The path and the text of the `.proto` file of the service.
pub(super) const PROTO: (&str, &str) = (
    "converge/resource/resource_service.proto",
    include_str!("../../proto/converge/resource/resource_service.proto"),
);

/// A method of the service.
pub(super) struct Method {
    pub(super) name: &'static str,
    /// The request and the response message.
    pub(super) messages: [Declaration; 2],
    /// The handler of its calls.
    pub(super) route: MethodRouter<ListenerState>,
}

pub(super) fn methods() -> [Method; 8] {
    [
        unary("Read", resources::read),
        unary("Write", resources::write),
        unary("WriteStatus", resources::write_status),
        unary("List", resources::list),
        unary("ListByOwner", resources::list_by_owner),
        unary("Delete", resources::delete),
        unary("MutateAndValidate", resources::mutate_and_validate),
        stream("WatchList", watch::open),
    ]
}

fn unary<Q, A, F>(name: &'static str, answer: fn(RequestContext, MetadataMap, Q) -> F) -> Method
where
    Q: StoredMessage + 'static,
    A: StoredMessage + 'static,
    F: Future<Output = Result<A, Status>> + Send + 'static,
{
    Method { name, messages: messages::<Q, A>(), route: post(move |call: Call| call.unary(answer)) }
}

fn stream<Q, A, F>(name: &'static str, open: fn(RequestContext, MetadataMap, Q) -> F) -> Method
where
    Q: StoredMessage + 'static,
    A: StoredMessage + 'static,
    F: Future<Output = Result<Answers<A>, Status>> + Send + 'static,
{
    Method { name, messages: messages::<Q, A>(), route: post(move |call: Call| call.stream(open)) }
}

fn messages<Q: StoredMessage, A: StoredMessage>() -> [Declaration; 2] {
    [Declaration::for_message::<Q>(), Declaration::for_message::<A>()]
}
