//! The worker of the agent, which handles assignments one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use converge_controller::clock::Random;
use converge_controller::protobuf::Timestamp;
use converge_controller::{Id, Name, Status};
use converge_core::engine::CancellationToken;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::agent_state::{Before, Keep, Kept};
use super::assignment_state::AssignmentState;
use super::assignment_watch::AssignmentEvent;
use super::drift::Drift;
use super::file_watch::Notices;
use super::known_module::KnownModule;
use super::machine::{Held, Machine};
use super::outcome::Outcome;
use super::plans::{self, Plans};
use super::run_history::{self, Runs};
use super::server_client::{Remote, RemoteError};
use crate::fleet::types::{Assignment, Opening};

/// The delay after a failed report.
const REPORT_AGAIN: Duration = Duration::from_secs(5);
/// The maximum time for final reports when the agent stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// The worker and its state.
#[derive(Debug)]
pub(super) struct Worker {
    machine: Machine,
    remote: Remote,
    keep: Arc<Keep>,
    node: Name,
    runs: Runs,
    plans: Plans,
    random: Random,
    /// The assignments by their ids without uid.
    duties: BTreeMap<Id, AssignmentState>,
    /// The file notifier, or `None` if the system does not support it.
    notices: Option<Notices>,
    /// The time before which nothing is reported, because the last attempt failed.
    report_after: Instant,
}

impl Worker {
    /// Creates a worker with the state that an earlier agent stored.
    pub(super) fn new(machine: Machine, remote: Remote, store: Arc<Keep>, node: Name) -> Self {
        let now = Instant::now();
        let entries = store.read().into_iter().filter_map(Kept::read).map(|before| {
            let Before { assignment, revision, unreported, secrets } = before;
            let id = assignment.id().clone().without_uid();
            let duty = AssignmentState::new(assignment, revision, now).with_secrets(secrets);
            (id, unreported.into_iter().fold(duty, AssignmentState::with_unreported))
        });
        let duties = entries.collect();
        let (runs, plans) = (Runs::read(&store), Plans::read(&store));
        let random = Random::from_machine();
        let notices = Notices::new();
        Self { machine, remote, keep: store, node, runs, plans, random, duties, notices, report_after: now }
    }

