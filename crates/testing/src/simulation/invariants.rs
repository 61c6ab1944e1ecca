//! The invariants of the events of every run, in any order and with any failures.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::run::AFTERWARDS;
use super::run_record::{Ran, is_refresh};
use crate::graph::{EdgeReason, Graph, Node, NodeId, NodeIndex, Role};
use converge_engine::{EventKind, InterruptKind, Outcome, ResourceReport, Stage, Summary};

/// The result of a check: `Err` explains the violation in a sentence.
type Broken = Result<(), String>;

pub(super) fn check(graph: &Graph, run: &Ran) -> Broken {
    if let Some(Err(error)) = &run.ended {
        return Err(format!("the run could not be made: {error}"));
    }
    well_formed(graph, run)?;
    dependencies_end_first(graph, run)?;
    one_holds_a_lock(graph, run)?;
    failures_skip(graph, run)?;
    nothing_begins_after_an_interrupt(run)?;
    no_panic(run)
}

/// The positions of the events of each resource.
#[derive(Debug, Default)]
struct EventPositions<'r> {
    started: HashMap<&'r NodeId, usize>,
    finished: HashMap<&'r NodeId, (usize, &'r ResourceReport)>,
}

impl<'r> EventPositions<'r> {
    fn new(run: &'r Ran) -> Self {
        let mut summary = Self::default();
        for (index, event) in run.events().enumerate() {
            match event {
                EventKind::ResourceStarted { id } => {
                    summary.started.insert(id, index);
                }
                EventKind::ResourceFinished(report) => {
                    summary.finished.insert(&report.id, (index, report));
                }
                _ => {}
            }
        }
        summary
    }
}

/// Checks that the events form one complete run.
///
/// The run starts and ends. Each resource starts at most once and ends once, and its events lie between the
/// two. The summary matches the reports.
fn well_formed(graph: &Graph, run: &Ran) -> Broken {
    let events: Vec<&EventKind> = run.events().collect();
    let began = events.iter().position(|event| matches!(event, EventKind::RunStarted { .. }));
    let Some(began) = began else {
        return if run.was_killed() {
            Ok(())
        } else {
            Err("the run never says that it has begun".to_owned())
        };
    };
    let resources = graph.resources().count();
    if let EventKind::RunStarted { resources: told, .. } = events[began]
        && *told != resources
    {
        return Err(format!("the run says that it has {told} resources, and there are {resources}"));
    }
    let (mut started, mut finished) = (HashSet::new(), HashSet::new());
    let mut summary = Summary::default();
    for event in &events[began..] {
        let (id, action) = match event {
            EventKind::ResourceStarted { id } => {
                if !started.insert(id) {
                    return Err(format!("{} begins twice", id.short()));
                }
                (id, "begins")
            }
            EventKind::ResourceFinished(report) => {
                summary.count_report(report);
                let first = finished.insert(&report.id);
                if !first {
                    return Err(format!("{} ends twice", report.id.short()));
                }
                continue;
            }
            EventKind::ResourceUndone { was, report, .. } => {
                summary.count_undone(*was, report);
                if !finished.contains(&report.id) {
                    return Err(format!("{} is undone before it has ended", report.id.short()));
                }
                continue;
            }
            EventKind::ResourceStage { id, .. }
            | EventKind::ResourceBytes { id, .. }
            | EventKind::ResourceStep { id, .. }
            | EventKind::ResourceOutput { id, .. }
            | EventKind::AttemptFailed { id, .. } => {
                if !started.contains(id) {
                    return Err(format!("the progress of {} is told before it begins", id.short()));
                }
                (id, "is worked on")
            }
            EventKind::ResourceWaiting { id, .. } => (id, "waits"),
            _ => continue,
        };
        if finished.contains(id) {
            return Err(format!("{} {action} after it has ended", id.short()));
        }
    }
    if run.was_killed() {
        return Ok(());
    }
    for (_, node) in graph.resources() {
        if !finished.contains(&node.id) {
            return Err(format!("what came of {} is not told", node.id.short()));
        }
    }
    match events.last() {
        Some(EventKind::RunFinished { summary: told }) => {
            summary.elapsed = told.elapsed;
            if summary == *told {
                return Ok(());
            }
            Err(format!("the summary says `{told}`, and what was told is `{summary}`"))
        }
        _ => Err("the last event is not the end of the run".to_owned()),
    }
}

