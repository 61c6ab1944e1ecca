//! The run history of the node, which is stored and sent to the server.
//!
//! A run is recorded before it starts, so that the next agent knows of a run during which the agent was
//! killed. Repeated runs are counted and sent from time to time. Everything else is sent at once, or when the
//! server is back.

use std::time::{Duration, SystemTime};

use converge_controller::clock::Random;
use converge_controller::protobuf::Timestamp;
use converge_controller::{
    ConditionState, Id, Name, Partition, StoredMessage, StoredResource as _, Tenancy, Typed, Uid,
};
use prost::Message as _;
use tokio::time::{Instant, sleep_until};

use super::agent_state::Keep;
use super::machine::Held;
use super::outcome::{Outcome, Seen};
use super::server_client::{Remote, RemoteError};
use crate::fleet::types::{Assignment, Node, NodeHistory, Run, RunOutcome, TEXT, limit, shortened};

/// The delay before a repeated run without changes is sent.
const UNCHANGED: Duration = Duration::from_mins(10);
/// The delay before any other repeated run is sent.
const REPEATED: Duration = Duration::from_mins(1);
/// The delay after a failed request.
const AGAIN: Duration = Duration::from_secs(30);

/// The runs that the server lacks, and the last run of each module.
#[derive(Debug)]
pub(super) struct Runs {
    kept: Kept,
    /// The time to send the unsent runs.
    due: Instant,
    /// Whether the last attempt to store the runs failed.
    is_lost: bool,
}

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
struct Kept {
    /// The run that has started and whose end is not recorded.
    #[stored(tag = 1)]
    running: Option<Run>,
    #[stored(tag = 2)]
    ended: Vec<Noted>,
}

/// A run that has ended.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
struct Noted {
    #[stored(tag = 1)]
    run: Run,
    #[stored(tag = 2)]
    is_told: bool,
}

impl Runs {
    /// Reads the runs that an earlier agent stored.
    ///
    /// A run without a recorded end is marked as lost.
    pub(super) fn read(keep: &Keep) -> Self {
        let kept = keep.read_runs().map_or(Ok(Kept::default()), |bytes| Kept::decode(bytes.as_slice()));
        let mut kept = kept.unwrap_or_else(|error| {
            tracing::warn!(%error, "the stored runs cannot be read, and are ignored");
            Kept::default()
        });
        let lost = kept.running.take();
        let mut runs = Self { kept, due: Instant::now(), is_lost: false };
        if let Some(run) = lost {
            let why = "the agent ended during this run: it was killed, or the machine lost its power";
            runs.note(Run { outcome: RunOutcome::Lost, errors: vec![why.to_owned()], ..run });
            runs.write(keep);
        }
        runs
    }

    /// Records the start of a run of an assignment.
    pub(super) fn begin(&mut self, assignment: &Typed<Assignment>, random: &mut Random, keep: &Keep) {
        self.kept.running = Some(begun(assignment, random));
        self.write(keep);
    }

    /// Records the result of the run and returns it; `None` if nothing was done.
    pub(super) fn end(&mut self, came: &Result<Outcome, Held>, took: Duration, keep: &Keep) -> Option<Run> {
        let run = ended(came, Run { took, ..self.kept.running.take()? });
        if let Some(run) = &run {
            self.note(run.clone());
        }
        self.write(keep);
        run
    }

    fn note(&mut self, run: Run) {
        let is_all_told = self.unsent().is_none();
        let ended = &mut self.kept.ended;
        let of_module = ended.iter_mut().rev().find(|noted| noted.run.module == run.module);
        match of_module {
            Some(noted) if noted.run.has_same_outcome(&run) => {
                // The repetition is sent together with the next run that is due sooner.
                if is_all_told {
                    let is_news = run.outcome != RunOutcome::Unchanged;
                    self.due = Instant::now() + if is_news { REPEATED } else { UNCHANGED };
                }
                noted.is_told = false;
                noted.run.times = noted.run.times.saturating_add(1);
                (noted.run.last, noted.run.took) = (run.last, run.took);
            }
            _ => {
                ended.push(Noted { run, is_told: false });
                self.due = Instant::now();
            }
        }
        self.prune();
    }

    /// Removes runs that are no longer needed, and runs over the limit.
    fn prune(&mut self) {
        let ended = &mut self.kept.ended;
        let modules: Vec<_> = ended.iter().map(|noted| noted.run.module.clone()).collect();
        let mut at = 0;
        ended.retain(|noted| {
            at += 1;
            // The last run of a module is needed to detect that the next one repeats it.
            !noted.is_told || !modules[at..].contains(&noted.run.module)
        });
        limit(ended, |noted| &noted.run);
    }

    /// Returns the runs to send and the time to send them.
    ///
    /// All known runs are included, because the server may have lost some.
    pub(super) fn unsent(&self) -> Option<(Vec<Run>, Instant)> {
        let ended = &self.kept.ended;
        ended.iter().any(|noted| !noted.is_told).then(|| (self.known(), self.due))
    }

