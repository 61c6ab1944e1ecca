//! The counts of nodes, modules, rollouts and assignments, updated with every change.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use converge_controller::runtime::RunError;
use converge_controller::service::Service;
use converge_controller::storage::{Query, Watch, WatchEvent};
use converge_controller::{ConditionState, Resource, Selector, StoredResource, TenancyPattern, Typed, Uid};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::controllers::{NODES, READY, SILENT};
use super::types::{Assignment, Mode, Module, Node, Phase, Rollout};
use crate::metrics::{
    AssignmentCondition as Is, AssignmentState, FleetCounts, ModuleState, NodeState, RolloutPhase, State,
    Tally,
};

/// The delay before a store that does not answer is queried again.
const PAUSE: Duration = Duration::from_secs(5);

/// Counts until the server stops.
///
/// Only a few bytes are kept per resource.
pub(crate) async fn count(service: Service, counts: Arc<FleetCounts>, stop: CancellationToken) {
    let partition = || TenancyPattern::Partition(Selector::Any);
    let namespace = || TenancyPattern::Namespace(Selector::Any, Selector::Any);
    let counting = async {
        tokio::join!(
            follow::<Node, _>(&service, partition(), &counts.nodes, node),
            follow::<Module, _>(&service, namespace(), &counts.modules, module),
            follow::<Rollout, _>(&service, namespace(), &counts.rollouts, rollout),
            follow::<Assignment, _>(&service, namespace(), &counts.assignments, assignment),
        );
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = counting => {}
    }
}

/// Counts the resources of a type by their state, without end.
async fn follow<T: StoredResource, S: State>(
    service: &Service,
    tenancy: TenancyPattern,
    tally: &Tally<S>,
    state: fn(&Typed<T>) -> S,
) {
    let query = Query::new(T::resource_type(), tenancy);
    loop {
        let Err(error) = watch(service, &query, tally, state).await;
        tally.mark_outdated();
        tracing::debug!(%error, kind = %query.kind, "what is counted is behind");
        sleep(PAUSE).await;
    }
}

async fn watch<T: StoredResource, S: State>(
    service: &Service,
    query: &Query,
    tally: &Tally<S>,
    state: fn(&Typed<T>) -> S,
) -> Result<std::convert::Infallible, RunError> {
    let mut watch: Watch = service.backend().watch(query).await?;
    // Unreadable resources are not counted.
    let state = |resource: Arc<Resource>| Typed::<T>::try_from(resource).ok().map(|read| state(&read));
    let mut states: HashMap<Uid, S> = HashMap::new();
    let mut is_whole = false;
    loop {
        match watch.next().await? {
            WatchEvent::Upsert(resource) => {
                let Some(uid) = resource.id.uid else { continue };
                let current = state(resource);
                let before = match current {
                    Some(current) => states.insert(uid, current),
                    None => states.remove(&uid),
                };
                if is_whole {
                    tally.change(before, current);
                }
            }
            WatchEvent::Delete(last) => {
                let before = last.id.uid.and_then(|uid| states.remove(&uid));
                if is_whole {
                    tally.change(before, None);
                }
            }
            WatchEvent::EndOfSnapshot => {
                is_whole = true;
                tally.replace(states.values().copied());
            }
        }
    }
}

fn node(node: &Typed<Node>) -> NodeState {
    let mut statuses = node.resource.status.iter();
    let condition =
        statuses.find(|(key, _)| key.as_str() == NODES).and_then(|(_, said)| said.condition(READY));
    match condition {
        Some(condition) if condition.state == ConditionState::True => NodeState::Fresh,
        Some(condition) if condition.reason == SILENT => NodeState::Stale,
        Some(_) | None => NodeState::Never,
    }
}

fn module(module: &Typed<Module>) -> ModuleState {
    match module.mode {
        _ if module.suspended => ModuleState::Suspended,
        Mode::Enforce => ModuleState::Enforce,
        Mode::Report | Mode::Unspecified => ModuleState::Report,
    }
}

