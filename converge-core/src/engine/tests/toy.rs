//! A resource whose effects all go through the [`World`] that records them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tokio::sync::Semaphore;

use crate::prelude::*;
use crate::resource::{Batcher, Refresher};
use crate::schema::{BlockKind, ExportField, Field, Fields, Shape};
use crate::system::{
    Clock, Command, Exit, Files, LocalSystem, Network, Output, Platform, Processes, SystemError, Users,
};
use crate::value::FieldError;

/// A machine that only knows the states of toys.
#[derive(Debug, Default)]
pub(super) struct World {
    platform: Platform,
    local: LocalSystem,
    data: Mutex<Data>,
}

#[derive(Debug, Default)]
struct Data {
    states: BTreeMap<String, String>,
    log: Vec<String>,
    running: BTreeSet<String>,
    most_running: usize,
    together: BTreeSet<(String, String)>,
    /// Toys that are being applied, until the end of the check behind it.
    applying: BTreeSet<String>,
    applied_together: BTreeSet<(String, String)>,
    /// Toys whose apply fails, so that no check is behind it.
    unchecked: BTreeSet<String>,
    gates: BTreeMap<String, Gate>,
    failing: BTreeMap<String, (Fails, usize)>,
    /// Decides how long each operation takes, in turns of the executor.
    seed: u64,
}

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fails {
    /// Before it has an effect.
    Early,
    /// After it had its effect.
    Late,
}

/// Where an operation waits until the test lets it go on.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    reached: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Gate {
    /// Returns when the operation is at the gate.
    pub(super) async fn reached(&self) {
        self.reached.acquire().await.unwrap().forget();
    }

    pub(super) fn open(&self) {
        self.open.add_permits(1);
    }
}

impl World {
    pub(super) fn new() -> Arc<Self> {
        let platform = Platform { os: "linux".into(), ..Platform::default() };
        Arc::new(Self { platform, ..Self::default() })
    }

    /// Puts a gate before `operation`: `check a`, `apply a`.
    pub(super) fn gate(&self, operation: &str) -> Gate {
        let gate = Gate { reached: Arc::new(Semaphore::new(0)), open: Arc::new(Semaphore::new(0)) };
        self.data.lock().unwrap().gates.insert(operation.to_owned(), gate.clone());
        gate
    }

    /// Lets `operation` fail the first `times`.
    pub(super) fn fail(&self, operation: &str, fails: Fails, times: usize) {
        self.data.lock().unwrap().failing.insert(operation.to_owned(), (fails, times));
    }

    /// Lets operations take turns in another order for each seed.
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
        self.data.lock().unwrap().states.get(name).cloned().unwrap_or_default()
    }

    pub(super) fn set(&self, name: &str, state: &str) {
        self.data.lock().unwrap().states.insert(name.to_owned(), state.to_owned());
    }

    /// Finished operations in their order.
    pub(super) fn log(&self) -> Vec<String> {
        self.data.lock().unwrap().log.clone()
    }

    /// How many operations are running now.
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

    /// Whether one toy was applied between the beginning of the apply of the other and the end of the check behind it, and
    /// not by the same call.
    pub(super) fn were_applied_together(&self, a: &str, b: &str) -> bool {
        let pair = if a < b { (a, b) } else { (b, a) };
        self.data.lock().unwrap().applied_together.contains(&(pair.0.to_owned(), pair.1.to_owned()))
    }

    /// Says that a toy fails when it is applied.
    pub(super) fn is_not_checked_again(&self, name: &str) {
        self.data.lock().unwrap().unchecked.insert(name.to_owned());
    }
}

/// Takes toys off the list of running ones, also when the future is dropped.
struct Running<'a>(&'a World, Vec<String>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut data = self.0.data.lock().unwrap();
        data.running.retain(|name| !self.1.contains(name));
    }
}

/// All pairs of one of these and one of those.
fn pairs<'a>(
    these: &'a BTreeSet<String>,
    names: &'a [String],
) -> impl Iterator<Item = (String, String)> + 'a {
    let all = these.iter().flat_map(|one| names.iter().map(move |other| (one, other)));
    all.map(
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

    /// Does one thing to one toy.
    fn run(&mut self, operation: &str, name: &str, state: Option<&str>) -> Option<String> {
        let fails = self.fails(operation);
        if let Some(state) = state.filter(|_| fails != Some(Fails::Early)) {
            self.states.insert(name.to_owned(), state.to_owned());
        }
        if fails.is_some() || operation.starts_with("check") || self.unchecked.contains(name) {
            self.applying.remove(name);
        }
        let ends = if fails.is_some() { " fails" } else { "" };
        self.log.push(format!("{operation}{ends}"));
        fails.is_none().then(|| self.states.get(name).cloned().unwrap_or_default())
    }
}