    /// Handles assignments until the agent stops.
    pub(super) async fn work(mut self, mut news: mpsc::Receiver<AssignmentEvent>, stop: &CancellationToken) {
        loop {
            let next = self.duties.iter().min_by_key(|(_, duty)| duty.due());
            let next = next.map(|(id, duty)| (id.clone(), duty.due()));
            let reported = report(self.remote.clone(), self.unreported(), self.report_after);
            let history_report =
                run_history::send(self.remote.clone(), self.node.clone(), self.runs.unsent());
            let plan_report = plans::send(self.remote.clone(), self.node.clone(), self.plans.unsent());
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                heard = news.recv() => match heard {
                    Some(change) => self.handle_event(change),
                    None => break,
                },
                id = when(next) => self.look(&id, stop).await,
                changed = changed(self.notices.as_mut()) => self.notice(&changed),
                // An interrupted report is sent again, which does no harm.
                reported = reported => self.reported(reported),
                told = history_report => self.runs.record_sent(told, &self.keep),
                shown = plan_report => self.plans.record_sent(shown),
            }
        }
        // Anything not sent now is stored, and the next agent sends it.
        let _ = timeout(FAREWELL, self.flush_reports()).await;
    }

    /// Sends everything that the server lacks, one item after the other.
    async fn flush_reports(&mut self) {
        let now = Instant::now();
        if let Some((untold, _)) = self.runs.unsent() {
            let report = run_history::send(self.remote.clone(), self.node.clone(), Some((untold, now)));
            self.runs.record_sent(report.await, &self.keep);
        }
        if let Some((untold, _)) = self.plans.unsent() {
            let report = plans::send(self.remote.clone(), self.node.clone(), Some((untold, now)));
            self.plans.record_sent(report.await);
        }
    }

    fn handle_event(&mut self, news: AssignmentEvent) {
        match news {
            AssignmentEvent::Present(assignment, revision) => {
                let (id, now) = (assignment.id().clone().without_uid(), Instant::now());
                match self.duties.get_mut(&id) {
                    // Only the status has changed, which the agent itself reported.
                    Some(duty) if duty.assignment().resource.generation == assignment.resource.generation => {
                        return;
                    }
                    Some(duty) => duty.replace(*assignment, *revision, now),
                    None => {
                        self.duties.insert(id, AssignmentState::new(*assignment, *revision, now));
                    }
                }
                self.keep();
            }
            AssignmentEvent::Removed(id) => {
                if self.duties.remove(&id).is_some() {
                    self.keep();
                    self.forget_plans();
                }
            }
            AssignmentEvent::All(ids) => {
                self.duties.retain(|id, _| ids.contains(id));
                self.keep();
                self.forget_plans();
                // The server is reachable.
                self.report_after = Instant::now();
                self.duties.values_mut().for_each(|duty| duty.server_is_there(self.report_after));
                self.runs.try_now();
                self.plans.try_now();
            }
        }
    }

    /// Schedules a check of the assignments whose files changed.
    fn notice(&mut self, changed: &BTreeSet<Id>) {
        let now = Instant::now();
        for id in changed {
            match (self.duties.get_mut(id), &mut self.notices) {
                (Some(duty), _) => duty.notice(now),
                (None, Some(notices)) => drop(notices.watch(id, &BTreeSet::new())),
                (None, None) => {}
            }
        }
    }

    /// Checks one module, and applies it if necessary.
    async fn look(&mut self, id: &Id, stop: &CancellationToken) {
        let secrets = tokio::select! {
            secrets = self.ask_secrets(id) => secrets,
            () = stop.cancelled() => return,
        };
        let Some(duty) = self.duties.get_mut(id) else { return };
        let (assignment, name) = (duty.assignment(), &id.name);
        let outcome = if assignment.suspended {
            Ok(Outcome::Suspended)
        } else {
            self.runs.begin(assignment, &mut self.random, &self.keep);
            let began = Instant::now();
            let known = duty.take_module(began);
            let content = &duty.revision().content;
            let module = match (secrets, known) {
                (Ok(_), Some(module)) => Ok(Ok(module)),
                (Ok(secrets), None) => {
                    let loaded = self.machine.load(name, content, secrets, stop).await;
                    // The watches start before the check, so that no later change is missed.
                    let notices = self.notices.as_mut();
                    loaded.map(|loaded| loaded.map(|loaded| KnownModule::new(loaded, began, id, notices)))
                }
                (Err(reason), _) => Ok(Err(reason)),
            };
            let result = match module {
                Ok(Ok(mut module)) => {
                    let assignment = duty.assignment();
                    let opening = Opening::from_windows(&assignment.windows, Timestamp::now());
                    let (graph, settled) = (module.graph(), module.settled());
                    let mut ran = self.machine.run(graph, settled, assignment.mode, opening, stop).await;
                    if let Ok((outcome, reads)) = &mut ran
                        && let Some(reads) = reads.take()
                    {
                        module.checked(outcome, reads, id, self.notices.as_mut());
                    }
                    duty.keep_module(module);
                    ran.map(|(outcome, _)| outcome)
                }
                Ok(Err(why)) => Ok(Outcome::NotRun(why)),
                Err(obstacle) => Err(obstacle),
            };
            let run = self.runs.end(&result, began.elapsed(), &self.keep);
            if let (Some(run), Some(found)) = (run, found(&result)) {
                self.plans.take(&run, found, &self.keep);
            }
            result
        };
        match outcome {
            Ok(outcome) => {
                duty.looked(&outcome, Instant::now(), &mut self.random);
                if duty.unreported().is_some() {
                    tracing::info!(assignment = %name, ?outcome, "looked");
                    self.keep();
                }
            }
            Err(Held::Busy) => {
                tracing::info!(assignment = %name, "another run changes the machine: checking later");
                duty.put_off(Instant::now());
            }
            Err(Held::Stopped(_)) => {}
        }
    }

    /// Returns the secret parameters of a module, or the reason why they are missing.
    ///
    /// New values are stored.
    async fn ask_secrets(&mut self, id: &Id) -> Result<BTreeMap<String, String>, String> {
        let Some(duty) = self.duties.get_mut(id) else { return Ok(BTreeMap::new()) };
        let mut secrets = duty.secrets().clone();
        if duty.assignment().suspended || duty.revision().content.secrets.is_empty() {
            return Ok(BTreeMap::new());
        }
        let result = secrets.ask(&self.remote, duty.assignment(), &duty.revision().content).await;
        let params = secrets.params(&duty.revision().content);
        duty.take_secrets(secrets);
        self.keep();
        result.map(|()| params)
    }

    /// Keeps only the plans of assigned modules.
    fn forget_plans(&mut self) {
        let modules = self.duties.values().filter_map(|duty| Assignment::module_of(duty.assignment()));
        self.plans.retain(&modules.collect(), &self.keep);
    }

    /// Returns a status that the server does not have yet.
    fn unreported(&self) -> Option<(Id, Status)> {
        let mut unreported = self.duties.values().filter_map(|duty| Some((duty, duty.unreported()?)));
        unreported.next().map(|(duty, status)| (duty.assignment().id().clone(), status.clone()))
    }

    /// Records the result of a report.
    fn reported(&mut self, (id, reported): (Id, Result<(), RemoteError>)) {
        match reported {
            Ok(()) => {
                if let Some(duty) = self.duties.get_mut(&id.without_uid()) {
                    duty.reported();
                    self.keep();
                }
            }
            Err(error) => {
                tracing::info!(%error, "the report cannot be sent now; retrying later");
                self.report_after = Instant::now() + REPORT_AGAIN;
            }
        }
    }

    /// Stores the assignments in the file.
    ///
    /// After a failure, they are lost only if the agent ends while the server is away.
    fn keep(&self) {
        let entries: Vec<Kept> = self
            .duties
            .values()
            .map(|duty| Kept::new(duty.assignment(), duty.revision(), duty.unreported(), duty.secrets()))
            .collect();
        if let Err(error) = self.keep.write(&entries) {
            tracing::warn!(%error, "the assignments cannot be stored");
        }
    }
}