    fn known(&self) -> Vec<Run> {
        self.kept.ended.iter().map(|noted| noted.run.clone()).collect()
    }

    /// Records the result of sending these runs.
    pub(super) fn record_sent(&mut self, (runs, told): (Vec<Run>, Result<(), RemoteError>), keep: &Keep) {
        if let Err(error) = told {
            tracing::info!(%error, "runs cannot be sent now; retrying later");
            self.due = Instant::now() + AGAIN;
            return;
        }
        for noted in &mut self.kept.ended {
            noted.is_told |= runs.contains(&noted.run);
        }
        self.prune();
        self.write(keep);
    }

    /// Makes sending due at once because the server is reachable.
    pub(super) fn try_now(&mut self) {
        self.due = Instant::now();
    }

    /// Stores all runs in the file.
    ///
    /// After a failure, a run is lost only if the agent ends before it is sent.
    fn write(&mut self, keep: &Keep) {
        let written = keep.write_runs(&self.kept.encode_to_vec());
        if let Err(error) = &written
            && !self.is_lost
        {
            tracing::warn!(%error, "the run cannot be stored");
        }
        self.is_lost = written.is_err();
    }
}

/// Creates a run of an assignment that starts now.
fn begun(assignment: &Typed<Assignment>, random: &mut Random) -> Run {
    let now = SystemTime::now();
    let began = Timestamp::try_from(now).ok();
    Run {
        id: Uid::at(now, random.bits()).to_string(),
        module: Assignment::module_of(assignment),
        revision: assignment.revision.clone(),
        mode: assignment.mode,
        began,
        last: began,
        times: 1,
        ..Run::default()
    }
}

/// Adds the result to a run; returns `None` if nothing was done.
fn ended(came: &Result<Outcome, Held>, run: Run) -> Option<Run> {
    let with = |outcome, seen: &Seen| Run {
        outcome,
        summary: seen.counted(),
        changes: seen.changes().to_vec(),
        errors: seen.errors().to_vec(),
        ..run.clone()
    };
    Some(match came {
        Ok(Outcome::Suspended) | Err(Held::Busy) => return None,
        Ok(Outcome::NotRun(why)) => {
            Run { outcome: RunOutcome::Failed, errors: vec![shortened(why, TEXT)], ..run }
        }
        Ok(Outcome::Planned(seen) | Outcome::Waits { seen, .. }) if seen.errors().is_empty() => {
            match seen.is_so() {
                ConditionState::True => with(RunOutcome::Unchanged, seen),
                ConditionState::False | ConditionState::Unknown => with(RunOutcome::Differs, seen),
            }
        }
        Ok(Outcome::Planned(seen) | Outcome::Waits { seen, .. }) => with(RunOutcome::Failed, seen),
        Ok(Outcome::Applied { after, .. }) => match after.is_so() {
            ConditionState::True if after.changes().is_empty() => with(RunOutcome::Unchanged, after),
            ConditionState::True => with(RunOutcome::Changed, after),
            ConditionState::False | ConditionState::Unknown => with(RunOutcome::Failed, after),
        },
        Err(Held::Stopped(Some(seen))) => with(RunOutcome::Cancelled, seen),
        Err(Held::Stopped(None)) => Run { outcome: RunOutcome::Cancelled, ..run },
    })
}

/// Sends the runs when they are due.
///
/// Never returns if there is nothing to send.
pub(super) async fn send(
    remote: Remote,
    node: Name,
    untold: Option<(Vec<Run>, Instant)>,
) -> (Vec<Run>, Result<(), RemoteError>) {
    let Some((runs, due)) = untold else { return std::future::pending().await };
    sleep_until(due).await;
    let told = add(&remote, node, &runs).await;
    (runs, told)
}

