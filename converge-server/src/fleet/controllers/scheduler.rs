//! The scheduler, which assigns modules to nodes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::{
    Action, Controller, Definition, Predicate, Request, RunError, Runtime, map, report,
};
use converge_controller::service::{Client, List, MetadataSelector};
use converge_controller::storage::Consistency;
use converge_controller::{Condition, DataError, Id, Name, Ref, Resource, StoredResource, Tenancy, Typed};

use super::assign::{Changes, Secrets, assign};
use super::rollout::{RolloutPlan, Seen, plan_rollout};
use super::summary::{applied, scheduled};
use crate::fleet::types::{Assignment, Module, Node, Revision, Rollout, Secret};

/// The number of unused revisions kept per module.
const KEPT_REVISIONS: usize = 10;
/// The minimum time between two reconciles of a module.
///
/// Each reconcile reads all nodes, and a thousand nodes may report at once.
const COOLDOWN: Duration = Duration::from_millis(100);
/// The delay before a retry after a concurrent change.
const AGAIN: Duration = Duration::from_millis(100);

pub(super) const NAME: &str = "scheduler";

/// Creates the controller of modules.
pub(crate) fn scheduler() -> Definition {
    Controller::<Module>::new(NAME)
        // Node statuses count too, because a rollout waits for nodes that are not ready.
        .watch::<Node>(map::all())
        .watch::<Assignment>(map::owner())
        .watch::<Revision>(map::owner())
        // Modules and their revisions name the secrets, and there are few modules, so all of them are
        // reconciled.
        .watch_when::<Secret>(Predicate::generation_or_metadata(), map::all())
        .watch_when::<Rollout>(Predicate::generation_or_metadata(), map::owner())
        .concurrency(4)
        .cooldown(COOLDOWN)
        .reconcile(reconcile)
}

async fn reconcile(runtime: Runtime, request: Request<Module>) -> Result<Action, RunError> {
    let client = &runtime.client;
    let module = client.find_as::<Module>(request.id(), Consistency::Eventual).await?;
    // Resources that a module owns are deleted together with it.
    let Some(module) = module.filter(|module| !module.metadata().is_marked_for_deletion()) else {
        return Ok(Action::await_change());
    };
    let revision = Revision::from_module(&module)?;
    if client.find(revision.id(), Consistency::Eventual).await?.is_none() {
        client.write_as(revision.clone()).await?;
    }
    let nodes = match module.selector() {
        Some(labels) => nodes(client, &module.id().tenancy, labels).await?,
        None => Vec::new(),
    };
    let owned = client.list_by_owner(module.id()).await?;
    let assignments = decode::<Assignment>(&owned)?;
    let Id { tenancy, name, .. } = revision.id().clone();
    let now = Timestamp::try_from(client.service().clock().now()).unwrap_or(Timestamp::MAX);
    let course = plan_rollout(Seen {
        module: &module,
        revision: Ref::new(tenancy, name),
        nodes: &nodes,
        assignments: &assignments,
        rollouts: decode(&owned)?,
        now,
    })?;
    if !write_rollouts(&runtime, &course).await? {
        // A concurrent change has made the decision obsolete.
        return Ok(Action::requeue(AGAIN));
    }
    let revisions = decode::<Revision>(&owned)?;
    let secrets = secrets(client, revisions.iter().chain([&revision])).await?;
    let Changes { write, delete } =
        assign(&module, &nodes, assignments, |node| course.target_of(node), &secrets, now)?;
    let changes_nothing = write.is_empty() && delete.is_empty();
    for assignment in write {
        client.write_as(assignment).await?;
    }
    for assignment in &delete {
        client.delete(assignment, None).await?;
    }
    let owned = if changes_nothing { owned } else { client.list_by_owner(module.id()).await? };
    let assignments = decode::<Assignment>(&owned)?;
    let needed = |name: &Name| *name == revision.id().name || course.needs(name);
    for revision in unused(&assignments, decode::<Revision>(&owned)?, needed) {
        client.delete(&revision, None).await?;
    }
    for rollout in &course.unused {
        client.delete(rollout, None).await?;
    }
    let rolled_out = course
        .said
        .as_ref()
        .filter(|_| module.rollout.is_some())
        .map(|condition| Condition { condition_type: "rolled_out".to_owned(), ..condition.clone() });
    let conditions = [scheduled(&module, nodes.len()), applied(&assignments)];
    report(&runtime, &module.resource, conditions.into_iter().chain(rolled_out)).await?;
    Ok(course.again.map_or_else(Action::await_change, Action::requeue))
}

/// Writes the changes to rollouts and their conditions.
///
/// Returns whether the rollouts are still as they were read. If not, nothing else may be written.
async fn write_rollouts(runtime: &Runtime, course: &RolloutPlan) -> Result<bool, RunError> {
    let client = &runtime.client;
    if let Some(current_rollout) = &course.of {
        let stored = client.find(current_rollout.id(), Consistency::Strong).await?;
        if stored.is_none_or(|stored| stored.generation != current_rollout.resource.generation) {
            return Ok(false);
        }
    }
    let rollout = match &course.change {
        // The write is conditional on the version that was read.
        Some(change) => Some(client.write_as(change.clone()).await?),
        None => course.of.clone(),
    };
    if let (Some(rollout), Some(said)) = (rollout, &course.said) {
        report(runtime, &rollout.resource, [said.clone()]).await?;
    }
    if let Some(begin) = &course.begin {
        if client.find(begin.id(), Consistency::Strong).await?.is_some() {
            return Ok(false);
        }
        client.write_as(begin.clone()).await?;
    }
    Ok(true)
}

/// Returns the nodes in the partition of `tenancy` that match the labels.
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

/// Returns the existing secrets that the revisions name.
async fn secrets<'r>(
    client: &Client,
    revisions: impl Iterator<Item = &'r Typed<Revision>>,
) -> Result<Secrets, RunError> {
    let mut secrets = Secrets::new();
    for revision in revisions {
        let mut generations = BTreeMap::new();
        for name in revision.content.secrets.values() {
            let Ok(secret_name) = name.parse() else { continue };
            let id = Id::new(Secret::resource_type().clone(), revision.id().tenancy.clone(), secret_name);
            let secret = client.find(&id, Consistency::Eventual).await?;
            if let Some(generation) = secret.and_then(|secret| secret.generation) {
                generations.insert(name.clone(), generation.to_string());
            }
        }
        secrets.insert(revision.id().name.clone(), generations);
    }
    Ok(secrets)
}

fn decode<T: StoredResource>(resources: &[Arc<Resource>]) -> Result<Vec<Typed<T>>, DataError> {
    let of_type = resources.iter().filter(|resource| resource.id.resource_type == *T::resource_type());
    of_type.map(|resource| Typed::try_from(resource.clone())).collect()
}

/// Returns the revisions to delete.
///
/// A revision is kept if `needed` says so, if a node has it, or if it is among the latest ones, which allow a
/// rollback.
fn unused(
    assignments: &[Typed<Assignment>],
    mut revisions: Vec<Typed<Revision>>,
    needed: impl Fn(&Name) -> bool,
) -> Vec<Id> {
    let assigned = assignments.iter().filter_map(|assignment| assignment.revision.as_ref());
    let used: BTreeSet<_> = assigned.map(|revision| &revision.name).collect();
    revisions.retain(|revision| !used.contains(&revision.id().name) && !needed(&revision.id().name));
    // A uid begins with its creation time.
    revisions.sort_by_key(|revision| Reverse(revision.id().uid));
    revisions.into_iter().skip(KEPT_REVISIONS).map(|revision| revision.id().clone()).collect()
}
