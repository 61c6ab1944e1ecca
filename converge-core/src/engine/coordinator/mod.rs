//! The one owner of a run's state.
//!
//! The [`agenda`] knows what is ready, the [`ledger`] what came of what has ended and what becomes of the rest, [`turns`] and
//! [`groups`] who may not work at the same time, and the [`staff`] works. They know nothing of each other: what one
//! gives, the coordinator hands to the next.

mod agenda;
mod gates;
mod groups;
mod ledger;
mod staff;
mod turns;

use std::collections::HashSet;
use std::future::{Future, poll_fn};
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::task::{Id, JoinError};
use tokio::time::Instant;

use self::agenda::Agenda;
use self::gates::Fate;
use self::groups::Groups;
use self::ledger::Ledger;
use self::staff::{Report, Staff, Work};
use self::turns::{Turn, Turns};
use super::attempt::At;
use super::event::{EventSink, Failure, InterruptKind, Outcome, ResourceReport, Summary};
use super::interrupt::Interrupt;
use super::job::{Done, Held, Step};
use super::shared::Shared;
use super::worker::Message;
use crate::context::Context;
use crate::graph::NodeIndex;
use crate::status::StatusLevel;

/// How many nodes may be published for each worker and not be finished: enough to keep workers busy
/// while the coordinator waits for a processor, few enough that little is held in memory.
const AHEAD: usize = 256;

/// What ends the wait of the coordinator.
enum Woken {
    Interrupt(InterruptKind),
    Deadline,
    Staff(Report),
}

