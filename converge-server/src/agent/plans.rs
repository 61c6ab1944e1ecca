//! The last drift of each module, which is stored and sent to the server.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use converge_controller::{Id, Name, Partition, Ref, StoredResource as _, Tenancy, Typed};
use prost::Message as _;
use tokio::time::{Instant, sleep_until};

use super::agent_state::Keep;
use super::drift::Drift;
use super::server_client::{Remote, RemoteError};
use crate::fleet::types::{Module, Node, NodePlan, NodePlans, Run};

/// The delay after a failed request.
const AGAIN: Duration = Duration::from_secs(30);

/// The last plan of each assigned module, and whether the server has them.
#[derive(Debug)]
pub(super) struct Plans {
    kept: Arc<NodePlans>,
    is_told: bool,
    /// The time to send the plans.
    due: Instant,
}

impl Plans {
    /// Reads the plans that an earlier agent stored.
    ///
    /// The agent asks the server whether it has them.
    pub(super) fn read(keep: &Keep) -> Self {
        let kept =
            keep.read_plans().map_or(Ok(NodePlans::default()), |bytes| NodePlans::decode(bytes.as_slice()));
        let kept = kept.unwrap_or_else(|error| {
            tracing::warn!(%error, "the stored plans cannot be read, and are ignored");
            NodePlans::default()
        });
        Self { is_told: kept.plans.is_empty(), kept: Arc::new(kept), due: Instant::now() }
    }

    /// Records the drift of a run.
    ///
    /// A run without drift leaves the plan of the earlier run in place.
    pub(super) fn take(&mut self, run: &Run, found: &Drift, keep: &Keep) {
        if found.is_empty() {
            return;
        }
        let plan = NodePlan {
            module: run.module.clone(),
            revision: run.revision.clone(),
            began: run.last,
            outcome: run.outcome,
            summary: run.summary.clone(),
            resources: found.resources().to_vec(),
            left_out: found.left_out().to_owned(),
        };
        let known = self.kept.plans.iter().find(|known| known.module == plan.module);
        if known.is_some_and(|known| known.has_same_drift(&plan)) {
            return;
        }
        Arc::make_mut(&mut self.kept).replace(plan);
        self.changed(keep);
    }

    /// Removes the plans of all other modules, which are no longer assigned.
    pub(super) fn retain(&mut self, modules: &BTreeSet<Ref<Module>>, keep: &Keep) {
        let is_assigned =
            |plan: &NodePlan| plan.module.as_ref().is_some_and(|module| modules.contains(module));
        if !self.kept.plans.iter().all(is_assigned) {
            Arc::make_mut(&mut self.kept).plans.retain(is_assigned);
            self.changed(keep);
        }
    }

    fn changed(&mut self, keep: &Keep) {
        (self.is_told, self.due) = (false, Instant::now());
        if let Err(error) = keep.write_plans(&self.kept.encode_to_vec()) {
            tracing::warn!(%error, "plans cannot be kept");
        }
    }

    /// Returns the plans that the server lacks and the time to send them.
    pub(super) fn unsent(&self) -> Option<(Arc<NodePlans>, Instant)> {
        (!self.is_told).then(|| (self.kept.clone(), self.due))
    }

    /// Records the result of sending these plans.
    pub(super) fn record_sent(&mut self, (plans, told): (Arc<NodePlans>, Result<(), RemoteError>)) {
        match told {
            Ok(()) => self.is_told = Arc::ptr_eq(&plans, &self.kept),
            Err(error) => {
                tracing::info!(%error, "plans cannot be sent now; retrying later");
                self.due = Instant::now() + AGAIN;
            }
        }
    }

    /// Makes sending due at once because the server is reachable.
    pub(super) fn try_now(&mut self) {
        self.due = Instant::now();
    }
}

/// Sends the plans when they are due.
///
/// Never returns if there is nothing to send.
pub(super) async fn send(
    remote: Remote,
    node: Name,
    untold: Option<(Arc<NodePlans>, Instant)>,
) -> (Arc<NodePlans>, Result<(), RemoteError>) {
    let Some((plans, due)) = untold else { return std::future::pending().await };
    sleep_until(due).await;
    let told = replace(&remote, node, &plans).await;
    (plans, told)
}

/// Replaces the plans of a node unless they are stored already.
async fn replace(remote: &Remote, node: Name, plans: &NodePlans) -> Result<(), RemoteError> {
    let tenancy = Tenancy::Partition(Partition::default());
    let id = |of| Id::new(of, tenancy.clone(), node.clone());
    let mut stored = match remote.find::<NodePlans>(&id(NodePlans::resource_type().clone())).await? {
        Some(stored) if stored.data == *plans => return Ok(()),
        Some(stored) => stored,
        None => {
            let found = remote.find::<Node>(&id(Node::resource_type().clone())).await?;
            let owner = found.ok_or_else(|| RemoteError::NoNode(node.clone()))?;
            Typed::named(tenancy.clone(), node, NodePlans::default()).with_owner(owner.id())
        }
    };
    stored.data = plans.clone();
    remote.write(stored).await.map(drop)
}

#[cfg(test)]
mod tests {
    use converge_core::testing::private_folder;

    use super::*;
    use crate::fleet::types::RunOutcome;

    fn run(module: &str, outcome: RunOutcome) -> Run {
        let tenancy = Tenancy::Namespace(Partition::default(), "default".parse().unwrap());
        Run { module: Some(Ref::new(tenancy, module.parse().unwrap())), outcome, ..Run::default() }
    }

    #[tokio::test]
    async fn the_last_plan_of_each_module_is_kept_and_told_when_it_is_another() {
        let this = std::env::current_exe().unwrap();
        let folder = tempfile::tempdir_in(private_folder(this.parent().unwrap()).unwrap()).unwrap();
        let keep = Keep::open(folder.path()).unwrap();
        let mut plans = Plans::read(&keep);
        assert!(plans.unsent().is_none());
        let differs = Drift::from_name("a");
        plans.take(&run("site", RunOutcome::Differs), &differs, &keep);
        plans.take(&run("db", RunOutcome::Differs), &differs, &keep);
        let first = plans.unsent().unwrap().0;
        assert_eq!(first.plans.len(), 2);
        // Another run ended while the plans were sent.
        plans.take(&run("db", RunOutcome::Changed), &differs, &keep);
        plans.record_sent((first, Ok(())));
        let second = plans.unsent().unwrap().0;
        assert_eq!(second.plans.last().unwrap().outcome, RunOutcome::Changed);
        plans.record_sent((second, Ok(())));

        // The same drift again, and a run without drift.
        plans.take(&run("db", RunOutcome::Changed), &differs, &keep);
        plans.take(&run("site", RunOutcome::Unchanged), &Drift::default(), &keep);
        assert!(plans.unsent().is_none());

        // The next agent asks the server whether it has the plans.
        let mut plans = Plans::read(&keep);
        let (known, due) = plans.unsent().unwrap();
        assert_eq!(known.plans.len(), 2);
        plans.record_sent((known, Err(RemoteError::Silent)));
        assert!(plans.unsent().unwrap().1 > due);
        let site = run("site", RunOutcome::Differs).module.unwrap();
        plans.retain(&BTreeSet::from([site]), &keep);
        assert_eq!(plans.unsent().unwrap().0.plans.len(), 1);
        assert_eq!(Plans::read(&keep).unsent().unwrap().0.plans.len(), 1);
    }
}
