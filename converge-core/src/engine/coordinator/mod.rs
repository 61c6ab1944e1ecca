//! Owns the state of a run.
//!
//! The [`ready_queue`] knows what is ready, the [`results`] what came of what has ended and what becomes of the rest, the
//! [`apply_scheduler`] and the [`locks`] keep apart what may not be worked on at the same time, and the [`worker_pool`] works.
//! They know nothing of each other: what one gives, the coordinator hands to the next.

mod added_instances;
mod apply_scheduler;
mod gates;
mod lock_waits;
mod node_locks;
mod ready_queue;
mod results;
mod turns;
mod worker_pool;

use std::collections::HashSet;
use std::future::{Future, poll_fn};
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use tokio::task::{Id, JoinError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::added_instances::AddedInstances;
use self::apply_scheduler::{ApplyScheduler, ScheduledApply};
use self::gates::Disposition;
use self::node_locks::{Locks, Turn};
use self::ready_queue::ReadyQueue;
use self::results::Results;
use self::worker_pool::{PoolEvent, WorkItem, WorkerPool};
use super::attempt_progress::ResumePoint;
use super::emitter::{Emitted, Emitter};
use super::event::InterruptKind;
use super::expand::{Expansion, is_too_many, too_many};
use super::interrupt::Stops;
use super::job::{Completion, JobStatus, PendingApply};
use super::outcome::Outcome;
use super::progress_events::Told;
use super::report::{Failure, ResourceReport, Stage};
use super::run_tables::Shared;
use super::shared_locks::{Refused, SharedLocks, Sharing};
use super::summary::Summary;
use super::worker_message::Message;
use crate::graph::NodeIndex;
use crate::sdk::status::StatusLevel;
use crate::state::LockName;
use crate::types::panic_guard::panic_message;

/// How many nodes may be published for each worker and not be finished: enough to keep workers busy
/// while the coordinator waits for a processor, few enough that little is held in memory.
const AHEAD: usize = 256;

type Wait<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// What comes from outside of the work.
enum Signal {
    /// With the reason of a cancellation that is another than that somebody asked for it.
    Interrupt(InterruptKind, Option<&'static str>),
    /// What still runs after a cancellation has had its time.
    GraceOver,
}

/// How long a run may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) deadline: Option<Instant>,
    /// How long what runs may go on after a cancellation.
    pub(super) grace: Duration,
}

enum Wakeup {
    /// The number of the signal that came.
    Signal(usize),
    Pool(PoolEvent),
    /// Another run has given a lock back, or has it for too long.
    Lock(LockName),
    /// Nothing came before the run.
    Begin,
}

pub(super) struct Coordinator {
    shared: Arc<Shared>,
    parallelism: usize,
    ready: ReadyQueue,
    results: Results,
    locks: Locks,
    /// What it shares with other runs.
    others: SharedLocks,
    scheduler: ApplyScheduler,
    pool: WorkerPool,
    /// What it added to the graph.
    added: AddedInstances,
    /// Given to workers and not done.
    in_flight: usize,
    /// Why what is cancelled failed.
    cancelled: &'static str,
    /// What it was asked for so far. Then nothing more is started.
    asked: Option<InterruptKind>,
    /// Whether what ran was cut off.
    aborted: bool,
}

impl Coordinator {
    pub(super) fn new(
        shared: Arc<Shared>,
        parallelism: NonZeroUsize,
        order: Option<u64>,
        sharing: Sharing,
        emitter: Emitter,
    ) -> Self {
        let ready = ReadyQueue::new(&shared.graph, &shared.needed, order);
        let mut scheduler = ApplyScheduler::new(&shared);
        ready.ready().for_each(|index| scheduler.ready(&shared, index));
        Self {
            ready,
            results: Results::new(Arc::clone(&shared), emitter),
            locks: Locks::default(),
            others: SharedLocks::new(sharing),
            scheduler,
            pool: WorkerPool::new(Arc::clone(&shared), parallelism.get()),
            added: AddedInstances::default(),
            parallelism: parallelism.get(),
            in_flight: 0,
            cancelled: "cancelled",
            asked: None,
            aborted: false,
            shared,
        }
    }

    pub(super) async fn run(mut self, stops: &Stops, limits: Limits) -> (Summary, Emitted) {
        let began = Instant::now();
        self.results.run_started(self.shared.context.mode());
        self.work(stops, limits).await;
        let left = self.shared.graph.nodes().map(|(index, _)| index);
        for index in left.filter(|index| self.shared.needed.has(*index) && !self.ready.has_ended(*index)) {
            self.results.not_run(index);
        }
        self.results.tick();
        self.results.run_finished(began.elapsed())
    }

    async fn work(&mut self, stops: &Stops, limits: Limits) {
        let stop = |(kind, token): &(InterruptKind, CancellationToken)| {
            let raised: Wait<'_> = Box::pin(token.clone().cancelled_owned());
            (raised, Signal::Interrupt(*kind, None))
        };
        let mut signals: Vec<_> = stops.iter().map(stop).collect();
        if let Some(deadline) = limits.deadline {
            let reason = Some("cancelled: the run took longer than its deadline");
            signals.push((
                Box::pin(tokio::time::sleep_until(deadline)),
                Signal::Interrupt(InterruptKind::Cancel, reason),
            ));
        }
        let mut messages = Vec::new();
        // An interrupt that was raised before the run must keep everything from starting.
        let mut begun = false;
        loop {
            if begun {
                self.give_work();
                if self.in_flight == 0 && !self.others.is_waiting() {
                    break;
                }
            }
            let wakeup = poll_fn(|cx| {
                let raised = signals.iter_mut().position(|(wait, _)| wait.as_mut().poll(cx).is_ready());
                if let Some(raised) = raised {
                    return Poll::Ready(Wakeup::Signal(raised));
                }
                if let Poll::Ready(event) = self.pool.poll(cx, &mut messages) {
                    return Poll::Ready(Wakeup::Pool(event));
                }
                if let Poll::Ready(name) = self.others.poll(cx) {
                    return Poll::Ready(Wakeup::Lock(name));
                }
                if !begun {
                    return Poll::Ready(Wakeup::Begin);
                }
                self.results.flush();
                Poll::Pending
            })
            .await;
            self.results.tick();
            match wakeup {
                Wakeup::Signal(raised) => match signals.remove(raised).1 {
                    // Who asks twice for the same has been heard.
                    Signal::Interrupt(kind, _) if self.asked >= Some(kind) => {}
                    Signal::Interrupt(kind, reason) => {
                        self.cancelled = reason.unwrap_or(self.cancelled);
                        self.interrupt(kind);
                        if kind == InterruptKind::Cancel && limits.grace.is_zero() {
                            self.abort();
                        } else if kind == InterruptKind::Cancel {
                            signals.push((Box::pin(tokio::time::sleep(limits.grace)), Signal::GraceOver));
                        }
                    }
                    Signal::GraceOver => self.abort(),
                },
                Wakeup::Pool(PoolEvent::Messages) => {
                    messages.drain(..).for_each(|message| self.receive(message));
                    // Before anything that waited for it is given to a worker.
                    if self.shared.is_booting.load(Ordering::Acquire) && self.asked.is_none() {
                        self.interrupt(InterruptKind::Finish);
                    }
                }
                Wakeup::Pool(PoolEvent::WorkerEnded(ended)) => self.worker_ended(ended),
                Wakeup::Lock(name) => {
                    let next = self.locks.next(&name);
                    self.put_back(next);
                }
                Wakeup::Begin => begun = true,
            }
        }
    }

    /// Gives the workers all that may be worked on by now.
    fn give_work(&mut self) {
        loop {
            self.start_applies();
            self.publish();
            self.start_applies();
            if self.in_flight > 0 || self.others.is_waiting() {
                break;
            }
            // What could not be applied at all may have made others ready.
            let is_more = self.asked.is_none() && self.ready.first().is_some();
            let Self { scheduler, shared, locks, .. } = &mut *self;
            if !is_more && !scheduler.let_go(shared, |index| locks.is_wanted(shared, index)) {
                break;
            }
        }
        for (index, awaited) in self.scheduler.take_waiting() {
            self.results.waits(index, awaited);
        }
        self.pool.start_workers();
    }

    /// With one worker, one thing after the other: what that worker is at may make something smaller ready when it ends, and
    /// may wait for another attempt until then, so that how much was told of it by now is a matter of time.
    fn start_applies(&mut self) {
        while (self.parallelism > 1 || self.in_flight == 0)
            && let Some(scheduled) = self.scheduler.next(&self.shared, &mut self.others)
        {
            let ScheduledApply { mut members, freshness, refused } = scheduled;
            self.in_flight += members.len();
            for pending in &members {
                self.results.goes_on(pending.job.index);
            }
            if let Some(refused) = refused {
                for pending in members {
                    self.finished(pending.job.index, pending.refused(&refused));
                }
                continue;
            }
            let work = match (members.pop(), members.is_empty()) {
                (Some(PendingApply { job, change }), true) => {
                    WorkItem::Resume(job, ResumePoint::Apply(change, freshness))
                }
                (last, _) => {
                    members.extend(last);
                    WorkItem::Batch(members, freshness)
                }
            };
            self.pool.submit(work);
        }
    }

    /// Hands ready nodes to the workers, smallest first.
    fn publish(&mut self) {
        let exact = self.parallelism == 1;
        if self.asked.is_some() || exact && self.in_flight > 0 {
            return;
        }
        // With one worker the order is exact: nothing is published behind a node that could make
        // a smaller one ready.
        let mut before = None;
        while self.in_flight < self.parallelism * AHEAD {
            let Some(index) = self.ready.first() else { break };
            if exact && before.is_some_and(|before| before < index) {
                break;
            }
            let disposition = self.results.disposition(index);
            let is_work = matches!(disposition, Disposition::Work);
            let is_scheduled = self.shared.is_scheduled(index);
            let is_alone = || !is_work || is_scheduled || self.locks.is_held(&self.shared, index);
            if exact && self.in_flight > 0 && is_alone() {
                break;
            }
            self.ready.remove_first();
            match disposition {
                Disposition::Work => {
                    match self.locks.lock(&self.shared, &mut self.others, index) {
                        Turn::Now => self.results.goes_on(index),
                        // Nothing may wait for it while it waits for its group.
                        Turn::Later(awaited) => {
                            self.results.waits(index, awaited);
                            self.scheduler.release(&self.shared, index);
                            continue;
                        }
                        Turn::Refused(refused) => {
                            self.refused(index, &refused);
                            continue;
                        }
                    }
                    self.results.mark_pending(index);
                    self.scheduler.begins(&self.shared, &mut self.others, index);
                    self.ready.published(index);
                    self.in_flight += 1;
                    self.shared.queue.publish(index);
                    if exact && is_scheduled {
                        break;
                    }
                    if exact {
                        let after = self.ready.first_after(&self.shared.graph, index, self.in_flight);
                        before = before.into_iter().chain(after).min();
                    }
                    continue;
                }
                Disposition::Pass => self.results.pass(index),
                Disposition::Skip(skipped) => self.results.skip(index, skipped),
                Disposition::NotTaken(skipped) => self.results.not_taken(index, skipped),
                Disposition::Undecided(skipped) => self.results.undecided(index, skipped),
            }
            self.ended(index);
        }
    }

    fn receive(&mut self, message: Message) {
        match message {
            Message::Worked { worker, done, current } => {
                for (index, status) in done {
                    self.started(index);
                    match status {
                        JobStatus::Completed(completion) => self.finished(index, completion),
                        JobStatus::Pending(pending) => self.schedule(*pending),
                        JobStatus::Expanded(expansion) => self.expand(index, expansion),
                    }
                }
                self.pool.set_current(worker, current.map(|(index, _)| index));
                if let Some((index, stage)) = current {
                    self.started(index);
                    self.results.stage(index, stage);
                }
            }
            Message::Applied { worker, members } => {
                self.pool.set_current(worker, None);
                for (job, at) in members {
                    if self.aborted {
                        self.shared.unfinished.keep(job.index, job.report.clone());
                        self.lost(job.index, self.cancelled.to_owned());
                    } else {
                        self.pool.submit(WorkItem::Resume(job, at));
                    }
                }
            }
            Message::Told(index, told) => {
                self.started(index);
                self.told(index, told);
            }
        }
    }

    /// Something of a node that is being worked on; of one that has ended nothing is told any more.
    fn told(&mut self, index: NodeIndex, told: Told) {
        let is_running = self.ready.is_running(index);
        match told {
            Told::Stage(stage) if is_running => self.results.stage(index, stage),
            Told::Progress(update) if is_running => self.results.progress(index, update),
            Told::Progress(_) => self.results.progress_ignored(),
            Told::Stage(_) => {}
            Told::Retrying(failed) => {
                if is_running {
                    self.results.attempt_failed(index, *failed);
                }
                self.scheduler.release(&self.shared, index);
                self.scheduler.begins(&self.shared, &mut self.others, index);
            }
        }
    }

    fn started(&mut self, index: NodeIndex) {
        if self.ready.started(index) {
            self.results.started(index);
        }
    }

    fn schedule(&mut self, pending: PendingApply) {
        if self.asked.is_some() {
            self.finished(pending.job.index, pending.not_run());
        } else {
            self.in_flight -= 1;
            self.scheduler.add(&self.shared, pending);
        }
    }

    /// The instances of a `for_each` are known: they become part of the run.
    fn expand(&mut self, end: NodeIndex, expansion: Expansion) {
        if is_too_many(&self.shared, expansion.nodes.len()) {
            let node = self.shared.graph.node(end);
            let mut report = Box::new(ResourceReport::new(node.id.clone(), Outcome::Failed));
            report.level = StatusLevel::Fatal;
            report.failure = Some(too_many(&self.shared, node));
            return self.finished(end, Completion::of(report));
        }
        self.in_flight -= 1;
        self.scheduler.release(&self.shared, end);
        if self.asked.is_some() {
            return self.ready.not_begun(end);
        }
        let (added, turns) = self.added.add(&self.shared, &mut self.ready, end, expansion);
        self.scheduler.added(&self.shared, end, &added, turns);
        self.results.added(end, &added);
        let Self { ready, scheduler, shared, .. } = self;
        let is_ready = |index: &NodeIndex| ready.is_ready(*index);
        added.iter().filter(|index| is_ready(index)).for_each(|index| scheduler.ready(shared, *index));
        if ready.is_ready(end) {
            scheduler.ready(shared, end);
        }
    }

    fn finished(&mut self, index: NodeIndex, completion: Completion) {
        self.in_flight -= 1;
        self.results.finished(index, completion);
        let next = self.locks.unlock(&self.shared, &self.others, index);
        self.put_back(next);
        self.ended(index);
    }

    /// A node that had to wait for others may be worked on.
    fn put_back(&mut self, next: Option<NodeIndex>) {
        if let Some(next) = next {
            self.ready.put_back(next);
            self.scheduler.ready(&self.shared, next);
        }
    }

    /// A node cannot be worked on, as another run has its group.
    fn refused(&mut self, index: NodeIndex, refused: &Refused) {
        self.in_flight += 1;
        self.shared.enter(index, Stage::Check);
        self.lost(index, refused.to_string());
    }

    /// The end of a node, whatever came of it.
    fn ended(&mut self, index: NodeIndex) {
        let Self { ready, scheduler, shared, .. } = self;
        scheduler.release(shared, index);
        ready.ended(&shared.graph, index, |next| scheduler.ready(shared, next));
        scheduler.ended(shared, ready, index);
    }

    /// Starts nothing more; tells what runs when it is cancelled.
    fn interrupt(&mut self, kind: InterruptKind) {
        self.asked = Some(kind);
        // First, so that what waits to be tried again does not begin.
        self.shared.finish.cancel();
        self.others.clear();
        let taken: Vec<NodeIndex> = self.shared.queue.close().collect();
        for index in taken {
            self.started(index);
        }
        self.ready.take_back();
        let not_run = self.take_back();
        let nodes = self.shared.graph.nodes().map(|(index, _)| index);
        let mut running: Vec<NodeIndex> = nodes.filter(|index| self.ready.is_running(*index)).collect();
        self.in_flight = running.len();
        let ends: HashSet<NodeIndex> = not_run.iter().map(|pending| pending.job.index).collect();
        running.retain(|index| !ends.contains(index));
        self.results.interrupted(kind, &running);
        for pending in not_run {
            self.finished(pending.job.index, pending.not_run());
        }
        if kind == InterruptKind::Cancel {
            self.shared.context.cancellation().cancel();
        }
    }

    /// Takes back what waits and has not begun to change the machine. What has begun goes on.
    fn take_back(&mut self) -> Vec<PendingApply> {
        let mut not_run = self.scheduler.drain();
        for work in self.pool.take_back() {
            match work {
                WorkItem::Resume(job, ResumePoint::Apply(change, _)) => {
                    not_run.push(PendingApply { job, change });
                }
                WorkItem::Batch(members, _) => not_run.extend(members),
                work @ WorkItem::Resume(..) => self.pool.submit(work),
            }
        }
        not_run
    }

    /// Cuts off what still runs, and what waits to go on.
    fn abort(&mut self) {
        self.aborted = true;
        for work in self.pool.take_back() {
            let nodes = work.nodes();
            if let WorkItem::Resume(job, _) = work {
                self.shared.unfinished.keep(job.index, job.report);
            }
            for index in nodes {
                self.lost(index, self.cancelled.to_owned());
            }
        }
        self.pool.abort_all();
    }

    /// A worker ended: the queue was empty, it was cancelled, or a resource panicked.
    fn worker_ended(&mut self, ended: Result<Id, JoinError>) {
        let Err(error) = ended else { return };
        // What the worker sent before it ended is in the channel by now.
        while let Some(message) = self.pool.message() {
            self.receive(message);
        }
        let nodes = self.pool.take_nodes(error.id());
        let message = match error.try_into_panic() {
            Ok(panic) => format!("the resource panicked: {}", panic_message(&*panic)),
            Err(_) => self.cancelled.to_owned(),
        };
        for index in nodes {
            self.lost(index, message.clone());
        }
    }

    /// The work on a node is gone.
    fn lost(&mut self, index: NodeIndex, message: String) {
        let known = self.shared.unfinished.take(index);
        let id = || self.shared.graph.node(index).id.clone();
        let new = || Box::new(ResourceReport::new(id(), Outcome::Failed));
        let mut report = known.unwrap_or_else(new);
        report.outcome = Outcome::Failed;
        report.level = StatusLevel::Fatal;
        let stage = self.shared.stage(index);
        report.failure = Some(Failure::new(stage, message));
        self.finished(index, Completion::of(report));
    }
}
