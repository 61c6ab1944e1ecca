//! The one owner of a run's state.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::future::{Future, poll_fn};
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use super::attempt::unknown_exports;
use super::event::{Event, EventSink, Failure, InterruptKind, Outcome, ResourceReport, Skipped, Summary};
use super::flags::{CERTAIN, CHANGES, TOUCHED, WAITS_FOR_CHANGES};
use super::gates::{Fate, Gates, touch_end};
use super::interrupt::Interrupt;
use super::job::Done;
use super::shared::Shared;
use super::twins::lock_name;
use super::worker::{Message, work};
use crate::context::{Context, Mode};
use crate::graph::{Node, NodeIndex};
use crate::status::StatusLevel;

/// How many nodes may be published for each worker and not be finished: enough to keep workers busy
/// while the coordinator waits for a processor, few enough that little is held in memory.
const AHEAD: usize = 256;

/// How many messages are handled before the coordinator looks at anything else.
const MESSAGES: usize = 16;

/// How far a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Published,
    Started,
    Finished,
}

/// A group: at most one member is published and not finished.
#[derive(Debug, Default)]
struct Group {
    busy: bool,
    waiting: BinaryHeap<Reverse<NodeIndex>>,
}

/// What ends the wait of the coordinator.
enum Woken {
    Interrupt(InterruptKind),
    Deadline,
    Messages,
    WorkerEnded(Result<Id, JoinError>),
}

pub(super) struct Coordinator<'a> {
    shared: Arc<Shared>,
    sink: &'a mut dyn EventSink,
    parallelism: usize,
    context: Context,
    /// How many dependencies of each node are not finished.
    waits: Vec<u32>,
    phases: Vec<Phase>,
    ready: BinaryHeap<Reverse<NodeIndex>>,
    groups: HashMap<Arc<str>, Group>,
    /// Nodes that failed or were skipped, with what their dependents report.
    halted: HashMap<NodeIndex, Arc<Skipped>>,
    gates: Gates,
    any_changes: bool,
    /// Published and not finished.
    in_flight: usize,
    workers: JoinSet<()>,
    /// What each worker is at.
    current: HashMap<Id, NodeIndex>,
    send: mpsc::UnboundedSender<Message>,
    receive: mpsc::UnboundedReceiver<Message>,
    summary: Summary,
    /// Why what is cancelled failed.
    cancelled: &'static str,
    stopped: bool,
}

impl<'a> Coordinator<'a> {
    pub(super) fn new(
        shared: Shared,
        context: Context,
        parallelism: NonZeroUsize,
        sink: &'a mut dyn EventSink,
    ) -> Self {
        let graph = &shared.graph;
        let waits: Vec<u32> = graph.nodes().map(|(index, _)| graph.waits_for(index)).collect();
        let ready = graph
            .nodes()
            .map(|(index, _)| index)
            .filter(|index| waits[index.as_usize()] == 0)
            .map(Reverse)
            .collect::<Vec<_>>();
        let (send, receive) = mpsc::unbounded_channel();
        Self {
            sink,
            parallelism: parallelism.get(),
            phases: vec![Phase::Waiting; graph.len()],
            waits,
            ready: ready.into(),
            groups: HashMap::new(),
            halted: HashMap::new(),
            gates: Gates::default(),
            any_changes: false,
            in_flight: 0,
            workers: JoinSet::new(),
            current: HashMap::new(),
            send,
            receive,
            summary: Summary::default(),
            cancelled: "cancelled",
            stopped: false,
            shared: Arc::new(shared),
            context,
        }
    }

    pub(super) async fn run(mut self, interrupt: &Interrupt, deadline: Option<Instant>) -> Summary {
        let began = Instant::now();
        let run = self.context.run().clone();
        let resources = self.shared.graph.nodes().filter(|(_, node)| !node.role.is_structure()).count();
        let mode = self.context.mode();
        self.sink.emit(Event::RunStarted { run: run.clone(), mode, resources });
        self.work(interrupt, deadline).await;
        self.finish_rest();
        self.summary.elapsed = began.elapsed();
        self.sink.emit(Event::RunFinished { run, summary: self.summary });
        self.summary
    }