/// Checks that the dependencies of a node end before the node starts.
fn dependencies_end_first(graph: &Graph, run: &Ran) -> Broken {
    let summary = EventPositions::new(run);
    for (index, node) in graph.resources() {
        let Some(&began) = summary.started.get(&node.id) else { continue };
        for dependency in waits_for(graph, index) {
            let id = &graph.node(dependency).id;
            if summary.finished.get(id).is_none_or(|(ended, _)| *ended > began) {
                return Err(format!("{} begins before {} has ended", node.id.short(), id.short()));
            }
        }
    }
    Ok(())
}

/// Returns the resources that a node waits for, directly or through structure nodes.
///
/// The dependencies of a case predicate are left out, because they do not block nodes behind a switch that
/// took another case.
fn waits_for(graph: &Graph, index: NodeIndex) -> Vec<NodeIndex> {
    let (mut dependencies, mut open) = (Vec::new(), vec![index]);
    let mut seen = HashSet::new();
    while let Some(current) = open.pop() {
        for edge in graph.dependencies(current) {
            let (role, from_role) = (graph.node(edge.on).role, graph.node(current).role);
            if role.is_resource() {
                dependencies.push(edge.on);
            } else if role.is_structure()
                && role != Role::Case
                // The end of a branch that is not taken continues even if its gate waits for a failed node.
                && !(from_role.is_end() && role.is_gate())
                && seen.insert(edge.on)
            {
                open.push(edge.on);
            }
        }
    }
    dependencies
}

