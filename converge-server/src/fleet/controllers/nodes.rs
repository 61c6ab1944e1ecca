//! The controller that reports whether the agent of each node is alive.

use std::time::Duration;

use converge_controller::runtime::{Action, Controller, Definition, Request, Runtime, map, report};
use converge_controller::service::TypedError;
use converge_controller::storage::Consistency;
use converge_controller::{Condition, ConditionState, Id, StoredResource as _};
use jiff::Timestamp;

use crate::fleet::types::{Node, NodeReport};

/// The time without a heartbeat after which a node is silent: three missed heartbeats.
const SILENT_AFTER: Duration = Duration::from_secs(90);

pub(crate) const NAME: &str = "nodes";
/// The condition that the controller sets on nodes.
pub(crate) const READY: &str = "ready";
/// The reason for a node that is not ready.
pub(crate) const SILENT: &str = "Silent";

pub(crate) fn nodes() -> Definition {
    Controller::<Node>::new(NAME).watch::<NodeReport>(map::same_name()).concurrency(4).reconcile(reconcile)
}

async fn reconcile(runtime: Runtime, request: Request<Node>) -> Result<Action, TypedError> {
    let node = runtime.client.find_as::<Node>(request.id(), Consistency::Eventual).await?;
    let Some(node) = node else { return Ok(Action::await_change()) };
    let Id { tenancy, name, .. } = node.id().clone();
    let report_id = Id::new(NodeReport::resource_type().clone(), tenancy, name);
    let node_report = runtime.client.find_as::<NodeReport>(&report_id, Consistency::Eventual).await?;
    let heartbeat = node_report.as_ref().and_then(|node_report| {
        let status =
            node_report.resource.status.iter().find(|(key, _)| key.as_str() == NodeReport::HEARTBEAT);
        status.and_then(|(_, status)| status.updated_at)
    });
    let now = runtime.client.service().clock().now();
    let (condition, action) = ready(heartbeat, Timestamp::try_from(now).unwrap_or(Timestamp::MAX));
    report(&runtime, &node.resource, [condition]).await?;
    Ok(action)
}

/// Returns the condition of a node by its last heartbeat, and the time of the next check.
fn ready(heartbeat: Option<Timestamp>, now: Timestamp) -> (Condition, Action) {
    let ready = |state| Condition::new(READY, state);
    let Some(heartbeat) = heartbeat else {
        let condition = ready(ConditionState::Unknown).reason("NeverHeard");
        return (condition.message("its agent has never reported"), Action::await_change());
    };
    // A heartbeat in the future comes from a server with a different clock.
    let silence = now.duration_since(heartbeat).try_into().unwrap_or(Duration::ZERO);
    match SILENT_AFTER.checked_sub(silence) {
        Some(rest) if !rest.is_zero() => (ready(ConditionState::True), Action::requeue(rest)),
        _ => {
            let message = format!("its agent last reported at {heartbeat:.0}");
            (ready(ConditionState::Unknown).reason(SILENT).message(message), Action::await_change())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_node_is_ready() {
        #[track_caller]
        fn check(heartbeat: Option<i64>, expect: (ConditionState, &str, &str), retry_after: Option<u64>) {
            let time = |second| Timestamp::from_second(1_700_000_000 + second).unwrap();
            let (condition, action) = ready(heartbeat.map(time), time(0));
            let actual = (condition.state, condition.reason.as_str(), condition.message.as_str());
            assert_eq!((actual, action.requeue_after()), (expect, retry_after.map(Duration::from_secs)));
        }
        let ready = (ConditionState::True, "", "");
        check(None, (ConditionState::Unknown, "NeverHeard", "its agent has never reported"), None);
        check(Some(0), ready, Some(90));
        check(Some(-89), ready, Some(1));
        check(Some(30), ready, Some(90));
        let silent = "its agent last reported at 2023-11-14T22:11:50Z";
        check(Some(-90), (ConditionState::Unknown, "Silent", silent), None);
    }
}
