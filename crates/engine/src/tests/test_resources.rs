//! A toy resource, all of whose effects go through the [`World`] that records them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

use converge_sdk::{Export, HclEnum, Preparer};
use tokio::sync::Semaphore;

use crate::graph::NodeId;
use crate::sdk::prelude::*;
use crate::sdk::resource::{Batcher, Refresher};
use crate::system::{
    Command, Exit, ModelSystem, Output, OutputStream, Processes, System, SystemError, WrapSystem,
};
use crate::types::check::Fields;
use crate::types::schema::{BlockKind, Reach};
use crate::types::value::FieldError;
use converge_sdk::Refreshing;
use converge_sdk::macro_support::ToValue as _;

/// A model host whose facts are the states of toys. Operations can be paused, delayed and failed.
#[derive(Debug)]
pub(super) struct World {
    pub(super) model: ModelSystem,
    data: Mutex<Data>,
}

#[derive(Debug, Default)]
struct Data {
    log: Vec<String>,
    running: BTreeSet<String>,
    most_running: usize,
    together: BTreeSet<(String, String)>,
    /// Toys from the start of their apply to the end of the check that follows.
    applying: BTreeSet<String>,
    applied_together: BTreeSet<(String, String)>,
    /// Toys whose apply fails, so that no check follows.
    unchecked: BTreeSet<String>,
    gates: BTreeMap<String, Gate>,
    failing: BTreeMap<String, (Fails, usize)>,
    /// The seed for the duration of each operation, in turns of the executor.
    seed: u64,
}

/// The way in which an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fails {
    /// The operation fails before it has an effect.
    Early,
    /// The operation fails after it had its effect.
    Late,
}

/// A point at which an operation waits until the test releases it.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    reached: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Gate {
    /// Waits until the operation is at the gate.
    pub(super) async fn reached(&self) {
        self.reached.acquire().await.unwrap().forget();
    }

    pub(super) fn open(&self) {
        self.open.add_permits(1);
    }
}

impl World {
    pub(super) fn new() -> Arc<Self> {
        let model = ModelSystem::new().with_dir("/srv").with_program(|command, machine| {
            let (name, state) = (command.args.first()?, command.args.get(1));
            if let Some(state) = state {
                machine.put_fact(name, state);
            }
            Some(Output::success(machine.fact(name).unwrap_or_default()))
        });
        Arc::new(Self { model, data: Mutex::default() })
    }

    /// Puts a gate before `operation`, such as `check a` or `apply a`.
    pub(super) fn gate(&self, operation: &str) -> Gate {
        let gate = Gate { reached: Arc::new(Semaphore::new(0)), open: Arc::new(Semaphore::new(0)) };
        self.data.lock().unwrap().gates.insert(operation.to_owned(), gate.clone());
        gate
    }

    /// Makes `operation` fail the first `times`.
    pub(super) fn fail(&self, operation: &str, fails: Fails, times: usize) {
        self.data.lock().unwrap().failing.insert(operation.to_owned(), (fails, times));
    }

    /// Shuffles the durations of operations by this seed.
    pub(super) fn shuffle(&self, seed: u64) {
        self.data.lock().unwrap().seed = seed;
    }

    fn delay(&self, operation: &str) -> u64 {
        let data = self.data.lock().unwrap();
        let mut hasher = DefaultHasher::new();
        (data.seed, operation, data.log.len()).hash(&mut hasher);
        if data.seed == 0 { 1 } else { hasher.finish() % 7 }
    }

    pub(super) fn state(&self, name: &str) -> String {
        self.model.machine().fact(name).unwrap_or_default().to_owned()
    }

    pub(super) fn set(&self, name: &str, state: &str) {
        run_on(&self.model, Command::new("set").arg(name).arg(state));
    }

    /// Returns the finished operations in order.
    pub(super) fn log(&self) -> Vec<String> {
        self.data.lock().unwrap().log.clone()
    }

