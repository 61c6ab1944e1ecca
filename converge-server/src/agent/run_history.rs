//! What was done, and is told to the server: the history of the node.
//!
//! A run is written down before it begins, so that one during which the agent is killed is known by the next agent. What repeats
//! is counted, and told now and then; everything else is told at once, or when the server is back.

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

/// When it is told that nothing was to be done once more.
const UNCHANGED: Duration = Duration::from_mins(10);
/// When it is told that something else has repeated.
const REPEATED: Duration = Duration::from_mins(1);
/// How long to wait when nothing could be told.
const AGAIN: Duration = Duration::from_secs(30);

/// The runs that the server does not know yet, and the last one of each module.
#[derive(Debug)]
pub(super) struct Runs {
    kept: Kept,
    /// When to tell what is not told.
    due: Instant,
    /// Whether the last try to keep them was in vain.
    is_lost: bool,
}

/// What the file holds.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
struct Kept {
    /// It has begun, and nobody has seen its end.
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
    /// With what an earlier agent kept. A run of which that one did not see the end is lost.
    pub(super) fn read(keep: &Keep) -> Self {
        let kept = keep.read_runs().map_or(Ok(Kept::default()), |bytes| Kept::decode(bytes.as_slice()));
        let mut kept = kept.unwrap_or_else(|error| {
            tracing::warn!(%error, "the runs that were kept cannot be read, and are left out");
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

    /// Writes down that a run of an assignment begins.
    pub(super) fn begin(&mut self, assignment: &Typed<Assignment>, random: &mut Random, keep: &Keep) {
        self.kept.running = Some(begun(assignment, random));
        self.write(keep);
    }

    /// Writes down what came of it, and gives the run; none when nothing was done.
    pub(super) fn end(&mut self, came: &Result<Outcome, Held>, took: Duration, keep: &Keep) -> Option<Run> {
        let run = ended(came, Run { took, ..self.kept.running.take()? });
        if let Some(run) = &run {
            self.note(run.clone());
        }
        self.write(keep);
        run
    }

    fn note(&mut self, run: Run) {
        let is_all_told = self.untold().is_none();
        let ended = &mut self.kept.ended;
        let of_module = ended.iter_mut().rev().find(|noted| noted.run.module == run.module);
        match of_module {
            Some(noted) if noted.run.came_to_the_same_as(&run) => {
                // It goes with what is told sooner.
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
        self.tidy();
    }

    /// Leaves out what nobody needs any more, and what is too much.
    fn tidy(&mut self) {
        let ended = &mut self.kept.ended;
        let modules: Vec<_> = ended.iter().map(|noted| noted.run.module.clone()).collect();
        let mut at = 0;
        ended.retain(|noted| {
            at += 1;
            // The last one of its module tells whether the next repeats it.
            !noted.is_told || !modules[at..].contains(&noted.run.module)
        });
        limit(ended, |noted| &noted.run);
    }

    /// What is to be told, and when. All that is known goes with what the server does not know, as it may have lost something.
    pub(super) fn untold(&self) -> Option<(Vec<Run>, Instant)> {
        let ended = &self.kept.ended;
        ended.iter().any(|noted| !noted.is_told).then(|| (self.known(), self.due))
    }

    fn known(&self) -> Vec<Run> {
        self.kept.ended.iter().map(|noted| noted.run.clone()).collect()
    }

    /// Takes what came of telling these.
    pub(super) fn told(&mut self, (runs, told): (Vec<Run>, Result<(), RemoteError>), keep: &Keep) {
        if let Err(error) = told {
            tracing::info!(%error, "runs cannot be told now; it is done later");
            self.due = Instant::now() + AGAIN;
            return;
        }
        for noted in &mut self.kept.ended {
            noted.is_told |= runs.contains(&noted.run);
        }
        self.tidy();
        self.write(keep);
    }

    /// The server is there.
    pub(super) fn try_now(&mut self) {
        self.due = Instant::now();
    }

    /// Keeps all in the file. What cannot be kept is lost only when the agent ends before it is told.
    fn write(&mut self, keep: &Keep) {
        let written = keep.write_runs(&self.kept.encode_to_vec());
        if let Err(error) = &written
            && !self.is_lost
        {
            tracing::warn!(%error, "what is done cannot be kept");
        }
        self.is_lost = written.is_err();
    }
}

/// A run of an assignment that begins now.
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

/// A run with what came of it; none when nothing was done.
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

/// Tells runs when it is time for that; never, when there is nothing.
pub(super) async fn tell(
    remote: Remote,
    node: Name,
    untold: Option<(Vec<Run>, Instant)>,
) -> (Vec<Run>, Result<(), RemoteError>) {
    let Some((runs, due)) = untold else { return std::future::pending().await };
    sleep_until(due).await;
    let told = add(&remote, node, &runs).await;
    (runs, told)
}

/// Adds runs to the history of a node. Two agents that have one name do no harm to what the other has told: who was slower is refused, and tries
/// again.
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

    /// Module, outcome and number of all that are known.
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
        assert!(runs.untold().is_none());
        one(&mut runs, "a", &Ok(failed("no")), &keep);
        // Nothing was done.
        one(&mut runs, "b", &Err(Held::Busy), &keep);
        one(&mut runs, "b", &Ok(Outcome::Suspended), &keep);
        runs.begin(&assignment("b"), &mut Random::from_machine(), &keep);
        drop(runs);

        let lost = [("a".to_owned(), RunOutcome::Failed, 1), ("b".to_owned(), RunOutcome::Lost, 1)];
        let runs = Runs::read(&keep);
        assert_eq!(known(&runs), lost);
        assert!(runs.known()[1].errors[0].starts_with("the agent ended during this run"));
        // Once.
        assert_eq!(known(&Runs::read(&keep)), lost);
    }

    #[tokio::test(start_paused = true)]
    async fn what_repeats_is_counted_and_told_later() {
        let folder = folder();
        let keep = Keep::open(folder.path()).unwrap();
        let mut runs = Runs::read(&keep);
        one(&mut runs, "a", &Ok(failed("no")), &keep);
        let (told, due) = runs.untold().unwrap();
        assert_eq!(due, Instant::now());
        one(&mut runs, "a", &Ok(failed("no")), &keep);
        // One more has come since.
        runs.told((told, Ok(())), &keep);
        assert_eq!(known(&runs), [("a".to_owned(), RunOutcome::Failed, 2)]);
        let (told, due) = runs.untold().unwrap();
        assert_eq!(due, Instant::now());
        runs.told((told, Ok(())), &keep);
        assert!(runs.untold().is_none());

        one(&mut runs, "a", &Ok(failed("no")), &keep);
        assert_eq!(runs.untold().unwrap().1, Instant::now() + REPEATED);
        one(&mut runs, "a", &Ok(failed("otherwise")), &keep);
        let (told, due) = runs.untold().unwrap();
        assert_eq!((told.len(), due), (2, Instant::now()));
        runs.told((told, Err(RemoteError::Silent)), &keep);
        let (told, due) = runs.untold().unwrap();
        assert_eq!((told.len(), due), (2, Instant::now() + AGAIN));
        // The next agent knows what was told, and what the last one of a module was.
        runs.told((told, Ok(())), &keep);
        let runs = Runs::read(&keep);
        assert!(runs.untold().is_none());
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
        // The one that fails all the time has not driven out the others.
        let modules: BTreeSet<_> = known(&runs).into_iter().map(|(module, ..)| module).collect();
        assert_eq!(modules.len(), 11);
        assert!(runs.kept.encode_to_vec().len() < 100 * 1024);
        assert!(runs.known().last().unwrap().errors[0].starts_with("9999 "));
    }
}