/// Checks that members of a group run one at a time.
///
/// Two resources with the lock of a type are not changed at the same time either, except in one batch.
fn one_holds_a_lock(graph: &Graph, run: &Ran) -> Broken {
    let mut groups: HashMap<&str, &NodeId> = HashMap::new();
    let mut locks: HashMap<&str, (&NodeId, &Node)> = HashMap::new();
    let node_of = |id: &NodeId| graph.find(id.as_str()).map(|index| graph.node(index));
    for event in run.events() {
        match event {
            EventKind::ResourceStarted { id } => {
                let Some(group) = node_of(id).and_then(|node| node.group.as_deref()) else { continue };
                if let Some(other_holder) = groups.insert(group, id) {
                    return Err(format!(
                        "{} begins while {} is worked on, and both are of the group {group:?}",
                        id.short(),
                        other_holder.short()
                    ));
                }
            }
            EventKind::ResourceStage { id, stage: Stage::Apply | Stage::Refresh } => {
                let Some(node) = node_of(id) else { continue };
                let Some(lock) = node.resource.lock() else { continue };
                match locks.insert(lock, (id, node)) {
                    Some((other, of)) if other != id => {
                        let in_a_batch =
                            of.resource.name() == node.resource.name() && node.resource.batches();
                        if !in_a_batch {
                            return Err(format!(
                                "{} changes the machine while {} does, and both have the lock {lock:?}",
                                id.short(),
                                other.short()
                            ));
                        }
                    }
                    _ => {}
                }
            }
            EventKind::AttemptFailed { id, .. } => locks.retain(|_, (holder, _)| *holder != id),
            EventKind::ResourceFinished(report) => {
                groups.retain(|_, holder| **holder != report.id);
                locks.retain(|_, (holder, _)| **holder != report.id);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that dependents of a failed resource do not start, and name the cause.
fn failures_skip(graph: &Graph, run: &Ran) -> Broken {
    let summary = EventPositions::new(run);
    let outcome = |id: &NodeId| summary.finished.get(id).map(|(_, report)| report.outcome);
    for (index, node) in graph.resources() {
        let Some((_, report)) = summary.finished.get(&node.id) else { continue };
        let id = node.id.short();
        let began = summary.started.contains_key(&node.id);
        for dependency in waits_for(graph, index) {
            let dependency = &graph.node(dependency).id;
            if matches!(outcome(dependency), Some(Outcome::Failed | Outcome::Skipped)) && began {
                return Err(format!(
                    "{id} was begun, though it waits for {}, which failed",
                    dependency.short()
                ));
            }
        }
        match report.outcome {
            Outcome::Skipped | Outcome::NotTaken if began && report.outcome == Outcome::Skipped => {
                return Err(format!("{id} was begun, and says that it was skipped"));
            }
            Outcome::Skipped => {
                let Some(skipped) = &report.skipped else {
                    return Err(format!("{id} was skipped, and does not say for what"));
                };
                if outcome(&skipped.cause) != Some(Outcome::Failed) {
                    let cause = skipped.cause.short();
                    return Err(format!("{id} was skipped for {cause}, which did not fail"));
                }
            }
            Outcome::NotRun if !run.was_interrupted() => {
                return Err(format!("{id} was not run, and nobody has interrupted the run"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that nothing starts after an interrupt, and that no work continues after the end of the run.
///
/// A cancelled run ends at once.
fn nothing_begins_after_an_interrupt(run: &Ran) -> Broken {
    let mut last_interrupt = None;
    let mut cancelled: Option<Duration> = None;
    for (time, event) in &run.events {
        match event {
            EventKind::Interrupted { interrupt, .. } => {
                last_interrupt = Some(*interrupt);
                if *interrupt == InterruptKind::Cancel {
                    cancelled = Some(*time);
                }
            }
            EventKind::ResourceStarted { id } if last_interrupt.is_some() => {
                return Err(format!("{} begins after the run was asked to stop", id.short()));
            }
            EventKind::RunFinished { .. } => {
                if let Some(cancelled) = cancelled
                    && *time > cancelled
                {
                    return Err(format!(
                        "the run ends {:?} after it was cancelled",
                        time.saturating_sub(cancelled)
                    ));
                }
            }
            _ => {}
        }
    }
    match run.afterwards {
        0 => Ok(()),
        count => Err(format!(
            "something still works on the machine after the run has ended: {count} operations in the following {AFTERWARDS:?}"
        )),
    }
}

fn no_panic(run: &Ran) -> Broken {
    for report in run.reports() {
        if let Some(failure) = &report.failure
            && failure.message.starts_with("the resource panicked")
        {
            return Err(format!("{} fails with a panic: {}", report.id.short(), failure.message));
        }
    }
    Ok(())
}

/// Checks that every pending refresh is made in the same run or in the next one.
pub(super) fn refreshes_are_made(graph: &Graph, first: &Ran, next: &Ran) -> Broken {
    for (index, node) in graph.resources().filter(|(_, node)| node.resource.refreshes()) {
        let edges = graph.dependencies(index).iter().filter(|edge| edge.reason == EdgeReason::OnChange);
        let changed = edges.map(|edge| graph.node(edge.on)).find(|on| has_changed(first, on));
        let Some(changed) = changed else { continue };
        let is_changed =
            |ran: &Ran| ran.report_of(&node.id).is_some_and(|report| report.outcome == Outcome::Changed);
        let is_there = |ran: &Ran| {
            let outcome = ran.report_of(&node.id).map(|report| report.outcome);
            outcome.is_none_or(|outcome| outcome == Outcome::Unchanged)
        };
        if !is_changed(first) && is_there(first) && !first.was_killed() {
            let (id, changed) = (node.id.short(), changed.id.short());
            return Err(format!("{changed} was changed, and {id} was not refreshed"));
        }
        let refreshed = |ran: &Ran| {
            ran.report_of(&node.id).is_some_and(|report| {
                report.outcome == Outcome::Changed && report.differences.iter().any(is_refresh)
            })
        };
        // A resource that was itself changed in the next run has seen the change.
        if !is_changed(first) && is_there(next) && !refreshed(next) {
            let (id, changed) = (node.id.short(), changed.id.short());
            return Err(format!(
                "{changed} was changed in a run that did not come to refresh {id}, and the next run does not do it either"
            ));
        }
    }
    Ok(())
}

/// Whether the node, or a resource inside it, was changed.
fn has_changed(run: &Ran, node: &Node) -> bool {
    let prefix = format!("{}/", node.id.as_str());
    run.reports().any(|report| {
        let is_it =
            report.id == node.id || !node.role.is_resource() && report.id.as_str().starts_with(&prefix);
        is_it && report.outcome == Outcome::Changed
    })
}