    /// Returns the number of running operations.
    pub(super) fn running(&self) -> usize {
        self.data.lock().unwrap().running.len()
    }

    pub(super) fn most_running(&self) -> usize {
        self.data.lock().unwrap().most_running
    }

    /// Whether two toys were ever worked on at the same time.
    pub(super) fn were_together(&self, a: &str, b: &str) -> bool {
        let pair = if a < b { (a, b) } else { (b, a) };
        self.data.lock().unwrap().together.contains(&(pair.0.to_owned(), pair.1.to_owned()))
    }

    /// Whether one toy was applied during the apply of the other, or the check after it.
    ///
    /// Applies by the same call do not count.
    pub(super) fn were_applied_together(&self, a: &str, b: &str) -> bool {
        let pair = if a < b { (a, b) } else { (b, a) };
        self.data.lock().unwrap().applied_together.contains(&(pair.0.to_owned(), pair.1.to_owned()))
    }

    /// Declares that the apply of a toy fails, so that no check follows.
    pub(super) fn is_not_checked_again(&self, name: &str) {
        self.data.lock().unwrap().unchecked.insert(name.to_owned());
    }
}

/// Removes toys from the list of running ones when dropped.
struct Running<'a>(&'a World, Vec<String>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut data = self.0.data.lock().unwrap();
        data.running.retain(|name| !self.1.contains(name));
    }
}

/// Runs a command on the model host, whose future is always ready.
fn run_on(model: &ModelSystem, command: Command) -> Output {
    match model.processes().run(command).as_mut().poll(&mut std::task::Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output.unwrap(),
        Poll::Pending => unreachable!("no program of the model waits"),
    }
}

/// Returns all pairs from two lists.
fn pairs<'a>(
    these: &'a BTreeSet<String>,
    names: &'a [String],
) -> impl Iterator<Item = (String, String)> + 'a {
    let combinations = these.iter().flat_map(|first| names.iter().map(move |second| (first, second)));
    combinations.map(
        |(one, other)| if one < other { (one.clone(), other.clone()) } else { (other.clone(), one.clone()) },
    )
}

impl Data {
    fn applies(&mut self, names: &[String]) {
        let pairs: Vec<_> = pairs(&self.applying, names).collect();
        self.applied_together.extend(pairs);
        self.applying.extend(names.iter().cloned());
    }

    fn fails(&mut self, operation: &str) -> Option<Fails> {
        let failing = self.failing.get_mut(operation).filter(|(_, times)| *times > 0);
        failing.map(|(fails, times)| {
            *times -= 1;
            *fails
        })
    }

    /// Performs an operation on a toy.
    fn run(
        &mut self,
        model: &ModelSystem,
        operation: &str,
        name: &str,
        state: Option<&str>,
    ) -> Option<Output> {
        let fails = self.fails(operation);
        let state = state.filter(|_| fails != Some(Fails::Early));
        let output = run_on(model, state.into_iter().fold(Command::new("toy").arg(name), Command::arg));
        if fails.is_some() || operation.starts_with("check") || self.unchecked.contains(name) {
            self.applying.remove(name);
        }
        let suffix = if fails.is_some() { " fails" } else { "" };
        self.log.push(format!("{operation}{suffix}"));
        fails.is_none().then_some(output)
    }
}

