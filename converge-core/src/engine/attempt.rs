//! One attempt of the work on a node: render, prepare, check, apply or refresh, check again.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::event::{Difference, Failure, Outcome, ResourceReport, Stage};
use super::limit::{Limit, Paused};
use super::planned::{planned_exports, unknown_exports};
use super::refresh::{Certain, Due, Refreshes};
use super::render::render;
use super::scope::NodeScope;
use super::shared::Shared;
use crate::context::{Context, Mode, Refreshing};
use crate::error::{Error, Result};
use crate::export::Exports;
use crate::graph::{Blame, Node, NodeIndex};
use crate::registry::AnyTask;
use crate::report::Diagnostic;
use crate::status::{Status, StatusLevel, TaskStatus};
use crate::value::{FieldError, Unknown, Value};

/// The work on a node until it is done, fails, or waits for its turn.
pub(super) struct Attempt<'a> {
    shared: &'a Arc<Shared>,
    index: NodeIndex,
    node: &'a Node,
    report: &'a mut ResourceReport,
    /// Whether this attempt or one before it has begun to change the machine.
    begun: &'a mut Begun,
    limit: Option<Limit>,
}

/// How far the attempts at a node came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// The machine is as it was.
    Nothing,
    /// Something may have been changed.
    Change,
}

/// A task whose check found something to change.
pub(super) struct Change {
    pub(super) task: Box<dyn AnyTask>,
    /// What the check found.
    checked: Status,
    /// What is to be done: apply, or refresh where nothing differs.
    pub(super) stage: Stage,
    /// Whether a refresh is due, which an apply has to bring about as well.
    refreshing: Refreshing,
    /// What is left of the time of the attempt, while it waits.
    pub(super) paused: Option<Paused>,
}

impl Change {
    /// Whether it can be made together with others. A refresh is nothing that could be done for several at once, and
    /// a batch has one context, which cannot say for whom a refresh is due.
    pub(super) fn fits_a_batch(&self) -> bool {
        self.stage == Stage::Apply && self.refreshing != Refreshing::Now
    }
}

/// Where the work on an attempt goes on.
pub(super) enum At {
    /// Nothing was done yet.
    Start,
    /// The machine may be changed now.
    Turn(Change, Seen),
    /// The task was applied together with others, and this came of it.
    Applied(Change, Result<Status>),
    /// It ended before the others were applied.
    Ended(Result<Option<Exports>, Failure>),
}

/// Whether what a check found still counts when the turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Nobody had a turn since.
    Now,
    /// Others changed the machine under the same lock.
    Before,
}

/// How far an attempt came.
pub(super) enum Reached {
    /// The node is done with.
    End(Option<Exports>),
    /// The machine is to be changed, when it is the turn of the node.
    Change(Change),
}

impl<'a> Attempt<'a> {
    pub(super) fn new(
        shared: &'a Arc<Shared>,
        report: &'a mut ResourceReport,
        begun: &'a mut Begun,
        index: NodeIndex,
    ) -> Self {
        Self { shared, index, node: shared.graph.node(index), report, begun, limit: None }
    }

    /// Goes on with the work, and stops when its time is over. What it ran is then dropped, as by a cancellation.
    pub(super) async fn run(mut self, at: At, limit: Option<Limit>) -> Result<Reached, Failure> {
        self.limit = limit;
        let Some(limit) = limit else { return self.work(at).await };
        let worked = tokio::time::timeout_at(limit.deadline(), self.work(at)).await;
        worked.unwrap_or_else(|_| Err(self.timed_out(limit)))
    }

    /// Makes sure that a change is still to be made, and writes down what follows from it.
    pub(super) async fn join(mut self, change: Change, seen: Seen) -> Result<Reached, Failure> {
        let limit = change.paused.and_then(Paused::resume);
        self.limit = limit;
        let Some(limit) = limit else { return self.begin(change, seen).await };
        let began = tokio::time::timeout_at(limit.deadline(), self.begin(change, seen)).await;
        began.unwrap_or_else(|_| Err(self.timed_out(limit)))
    }

    /// Its time is over.
    pub(super) fn timed_out(&mut self, limit: Limit) -> Failure {
        self.report.level = StatusLevel::Fatal;
        Failure { stage: self.shared.stage(self.index), message: limit.message(), diagnostics: Vec::new() }
    }

