//! The coordinator, which owns the state of a run.
//!
//! The [`ready_queue`] orders the nodes that are ready. The [`results`] keep the outcome of ended nodes and
//! its effect on the rest. The [`apply_scheduler`] and the [`node_locks`] separate nodes that must not be worked
//! on at the same time. The [`worker_pool`] runs the work. These parts do not know each other: the
//! coordinator passes the output of one to the next.

mod added_instances;
mod apply_scheduler;
mod gates;
mod lock_waits;
mod node_locks;
mod ready_queue;
mod results;
mod second_look;
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
use crate::events::emitter::{Emitted, Emitter};
use crate::events::event::InterruptKind;
use crate::events::interrupt::Stops;
use crate::events::outcome::Outcome;
use crate::events::progress::JobProgress;
use crate::events::report::{Failure, ResourceReport, Stage};
use crate::events::summary::Summary;
use crate::graph::NodeIndex;
use crate::persistence::shared_locks::{Refused, SharedLocks, Sharing};
use crate::sdk::status::StatusLevel;
use crate::state::LockName;
use crate::tables::run_tables::Shared;
use crate::types::panic_guard::panic_message;
use crate::work::attempt_progress::ResumePoint;
use crate::work::expand::{Expansion, is_too_many, too_many};
use crate::work::job::{Completion, Job, JobStatus, PendingApply};
use crate::work::worker_message::Message;

/// The maximum number of published, unfinished nodes per worker.
///
/// It is large enough to keep workers busy while the coordinator waits for a processor, and small enough to
/// limit memory.
const MAX_QUEUED_PER_WORKER: usize = 256;

type Wait<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A signal from outside of the run.
enum Signal {
    /// An interrupt. A cancellation by the deadline has a reason.
    Interrupt(InterruptKind, Option<&'static str>),
    /// The grace period after a cancellation is over.
    GraceOver,
}

/// The time limits of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(crate) deadline: Option<Instant>,
    /// The grace period of running work after a cancellation.
    pub(super) grace: Duration,
}

enum Wakeup {
    /// The index of the signal.
    Signal(usize),
    Pool(PoolEvent),
    /// Another run has released a lock, or has held it for too long.
    Lock(LockName),
    /// No signal arrived before the run.
    Begin,
}

