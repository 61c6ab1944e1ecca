//! Leaves out what is old, and what is too much.

use std::collections::BTreeMap;
use std::time::Duration;

use converge_controller::builtin_types::Partition as PartitionType;
use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::{Action, Controller, Definition, Request, RunError, Runtime, map};
use converge_controller::service::List;
use converge_controller::{Id, Name, Partition, StoredResource as _, Tenancy, Typed};

use super::record::{now, rest};
use crate::fleet::types::Event;

/// How many events of a partition are kept.
const KEPT: usize = 1000;

/// Deletes events of which nobody has to know any more, for a partition at a time.
pub(crate) fn tidy() -> Definition {
    Controller::<PartitionType>::new("events").watch::<Event>(map::ids(partition)).reconcile(reconcile)
}

/// The partition of an event, as a resource.
fn partition(event: &Typed<Event>) -> Option<Id> {
    let Tenancy::Partition(partition) = &event.id().tenancy else { return None };
    let name: Name = partition.to_string().parse().ok()?;
    Some(Id::new(PartitionType::resource_type().clone(), Tenancy::Cluster, name))
}

async fn reconcile(runtime: Runtime, request: Request<PartitionType>) -> Result<Action, RunError> {
    let Ok(partition) = request.id().name.as_str().parse::<Partition>() else {
        return Ok(Action::await_change());
    };
    let all = List::new(Event::resource_type().clone()).in_tenancy(Tenancy::Partition(partition));
    let events = runtime.client.list_as::<Event>(&all).await?;
    let (unwanted, again) = unwanted(&events, now(&runtime), KEPT);
    for event in unwanted {
        runtime.client.delete(&event, None).await?;
    }
    Ok(again.map_or_else(Action::await_change, Action::requeue))
}

/// The events that go, and when the next one does.
///
/// When there are too many, it is always the oldest of the reason of which there are most, so that a thousand nodes that are lost at once leave
/// what else happened.
pub(crate) fn unwanted(events: &[Typed<Event>], now: Timestamp, most: usize) -> (Vec<Id>, Option<Duration>) {
    let rest_of = |event: &Typed<Event>| event.last.map_or(Duration::ZERO, |last| rest(last, now));
    let (old, mut live): (Vec<_>, Vec<_>) = events.iter().partition(|event| rest_of(event).is_zero());
    let mut unwanted: Vec<Id> = old.into_iter().map(|event| event.id().clone()).collect();
    // The newest at first, so that the oldest is taken from the end.
    live.sort_by_key(|event| std::cmp::Reverse(event.last));
    let mut by_reason: BTreeMap<&str, Vec<&Typed<Event>>> = BTreeMap::new();
    for event in &live {
        by_reason.entry(event.reason.as_str()).or_default().push(event);
    }
    for _ in most..live.len() {
        let largest = by_reason.values_mut().max_by_key(|events| events.len());
        unwanted.extend(largest.and_then(Vec::pop).map(|event| event.id().clone()));
    }
    let again = by_reason.values().flatten().map(|event| rest_of(event)).min();
    (unwanted, again)
}
