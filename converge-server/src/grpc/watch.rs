//! The watch method of the resource service.

use std::sync::Arc;

use converge_controller::service::List;
use converge_controller::storage;
use futures_util::stream::{StreamExt as _, unfold};
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::call::Answers;
use super::messages as m;
use super::resources::{list_query, required};
use crate::listeners::{ClientWatch, RequestContext};

pub(super) async fn open(
    doors: RequestContext,
    _: MetadataMap,
    asked: m::WatchListRequest,
) -> Result<Answers<m::WatchEvent>, Status> {
    let m::WatchListRequest { r#type, tenancy, name_prefix, selector } = asked;
    let list: List =
        list_query(&doors, required(r#type, "type")?, tenancy.as_ref(), &name_prefix, &selector)?;
    Ok(unfold(Some(doors.watch(&list).await?), next).boxed())
}

/// Returns the next event of a watch, or `None` after the final error.
async fn next(watch: Option<ClientWatch>) -> Option<(Result<m::WatchEvent, Status>, Option<ClientWatch>)> {
    let mut watch = watch?;
    match watch.next().await {
        Some(Ok(next)) => Some((Ok(event(next)), Some(watch))),
        Some(Err(refusal)) => Some((Err(refusal.into()), None)),
        None => Some((Err(Status::unavailable("the server is about to stop")), None)),
    }
}

fn event(event: storage::WatchEvent) -> m::WatchEvent {
    let event = match event {
        storage::WatchEvent::Upsert(resource) => {
            m::Event::Upsert(m::Upsert { resource: Some(Arc::unwrap_or_clone(resource)) })
        }
        storage::WatchEvent::Delete(last) => {
            m::Event::Delete(m::Deletion { resource: Some(Arc::unwrap_or_clone(last)) })
        }
        storage::WatchEvent::EndOfSnapshot => m::Event::EndOfSnapshot(m::EndOfSnapshot {}),
    };
    m::WatchEvent { event: Some(event) }
}
