//! Events derived from the statuses of resources.

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::{Action, Controller, Definition, Predicate, Request, RunError, Runtime};
use converge_controller::storage::Consistency;
use converge_controller::{Condition, ConditionState, Resource, Status, Typed};

use super::super::{nodes, rollout};
use super::record::record;
use crate::fleet::types::{Assignment, Happened, Module, Node, Phase, Rollout, Severity};

/// Creates the controller that records when nodes become ready or silent.
pub(crate) fn of_nodes() -> Definition {
    Controller::<Node>::new("node-events").when(Predicate::any()).concurrency(4).reconcile(look_at_node)
}

/// Creates the controller that records how rollouts start, pause and end.
pub(crate) fn of_rollouts() -> Definition {
    Controller::<Rollout>::new("rollout-events")
        .when(Predicate::any())
        .concurrency(4)
        .reconcile(look_at_rollout)
}

/// Creates the controller that records failures and drift that agents report.
pub(crate) fn of_assignments() -> Definition {
    Controller::<Assignment>::new("assignment-events")
        .when(Predicate::any())
        .concurrency(4)
        .reconcile(look_at_assignment)
}

async fn look_at_node(runtime: Runtime, request: Request<Node>) -> Result<Action, RunError> {
    // A strong read is needed: an older version could repeat an event that another server has counted.
    let found = runtime.client.find_as::<Node>(request.id(), Consistency::Strong).await?;
    if let Some(node) = found
        && let Some(happened) = status(&node.resource, nodes::NAME).and_then(heard)
    {
        record(&runtime, node.id(), happened).await?;
    }
    Ok(Action::await_change())
}

async fn look_at_rollout(runtime: Runtime, request: Request<Rollout>) -> Result<Action, RunError> {
    let found = runtime.client.find_as::<Rollout>(request.id(), Consistency::Strong).await?;
    let Some(rollout) = found else { return Ok(Action::await_change()) };
    for happened in course_of(&rollout) {
        record(&runtime, rollout.id(), happened).await?;
    }
    if let Some(at) = paused_at(&rollout)
        && let Some(module) = rollout.owner()
        && let Some(module) = runtime.client.find_as::<Module>(module, Consistency::Strong).await?
        && let Some(generation) = module.resource.generation
        && module.rollout.as_ref().is_some_and(|strategy| strategy.paused)
    {
        // Each pause counts, because resuming and pausing again are two changes of the module.
        let message = about(&rollout, "is paused");
        let occurrence = generation.to_string();
        record(&runtime, rollout.id(), note("RolloutPaused", message, at, occurrence)).await?;
    }
    Ok(Action::await_change())
}

async fn look_at_assignment(runtime: Runtime, request: Request<Assignment>) -> Result<Action, RunError> {
    let found = runtime.client.find_as::<Assignment>(request.id(), Consistency::Strong).await?;
    if let Some(assignment) = found
        && let Some(status) = status(&assignment.resource, Assignment::REPORT)
    {
        for happened in found_out(status) {
            record(&runtime, assignment.id(), happened).await?;
        }
    }
    Ok(Action::await_change())
}

/// Returns the event for the readiness of a node, dated by the status of the node controller.
pub(super) fn heard(status: &Status) -> Option<Happened> {
    let (ready, at) = (status.condition(nodes::READY)?, status.updated_at?);
    match (ready.state, ready.reason.as_str()) {
        (ConditionState::True, _) => {
            Some(note("NodeReady", "its agent is connected".to_owned(), at, at.to_string()))
        }
        (_, nodes::SILENT) => Some(warning("NodeLost", ready.message.clone(), at)),
        _ => None,
    }
}

/// Returns the events for the start and the end of a rollout.
pub(super) fn course_of(rollout: &Typed<Rollout>) -> Vec<Happened> {
    let mut happened = Vec::new();
    if let (Some(at), Some(to)) = (rollout.began, &rollout.to) {
        let message = about(rollout, &format!("begins to bring {}", to.name));
        happened.push(note("RolloutBegan", message, at, at.to_string()));
    }
    let Some(at) = rollout.ended else { return happened };
    match rollout.phase {
        Phase::Complete => {
            let message = about(rollout, "is complete");
            happened.push(note("RolloutComplete", message, at, at.to_string()));
        }
        Phase::Failed => {
            let message = about(rollout, &format!("failed: {}", rollout.reason));
            happened.push(warning("RolloutFailed", message, at));
        }
        Phase::Superseded => {
            let message = about(rollout, &format!("came to nothing: {}", rollout.reason));
            happened.push(note("RolloutSuperseded", message, at, at.to_string()));
        }
        Phase::Unspecified | Phase::Running => {}
    }
    happened
}

/// Returns the time since which a rollout is paused.
fn paused_at(rollout: &Typed<Rollout>) -> Option<Timestamp> {
    let status = status(&rollout.resource, super::super::scheduler::NAME)?;
    status.condition(rollout::COMPLETE).filter(|said| said.reason == rollout::PAUSED)?;
    status.updated_at
}

/// Returns the events for failures and drift in an agent's report.
pub(super) fn found_out(status: &Status) -> Vec<Happened> {
    let Some(at) = status.updated_at else { return Vec::new() };
    let is = |name, state| status.condition(name).filter(|condition: &&Condition| condition.state == state);
    let refused = is(Assignment::PLANNED, ConditionState::False).is_some();
    let failed = is(Assignment::FAILED, ConditionState::True).map(|failed| {
        let reason = if refused { "ModuleRefused" } else { "NotApplied" };
        warning(reason, failed.message.clone(), at)
    });
    let drifted = is(Assignment::DRIFTED, ConditionState::True)
        .map(|drifted| note("Drifted", drifted.message.clone(), at, at.to_string()));
    failed.into_iter().chain(drifted).collect()
}

/// Prefixes a message with the rollout, identified by its module and number.
fn about(rollout: &Typed<Rollout>, what: &str) -> String {
    let module = rollout.owner().map_or("", |module| module.name.as_str());
    format!("rollout {} of {module} {what}", rollout.number)
}

fn note(reason: &'static str, message: String, at: Timestamp, occurrence: String) -> Happened {
    Happened { reason, severity: Severity::Note, message, at, occurrence }
}

fn warning(reason: &'static str, message: String, at: Timestamp) -> Happened {
    Happened { reason, severity: Severity::Warning, message, at, occurrence: at.to_string() }
}

fn status<'a>(resource: &'a Resource, key: &str) -> Option<&'a Status> {
    resource.status.iter().find(|(of, _)| of.as_str() == key).map(|(_, status)| status)
}