/// Supports `check NAME`, `apply NAME STATE` and `batch NAME=STATE NAME=STATE ..`.
#[async_trait]
impl Processes for World {
    async fn run(&self, command: Command) -> Result<Output, SystemError> {
        let is_batch = command.program == "batch";
        let toys: Vec<(&str, Option<&str>)> = if is_batch {
            command
                .args
                .iter()
                .filter_map(|toy| toy.split_once('='))
                .map(|(name, state)| (name, Some(state)))
                .collect()
        } else {
            vec![(&command.args[0], command.args.get(1).map(String::as_str))]
        };
        let names: Vec<String> = toys.iter().map(|(name, _)| (*name).to_owned()).collect();
        let operation = format!("{} {}", command.program, names.join(","));
        let gate = {
            let mut data = self.data.lock().unwrap();
            let pairs: Vec<_> = pairs(&data.running, &names).collect();
            data.together.extend(pairs);
            data.running.extend(names.iter().cloned());
            if command.program != "check" {
                data.applies(&names);
            }
            data.most_running = data.most_running.max(data.running.len());
            data.gates.get(&operation).cloned()
        };
        let running = Running(self, names);
        if let Some(gate) = gate {
            gate.reached.add_permits(1);
            gate.open.acquire().await.unwrap().forget();
        }
        for _ in 0..self.delay(&operation) {
            tokio::task::yield_now().await;
        }
        let mut data = self.data.lock().unwrap();
        let output = if is_batch {
            data.log.push(operation);
            // The output has the result of each toy, one word per line.
            let is_present = |(name, state): &(&str, Option<&str>)| {
                let state = state.filter(|state| !state.is_empty());
                if data.run(&self.model, &format!("apply {name}"), name, state).is_some() {
                    "good"
                } else {
                    "bad"
                }
            };
            Output::success(toys.iter().map(is_present).collect::<Vec<_>>().join("\n"))
        } else {
            let (name, state) = toys[0];
            data.run(&self.model, &operation, name, state).unwrap_or_else(|| Output::failure(1, ""))
        };
        drop(data);
        drop(running);
        Ok(output)
    }
}

/// Everything but programs is delegated to the model host.
impl WrapSystem for World {
    fn wrapped_system(&self) -> &dyn System {
        &self.model
    }

    fn processes(&self) -> &dyn Processes {
        self
    }
}

/// The misbehaviour of a toy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub(super) enum Mood {
    #[default]
    Good,
    FailsPrepare,
    FailsCheck,
    PanicsInCheck,
    FailsApply,
    /// The apply sets an error in its status.
    SaysApplyFailed,
    /// The check sets an error in its status.
    SaysCheckFailed,
    HaltsApply,
    /// The apply has no effect.
    Stuck,
    WontChange,
    CantChange,
    /// The check sleeps for an hour.
    Sleeps,
    /// The messages list the pending dependencies.
    Pending,
    /// The check gives up at the deadline.
    HeedsDeadline,
    /// The apply reports a difference that the check did not expect.
    TellsMore,
    /// The toy reports progress, also after it has ended.
    Tells,
    /// The apply prints a hundred thousand lines.
    Prints,
    /// The batch returns one result too few.
    Miscounts,
    /// The batch panics.
    PanicsInBatch,
}

impl Mood {
    pub(super) fn word(self) -> Value {
        self.to_value()
    }
}

/// A declared state.
#[derive(Debug, Preparer)]
#[preparer(name = "toy", task = ToyTask, refresh, batch, register = false, reads = "named", changes = "named")]
pub(super) struct AnyToy {
    /// The declared state.
    state: String,
    /// A secret.
    #[hcl(sensitive)]
    secret: Option<Secret<String>>,
    /// The misbehaviour of the toy.
    mood: Option<Mood>,
    /// A small number.
    size: Option<u8>,
    /// Any words.
    list: Option<Vec<String>>,
}

#[derive(Debug, Export)]
pub(super) struct ToyTask {
    /// The declared state.
    #[export]
    state: String,
    /// A text that only an apply produces.
    #[export(computed)]
    out: String,
    /// A nested export.
    #[export]
    status: ToyStatus,
    name: String,
    mood: Mood,
    toy: AnyToy,
}

#[derive(Debug, Export)]
struct ToyStatus {
    /// The name of the toy.
    #[export]
    name: String,
    /// A number that only an apply produces.
    #[export(computed)]
    code: i64,
}