pub(super) struct Coordinator {
    shared: Arc<Shared>,
    parallelism: usize,
    ready: ReadyQueue,
    results: Results,
    locks: Locks,
    /// The locks shared with other runs.
    others: SharedLocks,
    scheduler: ApplyScheduler,
    pool: WorkerPool,
    /// The instances added to the graph.
    added: AddedInstances,
    /// The number of nodes given to workers and not finished.
    in_flight: usize,
    /// The message for work that was cancelled.
    cancelled: &'static str,
    /// The strongest interrupt so far. After an interrupt, no new work is started.
    asked: Option<InterruptKind>,
    /// Whether running work was aborted.
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
        let ready = ReadyQueue::new(&shared.graph, &shared.setup.needed, order);
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
        self.results.run_started(self.shared.setup.context.mode());
        self.work(stops, limits).await;
        if self.asked.is_none() {
            self.look_again(stops, limits).await;
        }
        let left = self.shared.graph.nodes().map(|(index, _)| index);
        for index in
            left.filter(|index| self.shared.setup.needed.has(*index) && !self.ready.has_ended(*index))
        {
            self.results.not_run(index);
        }
        self.results.tick();
        self.results.run_finished(began.elapsed())
    }

    /// Reports the resources that were undone. An interrupt or the deadline ends the checks.
    async fn look_again(&mut self, stops: &Stops, limits: Limits) {
        let parallelism = NonZeroUsize::new(self.parallelism).unwrap_or(NonZeroUsize::MIN);
        let looks = self.results.take_ended().find_undone(&self.shared, parallelism);
        let looks = stops.run_until(looks);
        let undone = match limits.deadline {
            Some(deadline) => tokio::time::timeout_at(deadline, looks).await.ok().flatten(),
            None => looks.await,
        };
        self.results.tick();
        undone.into_iter().flatten().for_each(|undone| self.results.undone(undone));
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
        // An interrupt that was raised before the run must prevent all work.
        let mut is_begun = false;
        loop {
            if is_begun {
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
                if !is_begun {
                    return Poll::Ready(Wakeup::Begin);
                }
                self.results.flush();
                Poll::Pending
            })
            .await;
            self.results.tick();
            match wakeup {
                Wakeup::Signal(raised) => match signals.remove(raised).1 {
                    // Repeated interrupts of the same kind are ignored.
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
                    // A reboot is handled before any dependent is given to a worker.
                    if self.shared.is_booting.load(Ordering::Acquire) && self.asked.is_none() {
                        self.interrupt(InterruptKind::Finish);
                    }
                }
                Wakeup::Pool(PoolEvent::WorkerEnded(ended)) => self.worker_ended(ended),
                Wakeup::Lock(name) => {
                    let next = self.locks.next(&name);
                    self.put_back(next);
                }
                Wakeup::Begin => is_begun = true,
            }
        }
    }

    /// Gives the workers everything that can be worked on now.
    fn give_work(&mut self) {
        loop {
            self.start_applies();
            self.publish();
            self.start_applies();
            if self.in_flight > 0 || self.others.is_waiting() {
                break;
            }
            // Nodes that could not be applied may have made others ready.
            let is_more = self.asked.is_none() && self.ready.first().is_some();
            let Self { scheduler, shared, locks, .. } = &mut *self;
            if !is_more && !scheduler.release_turn(shared, |index| locks.is_wanted(shared, index)) {
                break;
            }
        }
        for (index, awaited) in self.scheduler.take_waiting() {
            self.results.waits(index, awaited);
        }
        self.pool.start_workers();
    }

    /// Starts scheduled applies.
    ///
    /// With one worker, applies are started one at a time. The running node may make a smaller one ready when
    /// it ends, and it may wait for a retry until then. The order would otherwise depend on timing.
    fn start_applies(&mut self) {
        while (self.parallelism > 1 || self.in_flight == 0)
            && let Some(scheduled) = self.scheduler.next(&self.shared, &mut self.others)
        {
            let ScheduledApply { mut members, freshness, refused } = scheduled;
            self.in_flight += members.len();
            for pending in &members {
                self.results.end_wait(pending.job.index);
            }
            if let Some(refused) = refused {
                for pending in members {
                    self.finished(pending.job.index, pending.refused(&refused));
                }
                continue;
            }
            let work = match (members.pop(), members.is_empty()) {
                (Some(PendingApply { job, change }), true) => {
                    WorkItem::Resume(vec![(job, ResumePoint::Apply(change, freshness))])
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
        if self.asked.is_some() || exact && self.in_flight > 0 || self.scheduler.is_behind() {
            return;
        }
        // With one worker the order is exact: no node is published after one that could make a smaller one
        // ready.
        let mut before = None;
        while self.in_flight < self.parallelism * MAX_QUEUED_PER_WORKER {
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
                        Turn::Now => self.results.end_wait(index),
                        // No batch may wait for the node while it waits for its group.
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
                    self.results.begins(index);
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
                let ended: Vec<NodeIndex> = done.iter().map(|(index, _)| *index).collect();
                self.pool.has_worked(worker, &ended, current.map(|(index, _)| index));
                for (index, status) in done {
                    self.started(index);
                    match status {
                        JobStatus::Completed(completion) => self.finished(index, completion),
                        JobStatus::Pending(pending) => self.schedule(*pending),
                        JobStatus::Expanded(expansion) => self.expand(index, expansion),
                    }
                }
                if let Some((index, stage)) = current {
                    self.started(index);
                    self.results.stage(index, stage);
                }
            }
            Message::Applied { worker, members } => {
                drop(self.pool.take_nodes(worker));
                for (job, _) in &members {
                    self.scheduler.applied(&self.shared, job.index);
                }
                self.resume(members);
            }
            Message::GivenBack(jobs) => {
                self.pool.given_back(&jobs);
                self.resume(jobs);
            }
            Message::Told(index, told) => {
                self.started(index);
                self.told(index, told);
            }
        }
    }

    /// Continues jobs, unless all work was aborted.
    fn resume(&mut self, jobs: Vec<(Job, ResumePoint)>) {
        if !self.aborted {
            return self.pool.resume(jobs);
        }
        for (job, _) in jobs {
            let index = job.index;
            self.shared.unfinished.keep(index, job.report);
            self.lost(index, self.cancelled.to_owned());
        }
    }

    /// Handles a progress message of a node. Messages of nodes that have ended are dropped.
    fn told(&mut self, index: NodeIndex, progress: JobProgress) {
        let is_running = self.ready.is_running(index);
        match progress {
            JobProgress::Stage(stage) if is_running => self.results.stage(index, stage),
            JobProgress::Progress(update) if is_running => self.results.progress(index, update),
            JobProgress::Progress(_) => self.results.progress_ignored(),
            JobProgress::Stage(_) => {}
            JobProgress::Retrying(failed) => {
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

    /// Adds the instances of a `for_each`, which are known now, to the run.
    fn expand(&mut self, end: NodeIndex, expansion: Expansion) {
        if is_too_many(&self.shared, expansion.nodes.len()) {
            let node = self.shared.graph.node(end);
            let mut report = Box::new(ResourceReport::new(node.id.clone(), Outcome::Failed));
            report.level = StatusLevel::Fatal;
            report.failure = Some(too_many(&self.shared, node));
            return self.finished(end, Completion::from_report(report));
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

    /// Makes a node that waited for a lock ready again.
    fn put_back(&mut self, next: Option<NodeIndex>) {
        if let Some(next) = next {
            self.ready.put_back(next);
            self.scheduler.ready(&self.shared, next);
        }
    }

    /// Reports a node that cannot be worked on because another run holds its group.
    fn refused(&mut self, index: NodeIndex, refused: &Refused) {
        self.in_flight += 1;
        self.shared.enter(index, Stage::Check);
        self.lost(index, refused.to_string());
    }

    /// Handles the end of a node, regardless of its outcome.
    fn ended(&mut self, index: NodeIndex) {
        let Self { ready, scheduler, shared, .. } = self;
        scheduler.release(shared, index);
        ready.ended(&shared.graph, index, |next| scheduler.ready(shared, next));
        scheduler.ended(shared, ready, index);
    }

    /// Stops starting new work, and notifies running work of a cancellation.
    fn interrupt(&mut self, kind: InterruptKind) {
        self.asked = Some(kind);
        // Retries are cancelled first, so that none begins.
        self.shared.finish.cancel();
        self.others.clear();
        let indexes: Vec<NodeIndex> = self.shared.queue.close().collect();
        for index in indexes {
            self.started(index);
        }
        self.ready.take_back();
        let not_run = self.take_back();
        let nodes = self.shared.graph.nodes().map(|(index, _)| index);
        let mut running: Vec<NodeIndex> = nodes.filter(|index| self.ready.is_running(*index)).collect();
        self.in_flight = running.len();
        let pending_indexes: HashSet<NodeIndex> = not_run.iter().map(|pending| pending.job.index).collect();
        running.retain(|index| !pending_indexes.contains(index));
        self.results.interrupted(kind, &running);
        for pending in not_run {
            self.finished(pending.job.index, pending.not_run());
        }
        if kind == InterruptKind::Cancel {
            self.shared.setup.context.cancellation().cancel();
        }
    }

    /// Takes back waiting work that has not begun to change the machine. Work that has begun continues.
    fn take_back(&mut self) -> Vec<PendingApply> {
        let mut not_run = self.scheduler.drain();
        for work in self.pool.take_back() {
            match work {
                WorkItem::Resume(jobs) => {
                    let mut begun = Vec::new();
                    for (job, resume_point) in jobs {
                        match resume_point {
                            ResumePoint::Apply(change, _) => not_run.push(PendingApply { job, change }),
                            resume_point => begun.push((job, resume_point)),
                        }
                    }
                    self.pool.resume(begun);
                }
                WorkItem::Batch(members, _) => not_run.extend(members),
            }
        }
        not_run
    }

    /// Aborts running work and work that waits to continue.
    fn abort(&mut self) {
        self.aborted = true;
        for work in self.pool.take_back() {
            let nodes = work.nodes();
            match work {
                WorkItem::Resume(jobs) => self.resume(jobs),
                WorkItem::Batch(..) => {
                    for index in nodes {
                        self.lost(index, self.cancelled.to_owned());
                    }
                }
            }
        }
        self.pool.abort_all();
    }

    /// Handles the end of a worker: the queue was empty, it was cancelled, or a resource panicked.
    fn worker_ended(&mut self, ended: Result<Id, JoinError>) {
        let Err(error) = ended else { return };
        // All messages that the worker sent before it ended are in the channel by now.
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

    /// Reports a node whose worker is gone.
    fn lost(&mut self, index: NodeIndex, message: String) {
        let report = self.shared.unfinished.take(index);
        let id = || self.shared.graph.node(index).id.clone();
        let new = || Box::new(ResourceReport::new(id(), Outcome::Failed));
        let mut report = report.unwrap_or_else(new);
        report.outcome = Outcome::Failed;
        report.level = StatusLevel::Fatal;
        let stage = self.shared.stage(index);
        report.failure = Some(Failure::new(stage, message));
        self.finished(index, Completion::from_report(report));
    }
}