    async fn work(&mut self, at: At) -> Result<Reached, Failure> {
        let change = match at {
            At::Start => match self.look().await? {
                Reached::Change(change) if !self.waits_its_turn(&change) => {
                    self.begin(change, Seen::Now).await?
                }
                reached => return Ok(reached),
            },
            At::Turn(change, seen) => self.begin(change, seen).await?,
            At::Applied(change, applied) => return self.finish(change, applied).await.map(Reached::End),
            At::Ended(ended) => return ended.map(Reached::End),
        };
        let Reached::Change(mut change) = change else { return Ok(change) };
        let cx = self.context(change.refreshing);
        let applied = match change.stage {
            Stage::Refresh => change.task.refresh_any(&cx).await.unwrap_or_else(|| Err(self.no_refresh())),
            _ => change.task.apply_any(&cx).await,
        };
        self.finish(change, applied).await.map(Reached::End)
    }

    /// Makes the task, and checks.
    async fn look(&mut self) -> Result<Reached, Failure> {
        let (shared, node) = (self.shared, self.node);
        shared.enter(self.index, Stage::Render);
        let scope = NodeScope::new(shared, self.index);
        let rendered = render(&shared.graph, node, &scope)
            .map_err(|diagnostics| self.refused(Stage::Render, diagnostics))?;
        if !rendered.unknown.is_empty() {
            return self.unknown(&rendered.unknown).map(|exports| Reached::End(Some(exports)));
        }
        let resource = node
            .resource
            .from_values(rendered.values)
            .map_err(|errors| self.refused(Stage::Render, self.field_diagnostics(&errors)))?;
        let cx = self.context(Refreshing::NotNow);
        self.enter(Stage::Prepare);
        let task = match resource.prepare_any(&cx, &scope).await {
            Ok(task) => task,
            Err(error) => return Err(self.failed(Stage::Prepare, &error)),
        };
        self.check(task, &cx, &scope).await
    }

    /// Finds out what is to be done.
    async fn check(
        &mut self,
        mut task: Box<dyn AnyTask>,
        cx: &Context,
        scope: &NodeScope<'_>,
    ) -> Result<Reached, Failure> {
        let (shared, index) = (self.shared, self.index);
        self.enter(Stage::Check);
        let checked = task.check_any(cx, scope).await;
        let checked = self.settle(Stage::Check, checked.unwrap_or_else(failed_status))?;
        let due = match refreshes(shared, index) {
            Some(refreshes) => self.due(refreshes).await?,
            None => None,
        };
        let change = needs_apply(&checked);
        // What an attempt before this one began to change is told as it was before that.
        if *self.begun == Begun::Nothing || self.report.differences.is_empty() {
            self.report.differences = differences(&checked);
            self.report.differences.extend(due.as_ref().map(Due::difference));
        }
        if !change && due.is_none() {
            if *self.begun == Begun::Change {
                self.report.outcome = Outcome::Changed;
            }
            return Ok(Reached::End(exports(shared, &*task, index)));
        }
        if shared.mode() == Mode::Plan {
            let level = plan_level(checked.level(), change, due.as_ref());
            self.report.level = self.report.level.max(level);
            self.report.outcome = match level {
                StatusLevel::MayChange => Outcome::MayChange,
                _ => Outcome::WillChange,
            };
            let exports = exports(shared, &*task, index).map(|exports| planned_exports(self.node, exports));
            return Ok(Reached::End(exports));
        }
        // An apply brings about all that is declared, from what is there by now: no refresh is left to make.
        let stage = if change { Stage::Apply } else { Stage::Refresh };
        let paused = self.limit.map(Limit::pause);
        let refreshing = if due.is_some() { Refreshing::Now } else { Refreshing::NotNow };
        Ok(Reached::Change(Change { task, checked, stage, refreshing, paused }))
    }

    /// Whether others decide when a change is made.
    fn waits_its_turn(&self, change: &Change) -> bool {
        let resource = &self.node.resource;
        resource.lock().is_some() || resource.batches() && change.fits_a_batch()
    }