/// Returns the drift that a check found, even if the check was interrupted.
fn found(result: &Result<Outcome, Held>) -> Option<&Drift> {
    match result {
        Ok(outcome) => outcome.found(),
        Err(Held::Stopped(seen)) => seen.as_ref().map(|summary| summary.found()),
        Err(Held::Busy) => None,
    }
}

/// Sends a report when it is due.
///
/// Never returns if there is nothing to report.
async fn report(
    remote: Remote,
    unreported: Option<(Id, Status)>,
    after: Instant,
) -> (Id, Result<(), RemoteError>) {
    let Some((id, status)) = unreported else { return std::future::pending().await };
    sleep_until(after).await;
    let reported = remote.report(&id, Assignment::REPORT, &status).await;
    (id, reported)
}

/// Waits for a change to a managed path.
///
/// Waits forever without a notifier.
async fn changed(notices: Option<&mut Notices>) -> BTreeSet<Id> {
    match notices {
        Some(notices) => notices.changed().await,
        None => std::future::pending().await,
    }
}

/// Waits until an assignment is due.
///
/// Waits forever if there is none.
async fn when(next: Option<(Id, Instant)>) -> Id {
    match next {
        Some((id, due)) => {
            sleep_until(due).await;
            id
        }
        None => std::future::pending().await,
    }
}
