//! Batches: tasks of one type that are applied by one call.

use std::borrow::Cow;
use std::sync::Arc;

use super::attempt::add_new;
use super::attempt_progress::{AttemptProgress, Freshness, ResumePoint};
use super::job::{Job, PendingApply};
use super::system_layers::environment::with_environment;
use super::system_layers::secret_exposure::{WatchedSystem, exposed_warning};
use super::timeout::{Limit, Paused};
use crate::events::progress::{NodeProgress, ProgressReceiver};
use crate::inputs::rendering::{evaluate, render};
use crate::inputs::scope::NodeScope;
use crate::sdk::error::{Error, Result};
use crate::sdk::progress::ProgressTarget;
use crate::sdk::registry::AnyTask;
use crate::sdk::status::Status;
use crate::tables::run_tables::Shared;

/// The error for a [`Batch`](converge_sdk::Batch) that returns a wrong number of results.
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

/// Applies the members of a batch and returns the next step for each of them.
///
/// The members have one type and one timeout. They share the time limit, but the results are independent.
pub(super) async fn apply(
    shared: &Arc<Shared>,
    tells: &Arc<dyn ProgressReceiver>,
    pending: Vec<PendingApply>,
    freshness: Freshness,
) -> Vec<(Job, ResumePoint)> {
    let mut jobs = Vec::with_capacity(pending.len());
    let mut members = Vec::with_capacity(pending.len());
    for PendingApply { mut job, change } in pending {
        match job.attempt(shared, tells).run(ResumePoint::JoinBatch(change, freshness), None).await {
            Ok(AttemptProgress::Planned(change)) => members.push(PendingApply { job, change }),
            Ok(AttemptProgress::Finished(exports)) => jobs.push((job, ResumePoint::Finished(Ok(exports)))),
            Err(failure) => jobs.push((job, ResumePoint::Finished(Err(failure)))),
        }
    }
    let limits: Vec<Option<Limit>> =
        members.iter().map(|member| member.change.paused.and_then(Paused::resume)).collect();
    let last = limits.iter().copied().flatten().max_by_key(|limit| limit.deadline());
    match call(shared, tells, &mut members, last).await {
        Ok(results) => {
            for ((PendingApply { job, mut change }, result), limit) in
                members.into_iter().zip(results).zip(limits)
            {
                change.paused = limit.map(Limit::pause);
                jobs.push((job, ResumePoint::Applied(change, result)));
            }
        }
        Err(limit) => jobs.extend(members.into_iter().map(|PendingApply { job, .. }| {
            let failure = limit.failure(shared.stage(job.index));
            (job, ResumePoint::Finished(Err(failure)))
        })),
    }
    jobs.sort_by_key(|(job, _)| job.index);
    jobs
}

/// Returns one result per member, or the limit that was exceeded.
async fn call(
    shared: &Arc<Shared>,
    tells: &Arc<dyn ProgressReceiver>,
    members: &mut [PendingApply],
    limit: Option<Limit>,
) -> Result<Vec<Result<Status>>, Limit> {
    let Some(first) = members.first() else { return Ok(Vec::new()) };
    let resource = &shared.graph.node(first.job.index).resource;
    // Members of a batch have equal environments, so the one of the first is used.
    let mut cx = with_environment(shared.context(first.job.index), shared.graph.node(first.job.index));
    let redactor = shared.redactor();
    let watched = (!redactor.is_empty())
        .then(|| Arc::new(WatchedSystem::new(Arc::clone(cx.shared_system()), redactor.clone())));
    if let Some(watched) = &watched {
        cx = Cow::Owned(cx.into_owned().with_system(Arc::<WatchedSystem>::clone(watched)));
    }
    if let Some(limit) = limit {
        cx = Cow::Owned(cx.into_owned().with_deadline(limit.deadline()));
    }
    // Progress of the whole batch is reported for its first member.
    if let Some(progress) = NodeProgress::new(first.job.index, tells, shared.setup.room.as_ref()) {
        let progress = Arc::new(ProgressTarget::new(progress));
        cx = Cow::Owned(cx.into_owned().with_progress(progress));
    }
    let count = members.len();
    let tasks: Vec<&mut (dyn AnyTask + 'static)> =
        members.iter_mut().map(|member| &mut *member.change.task).collect();
    let applied = async {
        // The remainder of a batch may be a single member.
        if let (Some(batch), true) = (resource.batch(), count > 1) {
            return (batch.apply)(tasks, &cx).await;
        }
        let mut results = Vec::new();
        for task in tasks {
            results.push(task.apply_any(&cx).await);
        }
        results
    };
    let results = match limit {
        None => Ok(applied.await),
        Some(limit) => tokio::time::timeout_at(limit.deadline(), applied).await.map_err(|_| limit),
    };
    if let Some(watched) = watched {
        warn_of_exposed(shared, members, &watched).await;
    }
    let results = results?;
    if results.len() == count {
        return Ok(results);
    }
    let count_error = |_| {
        Err(Error::other(WrongCount { resource: resource.name(), results: results.len(), members: count }))
    };
    Ok((0..count).map(count_error).collect())
}

/// Warns about secrets that the call put where every user can read them.
///
/// A program that runs for the whole batch does not show whose secret it was. The warning goes to each member
/// with a secret in its fields.
async fn warn_of_exposed(shared: &Arc<Shared>, members: &mut [PendingApply], watched: &WatchedSystem) {
    let programs = watched.exposed();
    if programs.is_empty() {
        return;
    }
    for PendingApply { job, .. } in members {
        // Without a runtime, there is no one left to warn.
        if !evaluate(shared, job.index, has_secret).await.unwrap_or(false) {
            continue;
        }
        let node = shared.graph.node(job.index);
        let warning = |program: &String| exposed_warning(&shared.graph, node, program);
        let warnings: Vec<String> = programs.iter().map(warning).collect();
        add_new(&mut job.report.warnings, &warnings.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// Whether the fields of a node contain a secret.
///
/// Fields that cannot be rendered any more count as secret.
fn has_secret(scope: &NodeScope<'_>) -> bool {
    render(scope).map_or(true, |rendered| {
        if rendered.is_large && scope.defers_much() {
            return true;
        }
        rendered.values.into_iter().flatten().any(|mut value| {
            scope.shared().redactor().mark_in(&mut value);
            value.contains_secret()
        })
    })
}