    /// Up to the moment in which the machine is changed.
    async fn begin(&mut self, change: Change, seen: Seen) -> Result<Reached, Failure> {
        let mut change = change;
        if seen == Seen::Before {
            let scope = NodeScope::new(self.shared, self.index);
            let cx = self.context(Refreshing::NotNow);
            match self.check(change.task, &cx, &scope).await? {
                Reached::Change(again) => change = again,
                end @ Reached::End(_) => return Ok(end),
            }
        }
        if let Some(refreshes) = &self.shared.refreshes {
            let announced = refreshes.announce(&self.shared.graph, self.index).await;
            announced.map_err(|error| self.failed(Stage::Apply, &Error::other(error)))?;
        }
        *self.begun = Begun::Change;
        self.enter(change.stage);
        change.paused = self.limit.map(Limit::pause);
        Ok(Reached::Change(change))
    }

    /// Sees what came of a change, and checks again.
    async fn finish(&mut self, change: Change, applied: Result<Status>) -> Result<Option<Exports>, Failure> {
        let Change { mut task, mut checked, stage, .. } = change;
        let (shared, index) = (self.shared, self.index);
        let applied = applied.unwrap_or_else(|error| {
            checked.set_error(error);
            checked
        });
        self.settle(stage, applied)?;
        self.enter(Stage::CheckAfterApply);
        let cx = self.context(Refreshing::NotNow);
        let again = task.check_any(&cx, &NodeScope::new(shared, index)).await;
        let mut again = again.unwrap_or_else(failed_status);
        if !again.level().halts() && needs_apply(&again) {
            again.set_error(still_differs(&again, stage));
        }
        self.settle(Stage::CheckAfterApply, again)?;
        self.report.outcome = Outcome::Changed;
        if let Some(refreshes) = refreshes(shared, index)
            && let Err(error) = refreshes.made(&shared.graph, index).await
        {
            self.report.warnings.push(format!("it will be refreshed once more by the next apply: {error}"));
        }
        Ok(exports(shared, &*task, index))
    }

