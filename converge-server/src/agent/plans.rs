//! What differed on the machine, of each module the last time: kept, and told to the server.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use converge_controller::{Id, Name, Partition, Ref, StoredResource as _, Tenancy, Typed};
use prost::Message as _;
use tokio::time::{Instant, sleep_until};

use super::agent_state::Keep;
use super::drift::Found;
use super::server_client::{Remote, RemoteError};
use crate::fleet::types::{Module, Node, NodePlan, NodePlans, Run};

/// How long to wait when nothing could be told.
const AGAIN: Duration = Duration::from_secs(30);

/// The last plan of each module that is assigned, and whether the server knows them.
#[derive(Debug)]
pub(super) struct Plans {
    kept: Arc<NodePlans>,
    is_told: bool,
    /// When to tell them.
    due: Instant,
}

impl Plans {
    /// With what an earlier agent kept. Whether the server knows that is asked.
    pub(super) fn read(keep: &Keep) -> Self {
        let kept =
            keep.read_plans().map_or(Ok(NodePlans::default()), |bytes| NodePlans::decode(bytes.as_slice()));
        let kept = kept.unwrap_or_else(|error| {
            tracing::warn!(%error, "the plans that were kept cannot be read, and are left out");
            NodePlans::default()
        });
        Self { is_told: kept.plans.is_empty(), kept: Arc::new(kept), due: Instant::now() }
    }

    /// Takes what a run found. Where everything was as declared, the plan of an earlier run stays the last one.
    pub(super) fn take(&mut self, run: &Run, found: &Found, keep: &Keep) {
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
        if known.is_some_and(|known| known.found_the_same_as(&plan)) {
            return;
        }
        Arc::make_mut(&mut self.kept).take(plan);
        self.changed(keep);
    }

    /// Forgets those of all other modules: they are assigned no more.
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

    /// What is to be told, and when.
    pub(super) fn untold(&self) -> Option<(Arc<NodePlans>, Instant)> {
        (!self.is_told).then(|| (self.kept.clone(), self.due))
    }

    /// Takes what came of telling these.
    pub(super) fn told(&mut self, (plans, told): (Arc<NodePlans>, Result<(), RemoteError>)) {
        match told {
            Ok(()) => self.is_told = Arc::ptr_eq(&plans, &self.kept),
            Err(error) => {
                tracing::info!(%error, "plans cannot be told now; it is done later");
                self.due = Instant::now() + AGAIN;
            }
        }
    }

    /// The server is there.
    pub(super) fn try_now(&mut self) {
        self.due = Instant::now();
    }
}

/// Tells plans when it is time for that; never, when there is nothing.
pub(super) async fn tell(
    remote: Remote,
    node: Name,
    untold: Option<(Arc<NodePlans>, Instant)>,
) -> (Arc<NodePlans>, Result<(), RemoteError>) {
    let Some((plans, due)) = untold else { return std::future::pending().await };
    sleep_until(due).await;
    let told = replace(&remote, node, &plans).await;
    (plans, told)
}

/// Writes the plans of a node, unless they are stored already.
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
        assert!(plans.untold().is_none());
        let differs = Found::of_one("a");
        plans.take(&run("site", RunOutcome::Differs), &differs, &keep);
        plans.take(&run("db", RunOutcome::Differs), &differs, &keep);
        let first = plans.untold().unwrap().0;
        assert_eq!(first.plans.len(), 2);
        // One more has come while it was told.
        plans.take(&run("db", RunOutcome::Changed), &differs, &keep);
        plans.told((first, Ok(())));
        let second = plans.untold().unwrap().0;
        assert_eq!(second.plans.last().unwrap().outcome, RunOutcome::Changed);
        plans.told((second, Ok(())));

        // The same once more, and one that found nothing.
        plans.take(&run("db", RunOutcome::Changed), &differs, &keep);
        plans.take(&run("site", RunOutcome::Unchanged), &Found::default(), &keep);
        assert!(plans.untold().is_none());

        // The next agent asks whether the server knows them.
        let mut plans = Plans::read(&keep);
        let (known, due) = plans.untold().unwrap();
        assert_eq!(known.plans.len(), 2);
        plans.told((known, Err(RemoteError::Silent)));
        assert!(plans.untold().unwrap().1 > due);
        let site = run("site", RunOutcome::Differs).module.unwrap();
        plans.retain(&BTreeSet::from([site]), &keep);
        assert_eq!(plans.untold().unwrap().0.plans.len(), 1);
        assert_eq!(Plans::read(&keep).untold().unwrap().0.plans.len(), 1);
    }
}
