//! The retention of events, which deletes old events and those over the limit.

use std::collections::BTreeMap;
use std::time::Duration;

use converge_controller::builtin_types::Partition as PartitionType;
use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::{Action, Controller, Definition, Request, RunError, Runtime, map};
use converge_controller::service::List;
use converge_controller::{Id, Name, Partition, StoredResource as _, Tenancy, Typed};

use super::record::{now, remaining_retention};
use crate::fleet::types::Event;

/// The maximum number of events per partition.
const KEPT: usize = 1000;

/// Creates the controller that deletes events, one partition at a time.
pub(crate) fn tidy() -> Definition {
    Controller::<PartitionType>::new("events").watch::<Event>(map::ids(partition)).reconcile(reconcile)
}

/// Returns the id of the resource for the partition of an event.
fn partition(event: &Typed<Event>) -> Option<Id> {
    let Tenancy::Partition(partition) = &event.id().tenancy else { return None };
    let name: Name = partition.to_string().parse().ok()?;
    Some(Id::new(PartitionType::resource_type().clone(), Tenancy::Cluster, name))
}

async fn reconcile(runtime: Runtime, request: Request<PartitionType>) -> Result<Action, RunError> {
    let Ok(partition) = request.id().name.as_str().parse::<Partition>() else {
        return Ok(Action::await_change());
    };
    let list = List::new(Event::resource_type().clone()).in_tenancy(Tenancy::Partition(partition));
    let events = runtime.client.list_as::<Event>(&list).await?;
    let (unwanted, retry_after) = unwanted(&events, now(&runtime), KEPT);
    for event in unwanted {
        runtime.client.delete(&event, None).await?;
    }
    Ok(retry_after.map_or_else(Action::await_change, Action::requeue))
}

/// Returns the events to delete, and the time until the next one expires.
///
/// Over the limit, the oldest event of the most frequent reason is deleted first. The loss of a thousand
/// nodes at once does not displace other events.
pub(crate) fn unwanted(events: &[Typed<Event>], now: Timestamp, limit: usize) -> (Vec<Id>, Option<Duration>) {
    let rest_of =
        |event: &Typed<Event>| event.last.map_or(Duration::ZERO, |last| remaining_retention(last, now));
    let (old, mut live): (Vec<_>, Vec<_>) = events.iter().partition(|event| rest_of(event).is_zero());
    let mut unwanted: Vec<Id> = old.into_iter().map(|event| event.id().clone()).collect();
    // The newest come first, so that the oldest is popped from the end.
    live.sort_by_key(|event| std::cmp::Reverse(event.last));
    let mut by_reason: BTreeMap<&str, Vec<&Typed<Event>>> = BTreeMap::new();
    for event in &live {
        by_reason.entry(event.reason.as_str()).or_default().push(event);
    }
    for _ in limit..live.len() {
        let largest = by_reason.values_mut().max_by_key(|events| events.len());
        unwanted.extend(largest.and_then(Vec::pop).map(|event| event.id().clone()));
    }
    let retry_after = by_reason.values().flatten().map(|event| rest_of(event)).min();
    (unwanted, retry_after)
}