    /// What the task works with. Whether a refresh is due matters only to a resource that is refreshed at all.
    fn context(&self, refreshing: Refreshing) -> Cow<'a, Context> {
        let mut cx = self.shared.context(self.index);
        if let Some(limit) = self.limit {
            cx = Cow::Owned(cx.into_owned().with_deadline(limit.deadline()));
        }
        if refreshes(self.shared, self.index).is_some() {
            cx = Cow::Owned(cx.into_owned().with_refreshing(refreshing));
        }
        cx
    }

    /// Why the node is to be refreshed.
    async fn due(&mut self, refreshes: &Refreshes) -> Result<Option<Due>, Failure> {
        let due = refreshes.due(self.shared, self.index).await;
        due.map_err(|error| self.failed(Stage::Check, &Error::other(error)))
    }

    fn no_refresh(&self) -> Error {
        Error::msg(format!("{} cannot be refreshed: remove `on_change_of`", self.node.resource.name()))
    }

    fn enter(&self, stage: Stage) {
        tracing::debug!(id = %self.node.id, ?stage, "begins");
        self.shared.enter(self.index, stage);
    }

    /// Takes what a status says into the report, and ends the work when its level halts.
    fn settle(&mut self, stage: Stage, mut status: Status) -> Result<Status, Failure> {
        self.report.level = status.level();
        self.report.health = status.health();
        // Each stage may say what the one before said.
        add_new(&mut self.report.messages, &status.messages());
        add_new(&mut self.report.warnings, &status.warnings());
        if !status.level().halts() {
            return Ok(status);
        }
        if stage == Stage::Check && *self.begun == Begun::Nothing {
            self.report.differences = differences(&status);
        }
        let error = status.take_error().unwrap_or_else(|| Error::msg(status.level()));
        Err(self.failure(stage, &error))
    }

    /// A node that cannot be made yet.
    fn unknown(&mut self, fields: &[(&'static str, Unknown)]) -> Result<Exports, Failure> {
        if self.shared.mode() == Mode::Apply {
            let waits = |(field, unknown): &(&str, Unknown)| {
                format!("`{field}` is not known: it waits for {}", unknown.waits_for)
            };
            let message = fields.iter().map(waits).collect::<Vec<_>>().join("\n");
            return Err(self.failed(Stage::Render, &Error::Message(message)));
        }
        self.report.level = StatusLevel::MayChange;
        self.report.outcome = Outcome::MayChange;
        let difference = |(field, unknown): &(&'static str, Unknown)| Difference {
            name: (*field).to_owned(),
            original: String::new(),
            current: Value::Unknown(unknown.clone()).to_string(),
            changes: true,
        };
        self.report.differences = fields.iter().map(difference).collect();
        Ok(unknown_exports(self.node))
    }

    fn field_diagnostics(&self, errors: &[FieldError]) -> Vec<Diagnostic> {
        errors.iter().map(|error| Blame::new(&self.shared.graph, self.node).diagnose(error)).collect()
    }

    fn refused(&mut self, stage: Stage, diagnostics: Vec<Diagnostic>) -> Failure {
        self.report.level = StatusLevel::Fatal;
        let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        Failure { stage, message: messages.join("\n"), diagnostics }
    }

    fn failed(&mut self, stage: Stage, error: &Error) -> Failure {
        self.report.level = StatusLevel::Fatal;
        self.failure(stage, error)
    }

    fn failure(&self, stage: Stage, error: &Error) -> Failure {
        if let Some(limit) = self.limit.filter(|_| is_deadline(error)) {
            return Failure { stage, message: limit.message(), diagnostics: Vec::new() };
        }
        let diagnostics = match error {
            Error::Fields(errors) => self.field_diagnostics(errors),
            _ => Vec::new(),
        };
        Failure { stage, message: error.to_string(), diagnostics }
    }
}

/// What a task exports, when somebody may look it up.
fn exports(shared: &Shared, task: &dyn AnyTask, index: NodeIndex) -> Option<Exports> {
    shared.is_read(index).then(|| task.exports_any())
}

/// What refreshes a node, when something does.
fn refreshes(shared: &Shared, index: NodeIndex) -> Option<&Refreshes> {
    shared.refreshes.as_ref().filter(|refreshes| refreshes.watches(index))
}

/// How certain a plan is of a change.
fn plan_level(checked: StatusLevel, change: bool, due: Option<&Due>) -> StatusLevel {
    let certain = change && checked != StatusLevel::MayChange;
    if certain || due.is_some_and(|due| due.certain == Certain::Yes) {
        StatusLevel::WillChange
    } else {
        StatusLevel::MayChange
    }
}

fn still_differs(status: &Status, after: Stage) -> String {
    let word = if after == Stage::Refresh { "refresh" } else { "apply" };
    let left: String =
        status.diffs().iter().filter(|(_, diff)| diff.changes()).fold(String::new(), |text, (name, diff)| {
            format!("{text}\n  {name}: {} -> {}", or_empty(diff.original()), or_empty(diff.current()))
        });
    format!("still has changes after {word}{left}")
}

/// Whether a resource gave up because its time was over.
fn is_deadline(error: &Error) -> bool {
    match error {
        Error::DeadlineExceeded { .. } => true,
        Error::Context { source, .. } => is_deadline(source),
        _ => false,
    }
}

/// Whether there is something that an apply should do. A difference that will not be corrected is not.
fn needs_apply(status: &Status) -> bool {
    status.level() != StatusLevel::WontChange && status.has_changes()
}

fn failed_status(error: Error) -> Status {
    let mut status = Status::new();
    status.set_error(error);
    status
}

fn differences(status: &Status) -> Vec<Difference> {
    let difference = |(name, diff): (&str, &dyn crate::status::Diff)| Difference {
        name: name.to_owned(),
        original: diff.original(),
        current: diff.current(),
        changes: diff.changes(),
    };
    status.diffs().into_iter().map(difference).collect()
}

fn or_empty(text: String) -> String {
    if text.is_empty() { "\"\"".to_owned() } else { text }
}

fn add_new(have: &mut Vec<String>, new: &[&str]) {
    if have.is_empty() {
        have.extend(new.iter().map(|text| (*text).to_owned()));
        return;
    }
    let known: HashSet<&str> = have.iter().map(String::as_str).collect();
    let fresh: Vec<String> =
        new.iter().filter(|text| !known.contains(*text)).map(|text| (*text).to_owned()).collect();
    have.extend(fresh);
}