pub(super) struct Coordinator<'a> {
    shared: Arc<Shared>,
    context: Context,
    parallelism: usize,
    agenda: Agenda,
    ledger: Ledger<'a>,
    groups: Groups,
    turns: Turns,
    staff: Staff,
    /// Given to workers and not done.
    in_flight: usize,
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
        let shared = Arc::new(shared);
        let agenda = Agenda::new(&shared.graph);
        let mut turns = Turns::new(&shared);
        agenda.ready().for_each(|index| turns.ready(&shared, index));
        Self {
            agenda,
            ledger: Ledger::new(Arc::clone(&shared), sink),
            groups: Groups::default(),
            turns,
            staff: Staff::new(Arc::clone(&shared), parallelism.get()),
            parallelism: parallelism.get(),
            in_flight: 0,
            cancelled: "cancelled",
            stopped: false,
            shared,
            context,
        }
    }

    pub(super) async fn run(mut self, interrupt: &Interrupt, deadline: Option<Instant>) -> Summary {
        let began = Instant::now();
        let run = self.context.run().clone();
        self.ledger.run_started(run.clone(), self.context.mode());
        self.work(interrupt, deadline).await;
        for (index, _) in self.shared.graph.nodes().filter(|(index, _)| !self.agenda.has_ended(*index)) {
            self.ledger.not_run(index);
        }
        self.ledger.run_finished(run, began.elapsed())
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
        let mut messages = Vec::new();
        // An interrupt that was raised before the run must keep everything from starting.
        let mut looked = false;
        loop {
            if looked {
                self.give_work();
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
                if let Poll::Ready(report) = self.staff.poll(cx, &mut messages) {
                    return Poll::Ready(Some(Woken::Staff(report)));
                }
                if !looked {
                    return Poll::Ready(None);
                }
                self.ledger.flush();
                Poll::Pending
            })
            .await;
            match woken {
                Some(Woken::Interrupt(kind)) => self.interrupt(kind),
                Some(Woken::Deadline) => {
                    self.cancelled = "cancelled: the run took longer than its deadline";
                    self.interrupt(InterruptKind::Cancel);
                }
                Some(Woken::Staff(Report::Messages)) => {
                    messages.drain(..).for_each(|message| self.receive(message));
                }
                Some(Woken::Staff(Report::Ended(ended))) => self.worker_ended(ended),
                None => looked = true,
            }
        }
    }

    /// Gives the workers all that may be worked on by now.
    fn give_work(&mut self) {
        self.give_turns();
        self.publish();
        // With one worker, one thing after the other.
        if self.parallelism > 1 || self.in_flight == 0 {
            self.give_turns();
        }
        self.staff.fill();
    }

    /// Lets nodes change the machine whose turn it is.
    fn give_turns(&mut self) {
        while let Some(Turn { mut members, seen }) = self.turns.next() {
            self.in_flight += members.len();
            let work = match (members.pop(), members.is_empty()) {
                (Some(Held { job, change }), true) => Work::Resume(job, At::Turn(change, seen)),
                (last, _) => {
                    members.extend(last);
                    Work::Batch(members, seen)
                }
            };
            self.staff.hand(work);
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
            let Some(index) = self.agenda.first() else { break };
            if exact && before.is_some_and(|before| before < index) {
                break;
            }
            let fate = self.ledger.fate(index);
            let takes_turns = self.shared.takes_turns(index);
            let is_alone =
                || !matches!(fate, Fate::Work) || takes_turns || self.groups.is_busy(&self.shared, index);
            if exact && self.in_flight > 0 && is_alone() {
                break;
            }
            self.agenda.remove_first();
            match fate {
                Fate::Work if self.groups.lock(&self.shared, index) => {
                    self.ledger.published(index);
                    self.turns.begins(&self.shared, index);
                    self.agenda.published(index);
                    self.in_flight += 1;
                    self.shared.queue.publish(index);
                    if exact && takes_turns {
                        break;
                    }
                    if exact {
                        let after = self.agenda.first_after(&self.shared.graph, index, self.in_flight);
                        before = before.into_iter().chain(after).min();
                    }
                    continue;
                }
                // Nothing may wait for it while it waits for its group.
                Fate::Work => {
                    self.turns.leave(&self.shared, index);
                    continue;
                }
                Fate::Pass => self.ledger.pass(index),
                Fate::Skip(skipped) => self.ledger.skip(index, &skipped),
                Fate::NotTaken(skipped) => self.ledger.not_taken(index, skipped),
                Fate::Undecided(skipped) => self.ledger.undecided(index, skipped),
            }
            self.ended(index);
        }
    }

    fn receive(&mut self, message: Message) {
        match message {
            Message::Worked { worker, did, begun } => {
                for (index, step) in did {
                    self.started(index);
                    match step {
                        Step::Done(done) => self.finished(index, done),
                        Step::Held(held) => self.held(*held),
                    }
                }
                self.staff.is_at(worker, begun);
                if let Some(index) = begun {
                    self.started(index);
                }
            }
            Message::Applied { worker, members } => {
                self.staff.is_done(worker);
                for (job, at) in members {
                    if self.context.cancellation().is_cancelled() {
                        self.lost(job.index, self.cancelled.to_owned());
                    } else {
                        self.staff.hand(Work::Resume(job, at));
                    }
                }
            }
            Message::TriesAgain(index) => {
                self.turns.leave(&self.shared, index);
                self.turns.begins(&self.shared, index);
            }
        }
    }

    fn started(&mut self, index: NodeIndex) {
        if self.agenda.started(index) {
            self.ledger.started(index);
        }
    }

    /// A node waits for its turn, and no worker for it.
    fn held(&mut self, held: Held) {
        if self.stopped {
            self.finished(held.job.index, held.not_run());
        } else {
            self.in_flight -= 1;
            self.turns.hold(&self.shared, held);
        }
    }

    fn finished(&mut self, index: NodeIndex, done: Done) {
        self.in_flight -= 1;
        self.ledger.finished(index, done);
        if let Some(next) = self.groups.unlock(&self.shared, index) {
            self.agenda.put_back(next);
            self.turns.ready(&self.shared, next);
        }
        self.ended(index);
    }

    /// The end of a node, whatever came of it.
    fn ended(&mut self, index: NodeIndex) {
        let Self { agenda, turns, shared, .. } = self;
        turns.leave(shared, index);
        agenda.ended(&shared.graph, index, |next| turns.ready(shared, next));
    }

    /// Starts nothing more; cancels what runs when it is asked to.
    fn interrupt(&mut self, kind: InterruptKind) {
        self.stopped = true;
        let taken: Vec<NodeIndex> = self.shared.queue.close().collect();
        for index in taken {
            self.started(index);
        }
        self.agenda.take_back();
        let (turnless, cut_off) = self.take_back(kind);
        let nodes = self.shared.graph.nodes().map(|(index, _)| index);
        let mut running: Vec<NodeIndex> = nodes.filter(|index| self.agenda.is_running(*index)).collect();
        self.in_flight = running.len();
        let ends: HashSet<NodeIndex> = turnless.iter().map(|held| held.job.index).collect();
        running.retain(|index| !ends.contains(index));
        self.ledger.interrupted(kind, &running);
        for held in turnless {
            self.finished(held.job.index, held.not_run());
        }
        for index in cut_off {
            self.lost(index, self.cancelled.to_owned());
        }
        if kind == InterruptKind::Cancel {
            self.context.cancellation().cancel();
            self.staff.abort_all();
        }
    }

    /// Takes back what waits: what has not begun to change the machine, and what goes no further, because what has begun is
    /// cancelled, too.
    fn take_back(&mut self, kind: InterruptKind) -> (Vec<Held>, Vec<NodeIndex>) {
        let (mut turnless, mut cut_off) = (self.turns.stop(), Vec::new());
        for work in self.staff.take_back() {
            match work {
                Work::Resume(job, At::Turn(change, _)) => turnless.push(Held { job, change }),
                Work::Batch(members, _) => turnless.extend(members),
                Work::Resume(job, _) if kind == InterruptKind::Cancel => cut_off.push(job.index),
                work @ Work::Resume(..) => self.staff.hand(work),
            }
        }
        (turnless, cut_off)
    }

    /// A worker ended: the queue was empty, it was cancelled, or a resource panicked.
    fn worker_ended(&mut self, ended: Result<Id, JoinError>) {
        let Err(error) = ended else { return };
        // What the worker sent before it ended is in the channel by now.
        while let Some(message) = self.staff.message() {
            self.receive(message);
        }
        let nodes = self.staff.lost(error.id());
        let message = match error.try_into_panic() {
            Ok(panic) => format!("the resource panicked: {}", panic_text(&*panic)),
            Err(_) => self.cancelled.to_owned(),
        };
        for index in nodes {
            self.lost(index, message.clone());
        }
    }

    /// The work on a node is gone.
    fn lost(&mut self, index: NodeIndex, message: String) {
        let id = self.shared.graph.node(index).id.clone();
        let mut report = ResourceReport::new(id, Outcome::Failed);
        report.level = StatusLevel::Fatal;
        let stage = self.shared.stage(index);
        report.failure = Some(Failure { stage, message, diagnostics: Vec::new() });
        self.finished(index, Done { report, exports: None });
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("for an unknown reason")
}