/// `check NAME`, `apply NAME STATE`, `batch NAME=STATE NAME=STATE ..`.
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
            // What came of each, a word for a line.
            let came = |(name, state): &(&str, Option<&str>)| {
                let state = state.filter(|state| !state.is_empty());
                if data.run(&format!("apply {name}"), name, state).is_some() { "good" } else { "bad" }
            };
            Output::success(toys.iter().map(came).collect::<Vec<_>>().join("\n"))
        } else {
            let (name, state) = toys[0];
            match data.run(&operation, name, state) {
                Some(state) => Output::success(state),
                None => Output::failure(1, ""),
            }
        };
        drop(data);
        drop(running);
        Ok(output)
    }
}

#[async_trait]
impl Clock for World {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

impl System for World {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    /// Toys have no files, but there may be a journal of them.
    fn files(&self) -> &dyn Files {
        self.local.files()
    }

    fn users(&self) -> &dyn Users {
        unreachable!("toys have no users")
    }

    fn processes(&self) -> &dyn Processes {
        self
    }

    fn network(&self) -> &dyn Network {
        unreachable!("toys have no network")
    }

    fn clock(&self) -> &dyn Clock {
        self
    }

    fn env(&self, _: &str) -> Option<String> {
        None
    }
}

use crate::{Refreshing, System};

/// How a toy misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    Good,
    FailsPrepare,
    FailsCheck,
    PanicsInCheck,
    FailsApply,
    HaltsApply,
    /// Applies without effect.
    Stuck,
    WontChange,
    CantChange,
    /// Sleeps for an hour in its check.
    Sleeps,
    /// Says what is pending.
    Pending,
    /// Gives up in its check when its time is over.
    HeedsDeadline,
    /// In a batch: leaves out a result.
    Miscounts,
    /// In a batch.
    PanicsInBatch,
}

impl Mood {
    pub(super) const ALL: [Self; 14] = [
        Self::Good,
        Self::FailsPrepare,
        Self::FailsCheck,
        Self::PanicsInCheck,
        Self::FailsApply,
        Self::HaltsApply,
        Self::Stuck,
        Self::WontChange,
        Self::CantChange,
        Self::Sleeps,
        Self::Pending,
        Self::HeedsDeadline,
        Self::Miscounts,
        Self::PanicsInBatch,
    ];

    pub(super) fn word(self) -> String {
        format!("{self:?}")
    }
}

/// A state that is wanted.
#[derive(Debug)]
pub(super) struct Toy {
    state: String,
    secret: Option<Secret<String>>,
    mood: Mood,
    size: Option<u8>,
    list: Vec<String>,
}

#[derive(Debug)]
pub(super) struct ToyTask {
    name: String,
    toy: Toy,
}

impl Preparer for Toy {
    const NAME: &'static str = "toy";
    type Task = ToyTask;
    const DOC: &'static str = "A toy.";

    fn block() -> BlockKind {
        let mut secret = Field::new::<Option<Secret<String>>>("secret", "A secret.");
        secret.sensitive = true;
        BlockKind {
            fields: vec![
                Field::new::<String>("state", "The state that is wanted."),
                secret,
                Field::new::<Option<String>>("mood", "How it misbehaves."),
                Field::new::<Option<u8>>("size", "A small number."),
                Field::new::<Option<Vec<String>>>("list", "Any words."),
            ],
            rules: Vec::new(),
        }
    }

    fn refresher() -> Option<Refresher<ToyTask>> {
        Some(Refresher::of())
    }

    fn from_fields(mut fields: Fields<'_>) -> Result<Self, Vec<FieldError>> {
        let state = fields.take(0, || Some(String::new()));
        let secret = fields.take(1, || Some(None));
        let mood: Option<Option<String>> = fields.take(2, || Some(None));
        let size = fields.take(3, || Some(None));
        let list: Option<Option<Vec<String>>> = fields.take(4, || Some(None));
        match (state, secret, mood, size, list) {
            (Some(state), Some(secret), Some(word), Some(size), Some(list)) if !fields.has_errors() => {
                let word = word.unwrap_or_default();
                let mood = Mood::ALL.into_iter().find(|mood| mood.word() == word).unwrap_or(Mood::Good);
                Ok(Self { state, secret, mood, size, list: list.unwrap_or_default() })
            }
            _ => Err(fields.into_errors()),
        }
    }
}

#[async_trait]
impl Resource for Toy {
    async fn prepare(self, _: &Context, renderer: &dyn Renderer) -> Result<ToyTask> {
        if self.mood == Mood::FailsPrepare {
            return Err(Error::msg("cannot be prepared"));
        }
        let (_, name) = renderer.id().name().split_once('.').unwrap_or_default();
        Ok(ToyTask { name: name.to_owned(), toy: self })
    }
}

/// A toy of a type with a lock, or of one that is applied in batches.
#[derive(Debug)]
pub(super) struct Special<const LOCK: u8, const BATCH: bool>(Toy);

/// With the lock `one`.
pub(super) type One = Special<1, false>;
/// With the lock `one`, too.
pub(super) type OneMore = Special<2, false>;
/// With the lock `two`.
pub(super) type Two = Special<3, false>;
/// In batches.
pub(super) type Card = Special<0, true>;
/// With the lock `one`, in batches.
pub(super) type Pack = Special<1, true>;