fn rollout(rollout: &Typed<Rollout>) -> RolloutPhase {
    match rollout.phase {
        Phase::Running | Phase::Unspecified => RolloutPhase::Running,
        Phase::Complete => RolloutPhase::Complete,
        Phase::Failed => RolloutPhase::Failed,
        Phase::Superseded => RolloutPhase::Superseded,
    }
}

fn assignment(assignment: &Typed<Assignment>) -> AssignmentState {
    let mut statuses = assignment.resource.status.iter();
    let status = statuses.find(|(key, _)| key.as_str() == Assignment::REPORT).map(|(_, said)| said);
    // A report on an earlier generation does not count.
    let status = status.filter(|said| Some(said.observed_generation) == assignment.resource.generation);
    let is = |condition| {
        status
            .and_then(|status| status.condition(condition))
            .is_some_and(|entry| entry.state == ConditionState::True)
    };
    AssignmentState::default()
        .with(Is::Applied, is(Assignment::APPLIED))
        .with(Is::Planned, is(Assignment::PLANNED))
        .with(Is::Drifted, is(Assignment::DRIFTED))
        .with(Is::Failed, is(Assignment::FAILED))
        .with(Is::Suspended, assignment.suspended)
        .with(Is::Waiting, status.is_none())
}

#[cfg(test)]
mod tests {
    use converge_controller::{Condition, Generation, Scope, Status};

    use super::*;

    fn typed<T: StoredResource>(data: T, scope: Scope) -> Typed<T> {
        let mut typed = Typed::named(scope.default_tenancy(), "a".parse().unwrap(), data);
        typed.resource.generation = Some(Generation::from_bits(2));
        typed
    }

    #[test]
    fn nodes_are_as_their_controller_says() {
        let check = |said: Option<(ConditionState, &str)>, expect: NodeState| {
            let mut resource = typed(Node::default(), Scope::Partition);
            if let Some((state, reason)) = said {
                let condition = Condition::new(READY, state).reason(reason);
                let status = Status::new(Generation::from_bits(2), [condition]);
                resource.resource.status.insert(NODES.parse().unwrap(), status);
            }
            assert_eq!(node(&resource), expect, "{said:?}");
        };
        check(None, NodeState::Never);
        check(Some((ConditionState::True, "")), NodeState::Fresh);
        check(Some((ConditionState::Unknown, SILENT)), NodeState::Stale);
        check(Some((ConditionState::Unknown, "NeverHeard")), NodeState::Never);
    }

    #[test]
    fn assignments_are_as_their_agents_say_of_what_they_are_now() {
        let check = |said: Option<u128>, suspended: bool, expect: &[Is]| {
            let mut resource = typed(Assignment { suspended, ..Assignment::default() }, Scope::Namespace);
            if let Some(generation) = said {
                let conditions = [
                    Condition::new(Assignment::APPLIED, ConditionState::False),
                    Condition::new(Assignment::PLANNED, ConditionState::True),
                    Condition::new(Assignment::DRIFTED, ConditionState::True),
                    Condition::new(Assignment::FAILED, ConditionState::Unknown),
                ];
                let status = Status::new(Generation::from_bits(generation), conditions);
                resource.resource.status.insert(Assignment::REPORT.parse().unwrap(), status);
            }
            let expect = expect
                .iter()
                .fold(AssignmentState::default(), |state, condition| state.with(*condition, true));
            assert_eq!(assignment(&resource), expect, "{said:?} {suspended}");
        };
        check(None, false, &[Is::Waiting]);
        check(Some(1), true, &[Is::Waiting, Is::Suspended]);
        check(Some(2), false, &[Is::Planned, Is::Drifted]);
        check(Some(2), true, &[Is::Planned, Is::Drifted, Is::Suspended]);
    }
}