    async fn work(&mut self, interrupt: &Interrupt, deadline: Option<Instant>) {
        let mut finish = pin!(interrupt.token(InterruptKind::Finish).cancelled());
        let mut cancel = pin!(interrupt.token(InterruptKind::Cancel).cancelled());
        let mut expire = pin!(async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        });
        let (mut finish_raised, mut cancel_raised, mut expired) = (false, false, false);
        let mut messages = Vec::with_capacity(MESSAGES);
        // An interrupt that was raised before the run must keep everything from starting.
        let mut looked = false;
        loop {
            if looked {
                self.publish();
                self.staff();
                if self.in_flight == 0 {
                    break;
                }
            }
            let woken = poll_fn(|cx| {
                if !finish_raised && finish.as_mut().poll(cx).is_ready() {
                    finish_raised = true;
                    return Poll::Ready(Some(Woken::Interrupt(InterruptKind::Finish)));
                }
                if !cancel_raised && cancel.as_mut().poll(cx).is_ready() {
                    cancel_raised = true;
                    return Poll::Ready(Some(Woken::Interrupt(InterruptKind::Cancel)));
                }
                if !expired && expire.as_mut().poll(cx).is_ready() {
                    expired = true;
                    return Poll::Ready(Some(Woken::Deadline));
                }
                if self.receive.poll_recv_many(cx, &mut messages, MESSAGES).is_ready() {
                    return Poll::Ready(Some(Woken::Messages));
                }
                if let Poll::Ready(Some(ended)) = self.workers.poll_join_next_with_id(cx) {
                    return Poll::Ready(Some(Woken::WorkerEnded(ended.map(|(id, ())| id))));
                }
                if !looked {
                    return Poll::Ready(None);
                }
                self.sink.flush();
                Poll::Pending
            })
            .await;
            match woken {
                Some(Woken::Interrupt(kind)) => self.interrupt(kind),
                Some(Woken::Deadline) => {
                    self.cancelled = "cancelled: the run took longer than its deadline";
                    self.interrupt(InterruptKind::Cancel);
                }
                Some(Woken::Messages) => messages.drain(..).for_each(|message| self.receive(message)),
                Some(Woken::WorkerEnded(ended)) => self.worker_ended(ended),
                None => looked = true,
            }
        }
    }

    /// Hands ready nodes to the workers, smallest first.
    fn publish(&mut self) {
        let exact = self.parallelism == 1;
        if self.stopped || exact && self.in_flight > 0 {
            return;
        }
        // With one worker the order is exact: nothing is published behind a node that could make
        // a smaller one ready.
        let mut before = None;
        while self.in_flight < self.parallelism * AHEAD {
            let Some(&Reverse(index)) = self.ready.peek() else { break };
            if exact && before.is_some_and(|before| before < index) {
                break;
            }
            let fate = self.fate(index);
            if exact && self.in_flight > 0 && (!matches!(fate, Fate::Work) || self.group_is_busy(index)) {
                break;
            }
            self.ready.pop();
            match fate {
                Fate::Work if self.lock_group(index) => {
                    self.mark_pending(index);
                    self.phases[index.as_usize()] = Phase::Published;
                    self.in_flight += 1;
                    if exact {
                        before = before.into_iter().chain(self.first_after(index)).min();
                    }
                    self.shared.queue.publish(index);
                }
                Fate::Work => {}
                Fate::Pass => self.pass(index),
                Fate::Skip(skipped) => self.skip(index, &skipped),
                Fate::NotTaken(skipped) => self.not_taken(index, skipped),
                Fate::Undecided(skipped) => self.undecided(index, skipped),
            }
        }
    }

    /// The first node that may be ready when this one and all that are published with it are done.
    fn first_after(&self, index: NodeIndex) -> Option<NodeIndex> {
        let may_be_ready = |on: &&NodeIndex| self.waits[on.as_usize()] as usize <= self.in_flight;
        self.shared.graph.dependents(index).iter().find(may_be_ready).copied()
    }

    /// What becomes of a node whose dependencies have ended.
    fn fate(&self, index: NodeIndex) -> Fate {
        let (gates, shared) = (&self.gates, &self.shared);
        let stopped = gates.stop(shared, index).or_else(|| gates.stop_case(shared, index));
        match (stopped, self.cause(index)) {
            // What is not taken is not handled at all, so it does not matter what else it would wait for.
            (Some(Fate::NotTaken(skipped)), _) => Fate::NotTaken(skipped),
            (_, Some(skipped)) => Fate::Skip(skipped),
            (Some(fate), None) => fate,
            (None, None) if self.node(index).role.is_structure() => gates.pass(shared, index),
            (None, None) => Fate::Work,
        }
    }

    fn node(&self, index: NodeIndex) -> &Node {
        self.shared.graph.node(index)
    }

    /// Starts workers for what is published.
    fn staff(&mut self) {
        let wanted = self.shared.queue.waiting().min(self.parallelism - self.workers.len());
        for _ in 0..wanted {
            self.workers.spawn(work(Arc::clone(&self.shared), self.send.clone()));
        }
    }

    fn receive(&mut self, message: Message) {
        let Message { worker, finished, begun } = message;
        for (index, done) in finished {
            self.started(index);
            self.finished(index, done);
        }
        match begun {
            Some(index) => {
                self.current.insert(worker, index);
                self.started(index);
            }
            None => drop(self.current.remove(&worker)),
        }
    }

    fn started(&mut self, index: NodeIndex) {
        let phase = &mut self.phases[index.as_usize()];
        if *phase == Phase::Published {
            *phase = Phase::Started;
            let node = self.shared.graph.node(index);
            if !node.role.is_structure() {
                self.sink.emit(Event::ResourceStarted { id: node.id.clone() });
            }
        }
    }

    fn finished(&mut self, index: NodeIndex, done: Done) {
        self.in_flight -= 1;
        self.unlock_group(index);
        let report = done.report;
        match report.outcome {
            Outcome::Failed => {
                let message = report.failure.as_ref().map_or("", |failure| failure.message.as_str());
                // A first line that announces the others is said without them.
                let reason = message.lines().next().unwrap_or_default().trim_end_matches(':').to_owned();
                self.halted.insert(index, Arc::new(Skipped { cause: report.id.clone(), reason }));
            }
            _ if self.node(index).role.is_structure() => {
                self.gates.decided(&self.shared, index, &report);
            }
            Outcome::WillChange => self.changes(index, CHANGES | TOUCHED | CERTAIN),
            Outcome::MayChange => self.changes(index, CHANGES | TOUCHED),
            // What it waited for is done.
            Outcome::Changed => self.shared.add_flags(index, TOUCHED | CERTAIN),
            Outcome::NotTaken => {
                if let Some(skipped) = &report.skipped {
                    self.gates.closed(&self.shared, index, Arc::new(skipped.clone()));
                }
            }
            _ => {}
        }
        if let Some(exports) = done.exports {
            self.shared.keep_exports(index, exports);
        }
        self.report(index, report);
    }

    fn skip(&mut self, index: NodeIndex, skipped: &Arc<Skipped>) {
        self.halted.insert(index, Arc::clone(skipped));
        let id = self.shared.graph.node(index).id.clone();
        let mut report = ResourceReport::new(id, Outcome::Skipped);
        report.skipped = Some(Skipped::clone(skipped));
        self.report(index, report);
    }

    fn changes(&mut self, index: NodeIndex, flags: u16) {
        self.any_changes = true;
        self.shared.add_flags(index, flags);
    }

    /// A part of the structure that has nothing to do.
    fn pass(&mut self, index: NodeIndex) {
        self.mark_pending(index);
        if self.node(index).role.is_end() {
            touch_end(&self.shared, index);
        }
        self.gates.passed(&self.shared, index);
        self.report(index, ResourceReport::new(self.node(index).id.clone(), Outcome::Unchanged));
    }

    fn not_taken(&mut self, index: NodeIndex, skipped: Arc<Skipped>) {
        self.mark_pending(index);
        let mut report = ResourceReport::new(self.node(index).id.clone(), Outcome::NotTaken);
        report.skipped = Some(Skipped::clone(&skipped));
        self.gates.closed(&self.shared, index, skipped);
        self.report(index, report);
    }

    /// A resource behind a gate of which a plan cannot know whether it is taken.
    fn undecided(&mut self, index: NodeIndex, skipped: Arc<Skipped>) {
        self.mark_pending(index);
        let mut report = ResourceReport::new(self.node(index).id.clone(), Outcome::MayChange);
        report.level = StatusLevel::MayChange;
        report.skipped = Some(Skipped::clone(&skipped));
        if self.node(index).role.is_structure() {
            if self.node(index).role.is_end() {
                touch_end(&self.shared, index);
            }
        } else {
            self.changes(index, CHANGES | TOUCHED);
            if self.shared.is_read(index) {
                self.shared.keep_exports(index, Box::new(unknown_exports(self.node(index))));
            }
        }
        self.gates.undecided(&self.shared, index, skipped);
        self.report(index, report);
    }

    /// The end of a node, whatever came of it. Of the structure only failures are told.
    fn report(&mut self, index: NodeIndex, report: ResourceReport) {
        self.phases[index.as_usize()] = Phase::Finished;
        if report.outcome == Outcome::Failed || !self.node(index).role.is_structure() {
            self.summary.count(report.outcome);
            self.sink.emit(Event::ResourceFinished(report));
        }
        for &dependent in self.shared.graph.dependents(index) {
            let waits = &mut self.waits[dependent.as_usize()];
            *waits -= 1;
            if *waits == 0 {
                self.ready.push(Reverse(dependent));
            }
        }
    }

    /// Why a node whose dependencies are all finished must not run. Of several causes it is the one of
    /// the smallest dependency, so that it does not depend on which failed first.
    fn cause(&self, index: NodeIndex) -> Option<Arc<Skipped>> {
        if self.halted.is_empty() {
            return None;
        }
        let mut dependencies = self.shared.graph.dependencies(index).iter();
        dependencies.find_map(|edge| self.halted.get(&edge.on)).cloned()
    }

    fn mark_pending(&self, index: NodeIndex) {
        if self.any_changes
            && self
                .shared
                .graph
                .dependencies(index)
                .iter()
                .any(|edge| self.shared.has(edge.on, CHANGES | WAITS_FOR_CHANGES))
        {
            self.shared.add_flags(index, WAITS_FOR_CHANGES);
        }
    }

    /// The lock of a node, where this run takes locks.
    fn group_of(&self, index: NodeIndex) -> Option<Arc<str>> {
        if self.context.mode() != Mode::Apply {
            return None;
        }
        let group = self.shared.graph.node(index).group.clone();
        group.or_else(|| lock_name(&self.shared, index))
    }

    fn group_is_busy(&self, index: NodeIndex) -> bool {
        self.group_of(index).and_then(|name| self.groups.get(&name)).is_some_and(|group| group.busy)
    }

    /// Takes the lock for a node, or makes the node wait for it.
    fn lock_group(&mut self, index: NodeIndex) -> bool {
        let Some(name) = self.group_of(index) else { return true };
        let group = self.groups.entry(name).or_default();
        if group.busy {
            group.waiting.push(Reverse(index));
            return false;
        }
        group.busy = true;
        true
    }

    fn unlock_group(&mut self, index: NodeIndex) {
        let Some(name) = self.group_of(index) else { return };
        if let Some(group) = self.groups.get_mut(&name) {
            group.busy = false;
            self.ready.extend(group.waiting.pop());
        }
    }

    /// Starts nothing more; cancels what runs when it is asked to.
    fn interrupt(&mut self, kind: InterruptKind) {
        self.stopped = true;
        let taken: Vec<NodeIndex> = self.shared.queue.close().collect();
        for index in taken {
            self.started(index);
        }
        let phases = self.phases.iter_mut();
        phases.filter(|phase| **phase == Phase::Published).for_each(|phase| *phase = Phase::Waiting);
        let nodes = self.shared.graph.nodes();
        let started = nodes.filter(|(index, _)| self.phases[index.as_usize()] == Phase::Started);
        let started: Vec<&Node> = started.map(|(_, node)| node).collect();
        self.in_flight = started.len();
        let running = started.iter().filter(|node| !node.role.is_structure());
        let running = running.map(|node| node.id.clone()).collect();
        self.sink.emit(Event::Interrupted { interrupt: kind, running });
        if kind == InterruptKind::Cancel {
            self.context.cancellation().cancel();
            self.workers.abort_all();
        }
    }

    /// A worker ended: the queue was empty, it was cancelled, or a resource panicked.
    fn worker_ended(&mut self, ended: Result<Id, JoinError>) {
        let Err(error) = ended else { return };
        // What the worker sent before it ended is in the channel by now.
        while let Ok(message) = self.receive.try_recv() {
            self.receive(message);
        }
        let Some(index) = self.current.remove(&error.id()) else { return };
        let message = match error.try_into_panic() {
            Ok(panic) => format!("the resource panicked: {}", panic_text(&*panic)),
            Err(_) => self.cancelled.to_owned(),
        };
        let id = self.shared.graph.node(index).id.clone();
        let mut report = ResourceReport::new(id, Outcome::Failed);
        report.level = StatusLevel::Fatal;
        let stage = self.shared.stage(index);
        report.failure = Some(Failure { stage, message, diagnostics: Vec::new() });
        self.finished(index, Done { report, exports: None });
    }

    fn finish_rest(&mut self) {
        for (at, node) in self.shared.graph.nodes() {
            if self.phases[at.as_usize()] != Phase::Finished && !node.role.is_structure() {
                self.summary.count(Outcome::NotRun);
                let report = ResourceReport::new(node.id.clone(), Outcome::NotRun);
                self.sink.emit(Event::ResourceFinished(report));
            }
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("for an unknown reason")
}