impl<const LOCK: u8, const BATCH: bool> Preparer for Special<LOCK, BATCH> {
    const NAME: &'static str = match (LOCK, BATCH) {
        (0, _) => "card",
        (_, true) => "pack",
        (1, _) => "one",
        (2, _) => "one_more",
        _ => "two",
    };
    type Task = ToyTask;
    const DOC: &'static str = "A toy that is not applied at any time.";
    const LOCK: Option<&'static str> = match LOCK {
        0 => None,
        1 | 2 => Some("one"),
        _ => Some("two"),
    };

    fn block() -> BlockKind {
        Toy::block()
    }

    fn refresher() -> Option<Refresher<ToyTask>> {
        Toy::refresher()
    }

    fn batcher() -> Option<Batcher<ToyTask>> {
        BATCH.then(Batcher::of)
    }

    fn from_fields(fields: Fields<'_>) -> Result<Self, Vec<FieldError>> {
        Toy::from_fields(fields).map(Self)
    }
}

#[async_trait]
impl<const LOCK: u8, const BATCH: bool> Resource for Special<LOCK, BATCH> {
    async fn prepare(self, cx: &Context, renderer: &dyn Renderer) -> Result<ToyTask> {
        self.0.prepare(cx, renderer).await
    }
}

impl Export for ToyTask {
    fn export_fields() -> Vec<ExportField> {
        let plain = |name, computed| ExportField { name, doc: "", computed, shape: Shape::Plain };
        vec![
            plain("state", false),
            plain("out", true),
            ExportField {
                name: "status",
                doc: "",
                computed: false,
                shape: Shape::Struct(vec![plain("name", false), plain("code", true)]),
            },
        ]
    }

    fn exports(&self) -> crate::export::Exports {
        let mut exports = crate::export::Exports::new();
        exports.insert("state", Value::string(self.toy.state.as_str()));
        exports.insert("out", Value::string(format!("out of {}", self.name)));
        exports.insert("status", [("name", Value::string(self.name.as_str())), ("code", 7.into())].into());
        exports
    }
}

#[async_trait]
impl Task for ToyTask {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        if self.toy.mood == Mood::Sleeps {
            cx.system().clock().sleep(Duration::from_hours(1)).await;
        }
        let output = cx.system().processes().run(Command::new("check").arg(&self.name)).await?;
        if output.exit != Exit::Code(0) {
            return Err(Error::msg("cannot be seen"));
        }
        let have = String::from_utf8(output.stdout).map_err(Error::other)?;
        let mut status = Status::new();
        match self.toy.mood {
            Mood::FailsCheck => return Err(Error::msg("cannot be checked")),
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
            let changes = have != self.toy.state && !secret.expose().is_empty();
            status.add_diff("secret", crate::SecretDiff { changes });
        }
        status.add_difference("state", have, self.toy.state.as_str(), "(none)");
        match self.toy.mood {
            Mood::WontChange => status.raise_level(StatusLevel::WontChange),
            Mood::CantChange => status.raise_level(StatusLevel::CantChange),
            _ => status.raise_level_for_diffs(),
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut command = Command::new("apply").arg(&self.name);
        if self.toy.mood != Mood::Stuck {
            command = command.arg(&self.toy.state);
        }
        let output = cx.system().processes().run(command).await?;
        self.applied(cx, output.exit == Exit::Code(0))
    }
}

impl ToyTask {
    fn applied(&self, cx: &Context, good: bool) -> Result<Status> {
        if !good {
            return Err(Error::msg("the world is against it"));
        }
        let mut status = Status::new();
        status.add_message(format!("size {:?}, list {:?}", self.toy.size, self.toy.list));
        if cx.refreshing() != Refreshing::Never {
            status.add_message(format!("refreshing {:?}", cx.refreshing()));
        }
        match self.toy.mood {
            Mood::FailsApply => return Err(Error::msg("cannot be applied")),
            Mood::HaltsApply => status.raise_level(StatusLevel::Fatal),
            _ => {}
        }
        Ok(status)
    }
}

#[async_trait]
impl Batch for ToyTask {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        assert!(batch.len() > 1, "what is alone is applied alone");
        let state = |task: &&mut Self| {
            let state = if task.toy.mood == Mood::Stuck { "" } else { &*task.toy.state };
            format!("{}={state}", task.name)
        };
        let command = batch.iter().fold(Command::new("batch"), |command, task| command.arg(state(task)));
        let output = match cx.system().processes().run(command).await {
            Ok(output) => String::from_utf8(output.stdout).unwrap(),
            Err(error) => return batch.iter().map(|_| Err(Error::msg(&error))).collect(),
        };
        assert!(batch.iter().all(|task| task.toy.mood != Mood::PanicsInBatch), "the box broke");
        let counted = batch.iter().zip(output.lines()).filter(|(task, _)| task.toy.mood != Mood::Miscounts);
        counted.map(|(task, came)| task.applied(cx, came == "good")).collect()
    }
}

#[async_trait]
impl Refresh for ToyTask {
    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        let output = cx.system().processes().run(Command::new("refresh").arg(&self.name)).await?;
        if output.exit != Exit::Code(0) {
            return Err(Error::msg("cannot be refreshed"));
        }
        Ok(Status::new())
    }
}