impl Resource for AnyToy {
    async fn prepare(self, cx: &Context, renderer: &dyn Renderer) -> Result<ToyTask> {
        let mood = self.mood.unwrap_or_default();
        if mood == Mood::FailsPrepare {
            return Err(Error::msg("cannot be prepared"));
        }
        if mood == Mood::Tells {
            cx.progress().step("preparing");
        }
        let id = renderer.id();
        let name = id.name().split_once('.').unwrap_or_default().1;
        // Toys in different instances of a module are different toys.
        let mut container = std::iter::successors(id.parent(), NodeId::parent);
        let container = container.find(|around| around.name().ends_with(']'));
        let name = container.map_or(name.to_owned(), |container| format!("{}/{name}", container.short()));
        Ok(ToyTask {
            state: self.state.clone(),
            out: format!("out of {name}"),
            status: ToyStatus { name: name.clone(), code: 7 },
            name,
            mood,
            toy: self,
        })
    }
}

/// A toy of a type with or without a lock, applied in batches or alone.
#[derive(Debug)]
pub(super) struct Special<const LOCK: u8, const BATCH: bool>(AnyToy);

/// A toy without a lock, applied alone.
pub(super) type Toy = Special<9, false>;

/// A toy with the lock `one`.
pub(super) type One = Special<1, false>;
/// Another type with the lock `one`.
pub(super) type OneMore = Special<2, false>;
/// A toy with the lock `two`.
pub(super) type Two = Special<3, false>;
/// A toy applied in batches.
pub(super) type Card = Special<0, true>;
/// A toy with the lock `one`, applied in batches.
pub(super) type Pack = Special<1, true>;

impl<const LOCK: u8, const BATCH: bool> Preparer for Special<LOCK, BATCH> {
    const NAME: &'static str = match (LOCK, BATCH) {
        (0, _) => "card",
        (9, _) => "toy",
        (_, true) => "pack",
        (1, _) => "one",
        (2, _) => "one_more",
        _ => "two",
    };
    type Task = ToyTask;
    const DOC: &'static str = "A toy that is not applied at any time.";
    const READS: Option<Reach> = Some(Reach::Named);
    const CHANGES: Option<Reach> = Some(Reach::Named);
    const LOCK: Option<&'static str> = match LOCK {
        0 | 9 => None,
        1 | 2 => Some("one"),
        _ => Some("two"),
    };

    fn block() -> BlockKind {
        AnyToy::block()
    }

    fn refresher() -> Option<Refresher<ToyTask>> {
        AnyToy::refresher()
    }

    fn batcher() -> Option<Batcher<ToyTask>> {
        BATCH.then(Batcher::for_task)
    }

    fn from_fields(fields: Fields<'_>) -> Result<Self, Vec<FieldError>> {
        AnyToy::from_fields(fields).map(Self)
    }
}

impl<const LOCK: u8, const BATCH: bool> Resource for Special<LOCK, BATCH> {
    async fn prepare(self, cx: &Context, renderer: &dyn Renderer) -> Result<ToyTask> {
        self.0.prepare(cx, renderer).await
    }
}

