//! Events derived from the statuses of resources.

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::{Action, Controller, Definition, Predicate, Request, RunError, Runtime};
use converge_controller::storage::Consistency;
use converge_controller::{Condition, ConditionState, Resource, Status, Typed};

use super::super::{nodes, rollout};
use super::record::record;
use crate::fleet::types::{Assignment, Module, Node, Occurrence, Phase, Rollout, Severity};

/// Creates the controller that records when nodes become ready or silent.
pub(crate) fn node_events() -> Definition {
    Controller::<Node>::new("node-events").when(Predicate::any()).concurrency(4).reconcile(look_at_node)
}

/// Creates the controller that records how rollouts start, pause and end.
pub(crate) fn rollout_events() -> Definition {
    Controller::<Rollout>::new("rollout-events")
        .when(Predicate::any())
        .concurrency(4)
        .reconcile(look_at_rollout)
}

/// Creates the controller that records failures and drift that agents report.
pub(crate) fn assignment_events() -> Definition {
    Controller::<Assignment>::new("assignment-events")
        .when(Predicate::any())
        .concurrency(4)
        .reconcile(look_at_assignment)
}

async fn look_at_node(runtime: Runtime, request: Request<Node>) -> Result<Action, RunError> {
    // A strong read is needed: an older version could repeat an event that another server has counted.
    let node = runtime.client.find_as::<Node>(request.id(), Consistency::Strong).await?;
    if let Some(node) = node
        && let Some(happened) = status(&node.resource, nodes::NAME).and_then(heard)
    {
        record(&runtime, node.id(), happened).await?;
    }
    Ok(Action::await_change())
}

async fn look_at_rollout(runtime: Runtime, request: Request<Rollout>) -> Result<Action, RunError> {
    let rollout = runtime.client.find_as::<Rollout>(request.id(), Consistency::Strong).await?;
    let Some(rollout) = rollout else { return Ok(Action::await_change()) };
    for happened in start_and_end(&rollout) {
        record(&runtime, rollout.id(), happened).await?;
    }
    if let Some(time) = paused_at(&rollout)
        && let Some(module) = rollout.owner()
        && let Some(module) = runtime.client.find_as::<Module>(module, Consistency::Strong).await?
        && let Some(generation) = module.resource.generation
        && module.rollout.as_ref().is_some_and(|strategy| strategy.paused)
    {
        // Each pause counts, because resuming and pausing again are two changes of the module.
        let message = about(&rollout, "is paused");
        let occurrence = generation.to_string();
        record(&runtime, rollout.id(), note("RolloutPaused", message, time, occurrence)).await?;
    }
    Ok(Action::await_change())
}

async fn look_at_assignment(runtime: Runtime, request: Request<Assignment>) -> Result<Action, RunError> {
    let assignment = runtime.client.find_as::<Assignment>(request.id(), Consistency::Strong).await?;
    if let Some(assignment) = assignment
        && let Some(status) = status(&assignment.resource, Assignment::REPORT)
    {
        for happened in reported_problems(status) {
            record(&runtime, assignment.id(), happened).await?;
        }
    }
    Ok(Action::await_change())
}

/// Returns the event for the readiness of a node, dated by the status of the node controller.
pub(super) fn heard(status: &Status) -> Option<Occurrence> {
    let (ready, time) = (status.condition(nodes::READY)?, status.updated_at?);
    match (ready.state, ready.reason.as_str()) {
        (ConditionState::True, _) => {
            Some(note("NodeReady", "its agent reports".to_owned(), time, time.to_string()))
        }
        (_, nodes::SILENT) => Some(warning("NodeLost", ready.message.clone(), time)),
        _ => None,
    }
}

/// Returns the events for the start and the end of a rollout.
pub(super) fn start_and_end(rollout: &Typed<Rollout>) -> Vec<Occurrence> {
    let mut happened = Vec::new();
    if let (Some(at), Some(to)) = (rollout.began, &rollout.to) {
        let message = about(rollout, &format!("begins to bring {}", to.name));
        happened.push(note("RolloutBegan", message, at, at.to_string()));
    }
    let Some(time) = rollout.ended else { return happened };
    match rollout.phase {
        Phase::Complete => {
            let message = about(rollout, "is complete");
            happened.push(note("RolloutComplete", message, time, time.to_string()));
        }
        Phase::Failed => {
            let message = about(rollout, &format!("failed: {}", rollout.reason));
            happened.push(warning("RolloutFailed", message, time));
        }
        Phase::Superseded => {
            let message = about(rollout, &format!("came to nothing: {}", rollout.reason));
            happened.push(note("RolloutSuperseded", message, time, time.to_string()));
        }
        Phase::Unspecified | Phase::Running => {}
    }
    happened
}

/// Returns the time since which a rollout is paused.
fn paused_at(rollout: &Typed<Rollout>) -> Option<Timestamp> {
    let status = status(&rollout.resource, super::super::scheduler::NAME)?;
    status.condition(rollout::COMPLETE).filter(|condition| condition.reason == rollout::PAUSED)?;
    status.updated_at
}

/// Returns the events for failures and drift in an agent's report.
pub(super) fn reported_problems(status: &Status) -> Vec<Occurrence> {
    let Some(time) = status.updated_at else { return Vec::new() };
    let is = |name, state| status.condition(name).filter(|condition: &&Condition| condition.state == state);
    let refused = is(Assignment::PLANNED, ConditionState::False).is_some();
    let failed = is(Assignment::FAILED, ConditionState::True).map(|failed| {
        let reason = if refused { "ModuleRefused" } else { "NotApplied" };
        warning(reason, failed.message.clone(), time)
    });
    let drifted = is(Assignment::DRIFTED, ConditionState::True)
        .map(|drifted| note("Drifted", drifted.message.clone(), time, time.to_string()));
    failed.into_iter().chain(drifted).collect()
}

/// Prefixes a message with the rollout, identified by its module and number.
fn about(rollout: &Typed<Rollout>, text: &str) -> String {
    let module = rollout.owner().map_or("", |module| module.name.as_str());
    format!("rollout {} of {module} {text}", rollout.number)
}

fn note(reason: &'static str, message: String, time: Timestamp, occurrence: String) -> Occurrence {
    Occurrence { reason, severity: Severity::Note, message, at: time, occurrence }
}

fn warning(reason: &'static str, message: String, time: Timestamp) -> Occurrence {
    Occurrence { reason, severity: Severity::Warning, message, at: time, occurrence: time.to_string() }
}

fn status<'a>(resource: &'a Resource, key: &str) -> Option<&'a Status> {
    resource.status.iter().find(|(of, _)| of.as_str() == key).map(|(_, status)| status)
}
