//! Assigns modules to nodes.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use converge_controller::runtime::{
    Action, Controller, Definition, Predicate, Request, RunError, Runtime, map, report,
};
use converge_controller::service::{Client, List, MetadataSelector};
use converge_controller::storage::Consistency;
use converge_controller::{DataError, Id, Resource, StoredResource, Tenancy, Typed};

use super::assign::{Changes, assign};
use super::summary::{applied, scheduled};
use crate::fleet::types::{Assignment, Module, Node, Revision};

/// How many revisions of a module are kept that no node has to do with any more.
const KEPT_REVISIONS: usize = 10;

/// The controller of modules.
pub(crate) fn scheduler() -> Definition {
    Controller::<Module>::new("scheduler")
        .watch_when::<Node>(Predicate::generation_or_metadata(), map::all())
        .watch::<Assignment>(map::owner())
        .watch::<Revision>(map::owner())
        .concurrency(4)
        .reconcile(reconcile)
}

async fn reconcile(runtime: Runtime, request: Request<Module>) -> Result<Action, RunError> {
    let client = &runtime.client;
    let found = client.find_as::<Module>(request.id(), Consistency::Eventual).await?;
    // What a module owns goes with it.
    let Some(module) = found.filter(|module| !module.metadata().is_marked_for_deletion()) else {
        return Ok(Action::await_change());
    };
    let revision = Revision::of(&module)?;
    if client.find(revision.id(), Consistency::Eventual).await?.is_none() {
        client.write_as(revision.clone()).await?;
    }
    let nodes = match module.selector() {
        Some(labels) => nodes(client, &module.id().tenancy, labels).await?,
        None => Vec::new(),
    };
    let owned = client.list_by_owner(module.id()).await?;
    let Changes { write, delete } = assign(&module, revision.id(), &nodes, decode(&owned)?)?;
    for assignment in write {
        client.write_as(assignment).await?;
    }
    for assignment in &delete {
        client.delete(assignment, None).await?;
    }
    let owned = client.list_by_owner(module.id()).await?;
    let assignments = decode::<Assignment>(&owned)?;
    for revision in unused(&assignments, decode::<Revision>(&owned)?, revision.id()) {
        client.delete(&revision, None).await?;
    }
    report(&runtime, &module.resource, [scheduled(&module, nodes.len()), applied(&assignments)]).await?;
    Ok(Action::await_change())
}

/// The nodes of the partition of `tenancy` that have these labels.
async fn nodes(
    client: &Client,
    tenancy: &Tenancy,
    labels: MetadataSelector,
) -> Result<Vec<Typed<Node>>, RunError> {
    let Tenancy::Namespace(partition, _) = tenancy else { return Ok(Vec::new()) };
    let list = List::new(Node::resource_type().clone())
        .in_tenancy(Tenancy::Partition(partition.clone()))
        .with_metadata(labels);
    Ok(client.list_as(&list).await?)
}

/// Those of one type.
fn decode<T: StoredResource>(resources: &[Arc<Resource>]) -> Result<Vec<Typed<T>>, DataError> {
    let of_type = resources.iter().filter(|resource| resource.id.resource_type == *T::resource_type());
    of_type.map(|resource| Typed::try_from(resource.clone())).collect()
}

/// The revisions that nobody needs: neither is one what the module says now, nor has a node to do with it, nor is it one of the
/// last, to which somebody may go back.
fn unused(assignments: &[Typed<Assignment>], mut revisions: Vec<Typed<Revision>>, current: &Id) -> Vec<Id> {
    let assigned = assignments.iter().filter_map(|assignment| assignment.revision.as_ref());
    let used: BTreeSet<_> = assigned.map(|revision| &revision.name).chain([&current.name]).collect();
    revisions.retain(|revision| !used.contains(&revision.id().name));
    // A uid begins with the time at which it was made.
    revisions.sort_by_key(|revision| Reverse(revision.id().uid));
    revisions.into_iter().skip(KEPT_REVISIONS).map(|revision| revision.id().clone()).collect()
}