impl Task for ToyTask {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        if self.mood == Mood::Sleeps {
            tokio::time::sleep(Duration::from_hours(1)).await;
        }
        let output = cx.system().processes().run(Command::new("check").arg(&self.name)).await?;
        if output.exit != Exit::Code(0) {
            return Err(Error::msg("cannot be seen"));
        }
        let have = String::from_utf8(output.stdout).map_err(Error::other)?;
        let mut status = Status::new();
        match self.mood {
            Mood::FailsCheck => return Err(Error::msg("cannot be checked")),
            Mood::SaysCheckFailed => {
                status.set_error("cannot be checked");
                return Ok(status);
            }
            Mood::HeedsDeadline => loop {
                cx.check_cancelled()?;
                tokio::task::yield_now().await;
                let left = cx.remaining().unwrap_or_default();
                tokio::time::sleep(left / 2 + Duration::from_millis(1)).await;
            },
            Mood::PanicsInCheck => panic!("a toy broke"),
            Mood::Pending if !cx.pending().is_empty() => {
                let names: Vec<_> = cx.pending().iter().map(crate::graph::NodeId::short).collect();
                status.add_message(format!("after {}", names.join(", ")));
                status.raise_level(StatusLevel::MayChange);
            }
            _ => {}
        }
        if let Some(secret) = &self.toy.secret {
            let changes = have != self.state && !secret.expose().is_empty();
            status.add_diff("secret", converge_sdk::SecretDiff { changes });
        }
        status.add_difference_with_default("state", have, self.state.as_str(), "(none)");
        match self.mood {
            Mood::WontChange => status.raise_level(StatusLevel::WontChange),
            Mood::CantChange => status.raise_level(StatusLevel::CantChange),
            _ => status.raise_level_for_diffs(),
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        if self.mood == Mood::Tells {
            self.tell(cx);
        }
        if self.mood == Mood::Prints {
            for number in 0..100_000 {
                cx.progress().line(OutputStream::Stdout, format!("line {number}"));
            }
            cx.progress().step("printed");
        }
        let mut command = Command::new("apply").arg(&self.name);
        if self.mood != Mood::Stuck {
            command = command.arg(&self.state);
        }
        let output = cx.system().processes().run(command).await?;
        self.applied(cx, output.exit == Exit::Code(0))
    }
}

impl ToyTask {
    fn tell(&self, cx: &Context) {
        let secret = self.toy.secret.as_ref().map_or("nothing", |secret| secret.expose());
        cx.progress().step(format!("using {secret}"));
        for step in 0..=4 {
            cx.progress().bytes(step << 20, Some(4 << 20));
        }
        cx.progress().line(OutputStream::Stderr, b"half \xff");
        let cx = cx.clone();
        tokio::spawn(async move {
            loop {
                cx.progress().step("still there");
                tokio::task::yield_now().await;
            }
        });
    }

    fn applied(&self, cx: &Context, is_good: bool) -> Result<Status> {
        if !is_good {
            return Err(Error::msg("the world is against it"));
        }
        let mut status = Status::new();
        status.add_message(format!(
            "size {:?}, list {:?}",
            self.toy.size,
            self.toy.list.as_deref().unwrap_or_default()
        ));
        if cx.refreshing() != Refreshing::Never {
            status.add_message(format!("refreshing {:?}", cx.refreshing()));
        }
        match self.mood {
            Mood::FailsApply => return Err(Error::msg("cannot be applied")),
            Mood::SaysApplyFailed => status.set_error("cannot be applied"),
            Mood::HaltsApply => status.raise_level(StatusLevel::Fatal),
            Mood::TellsMore => {
                status.add_difference("state", "old", "newer");
                status.add_difference("size", "1", "2");
            }
            _ => {}
        }
        Ok(status)
    }
}

impl Batch for ToyTask {
    const AT_MOST: usize = 50;

    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        assert!(batch.len() > 1, "what is alone is applied alone");
        cx.progress().step(format!("{} at once", batch.len()));
        let state = |task: &&mut Self| {
            let state = if task.mood == Mood::Stuck { "" } else { &*task.state };
            format!("{}={state}", task.name)
        };
        let command = batch.iter().fold(Command::new("batch"), |command, task| command.arg(state(task)));
        let output = match cx.system().processes().run(command).await {
            Ok(output) => String::from_utf8(output.stdout).unwrap(),
            Err(error) => return batch.iter().map(|_| Err(Error::msg(&error))).collect(),
        };
        assert!(batch.iter().all(|task| task.mood != Mood::PanicsInBatch), "the box broke");
        let counted = batch.iter().zip(output.lines()).filter(|(task, _)| task.mood != Mood::Miscounts);
        counted.map(|(task, came)| task.applied(cx, came == "good")).collect()
    }
}

impl Refresh for ToyTask {
    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        let output = cx.system().processes().run(Command::new("refresh").arg(&self.name)).await?;
        if output.exit != Exit::Code(0) {
            return Err(Error::msg("cannot be refreshed"));
        }
        Ok(Status::new())
    }
}
