//! Tasks of one type that are applied by one call.

use std::sync::Arc;

use super::attempt::{At, Change, Reached, Seen};
use super::job::{Held, Job};
use super::limit::{Limit, Paused};
use super::shared::Shared;
use crate::error::{Error, Result};
use crate::registry::AnyTask;
use crate::status::Status;

/// An implementation of [`Batch`](crate::Batch) that cannot be understood.
#[derive(Debug, thiserror::Error)]
#[error(
    "`apply_batch` of {resource} gave {results} results for {members} members: it must give one for each, in their \
     order"
)]
struct WrongCount {
    resource: &'static str,
    results: usize,
    members: usize,
}

/// A member that is to be applied, and its time, which runs.
struct Member {
    job: Job,
    change: Change,
    limit: Option<Limit>,
}

/// Applies the members of a batch, which are of one type and have the same timeout, and says how the work on each goes
/// on. What comes of one does not depend on the others, but for the time that they take together.
pub(super) async fn apply(shared: &Arc<Shared>, held: Vec<Held>, seen: Seen) -> Vec<(Job, At)> {
    let mut all = Vec::with_capacity(held.len());
    let mut members = Vec::with_capacity(held.len());
    for Held { mut job, change } in held {
        match job.attempt(shared).join(change, seen).await {
            Ok(Reached::Change(change)) => members.push(Member { job, change, limit: None }),
            Ok(Reached::End(exports)) => all.push((job, At::Ended(Ok(exports)))),
            Err(failure) => all.push((job, At::Ended(Err(failure)))),
        }
    }
    for member in &mut members {
        member.limit = member.change.paused.and_then(Paused::resume);
    }
    match call(shared, &mut members).await {
        Ok(results) => all.extend(members.into_iter().zip(results).map(|(member, result)| {
            let Member { job, mut change, limit } = member;
            change.paused = limit.map(Limit::pause);
            (job, At::Applied(change, result))
        })),
        Err(limit) => all.extend(members.into_iter().map(|Member { mut job, .. }| {
            let failure = job.attempt(shared).timed_out(limit);
            (job, At::Ended(Err(failure)))
        })),
    }
    all.sort_by_key(|(job, _)| job.index);
    all
}

/// Gives one result for each member, or the limit of the last one that had any time left.
async fn call(shared: &Arc<Shared>, members: &mut [Member]) -> Result<Vec<Result<Status>>, Limit> {
    let Some(first) = members.first() else { return Ok(Vec::new()) };
    let limit = members.iter().filter_map(|member| member.limit).max_by_key(|limit| limit.deadline());
    let resource = &shared.graph.node(first.job.index).resource;
    let mut cx = shared.context(first.job.index);
    if let Some(limit) = limit {
        cx = std::borrow::Cow::Owned(cx.into_owned().with_deadline(limit.deadline()));
    }
    let count = members.len();
    let tasks: Vec<&mut (dyn AnyTask + 'static)> =
        members.iter_mut().map(|member| &mut *member.change.task).collect();
    let applied = async {
        // What is left of a batch may be one.
        if let (Some(apply_batch), true) = (resource.apply_batch(), count > 1) {
            return apply_batch(tasks, &cx).await;
        }
        let mut results = Vec::new();
        for task in tasks {
            results.push(task.apply_any(&cx).await);
        }
        results
    };
    let results = match limit {
        None => applied.await,
        Some(limit) => tokio::time::timeout_at(limit.deadline(), applied).await.map_err(|_| limit)?,
    };
    if results.len() == count {
        return Ok(results);
    }
    let wrong = |_| {
        Err(Error::other(WrongCount { resource: resource.name(), results: results.len(), members: count }))
    };
    Ok((0..count).map(wrong).collect())
}