/// Adds runs to the history of a node.
///
/// Two agents with the same name do not overwrite the runs of each other: the slower write is refused and
/// retried.
async fn add(remote: &Remote, node: Name, runs: &[Run]) -> Result<(), RemoteError> {
    let tenancy = Tenancy::Partition(Partition::default());
    let id = |of| Id::new(of, tenancy.clone(), node.clone());
    let found = remote.find::<NodeHistory>(&id(NodeHistory::resource_type().clone())).await?;
    let mut history = if let Some(history) = found {
        history
    } else {
        let found = remote.find::<Node>(&id(Node::resource_type().clone())).await?;
        let owner = found.ok_or_else(|| RemoteError::NoNode(node.clone()))?;
        Typed::named(tenancy.clone(), node, NodeHistory::default()).with_owner(owner.id())
    };
    history.data.add(runs.iter().cloned());
    remote.write(history).await.map(drop)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use converge_controller::Ref;
    use converge_core::testing::private_folder;

    use super::*;
    use crate::fleet::types::Module;

    fn folder() -> tempfile::TempDir {
        let this = std::env::current_exe().unwrap();
        tempfile::tempdir_in(private_folder(this.parent().unwrap()).unwrap()).unwrap()
    }

    fn assignment(module: &str) -> Typed<Assignment> {
        let tenancy: Tenancy = Tenancy::Namespace(Partition::default(), "default".parse().unwrap());
        let owner = Id::new(Module::resource_type().clone(), tenancy.clone(), module.parse().unwrap());
        let revision = Some(Ref::new(tenancy.clone(), format!("{module}-1").parse().unwrap()));
        let data = Assignment { revision, ..Assignment::default() };
        Typed::named(tenancy, module.parse().unwrap(), data).with_owner(&owner)
    }

    fn failed(why: &str) -> Outcome {
        Outcome::NotRun(why.to_owned())
    }

    /// Returns module, outcome and count of all known runs.
    fn known(runs: &Runs) -> Vec<(String, RunOutcome, u64)> {
        let of = |run: Run| (run.module.unwrap().name.to_string(), run.outcome, run.times);
        runs.known().into_iter().map(of).collect()
    }

    fn one(runs: &mut Runs, module: &str, came: &Result<Outcome, Held>, keep: &Keep) {
        runs.begin(&assignment(module), &mut Random::from_machine(), keep);
        runs.end(came, Duration::from_secs(1), keep);
    }

    #[tokio::test]
    async fn an_end_that_nobody_saw_is_told_by_the_next_agent() {
        let folder = folder();
        let keep = Keep::open(folder.path()).unwrap();
        let mut runs = Runs::read(&keep);
        assert!(runs.unsent().is_none());
        one(&mut runs, "a", &Ok(failed("no")), &keep);
        // A run that did nothing.
        one(&mut runs, "b", &Err(Held::Busy), &keep);
        one(&mut runs, "b", &Ok(Outcome::Suspended), &keep);
        runs.begin(&assignment("b"), &mut Random::from_machine(), &keep);
        drop(runs);

        let lost = [("a".to_owned(), RunOutcome::Failed, 1), ("b".to_owned(), RunOutcome::Lost, 1)];
        let runs = Runs::read(&keep);
        assert_eq!(known(&runs), lost);
        assert!(runs.known()[1].errors[0].starts_with("the agent ended during this run"));
        // The loss is recorded only once.
        assert_eq!(known(&Runs::read(&keep)), lost);
    }

    #[tokio::test(start_paused = true)]
    async fn what_repeats_is_counted_and_told_later() {
        let folder = folder();
        let keep = Keep::open(folder.path()).unwrap();
        let mut runs = Runs::read(&keep);
        one(&mut runs, "a", &Ok(failed("no")), &keep);
        let (told, due) = runs.unsent().unwrap();
        assert_eq!(due, Instant::now());
        one(&mut runs, "a", &Ok(failed("no")), &keep);
        // Another run ended since.
        runs.record_sent((told, Ok(())), &keep);
        assert_eq!(known(&runs), [("a".to_owned(), RunOutcome::Failed, 2)]);
        let (told, due) = runs.unsent().unwrap();
        assert_eq!(due, Instant::now());
        runs.record_sent((told, Ok(())), &keep);
        assert!(runs.unsent().is_none());

        one(&mut runs, "a", &Ok(failed("no")), &keep);
        assert_eq!(runs.unsent().unwrap().1, Instant::now() + REPEATED);
        one(&mut runs, "a", &Ok(failed("otherwise")), &keep);
        let (told, due) = runs.unsent().unwrap();
        assert_eq!((told.len(), due), (2, Instant::now()));
        runs.record_sent((told, Err(RemoteError::Silent)), &keep);
        let (told, due) = runs.unsent().unwrap();
        assert_eq!((told.len(), due), (2, Instant::now() + AGAIN));
        // The next agent knows which runs were sent and the last run of each module.
        runs.record_sent((told, Ok(())), &keep);
        let runs = Runs::read(&keep);
        assert!(runs.unsent().is_none());
        assert_eq!(known(&runs), [("a".to_owned(), RunOutcome::Failed, 1)]);
    }

    #[tokio::test]
    async fn ten_thousand_runs_that_nobody_hears_of_are_a_hundred() {
        let folder = folder();
        let keep = Keep::open(folder.path()).unwrap();
        let mut runs = Runs::read(&keep);
        let (mut random, huge) = (Random::from_machine(), "é".repeat(100_000));
        for number in 0..10_000 {
            let came = Ok(failed(&format!("{number} {huge}")));
            let module = if number % 1000 == 0 { format!("rare-{number}") } else { "often".to_owned() };
            let run = begun(&assignment(&module), &mut random);
            runs.note(ended(&came, run).unwrap());
        }
        runs.write(&keep);
        let runs = Runs::read(&keep);
        assert_eq!(runs.known().len(), 100);
        // The module that always fails has not displaced the others.
        let modules: BTreeSet<_> = known(&runs).into_iter().map(|(module, ..)| module).collect();
        assert_eq!(modules.len(), 11);
        assert!(runs.kept.encode_to_vec().len() < 100 * 1024);
        assert!(runs.known().last().unwrap().errors[0].starts_with("9999 "));
    }
}
