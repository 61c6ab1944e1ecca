//! One attempt of the work on a node: render, prepare, check, apply or refresh, check again.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::event::{Difference, Failure, Outcome, ResourceReport, Stage};
use super::refresh::{Certain, Due, Refreshes};
use super::render::render;
use super::scope::NodeScope;
use super::shared::Shared;
use crate::context::{Mode, Refreshing};
use crate::error::{Error, Result};
use crate::export::Exports;
use crate::graph::{Blame, Graph, Node, NodeIndex};
use crate::registry::AnyTask;
use crate::report::Diagnostic;
use crate::schema::{ExportField, Shape};
use crate::status::{Status, StatusLevel, TaskStatus};
use crate::value::{FieldError, Unknown, Value};

/// The work on a node until it is done, fails, or is stopped.
pub(super) struct Attempt<'a> {
    graph: &'a Graph,
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

/// How long an attempt may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    timeout: Duration,
    deadline: Instant,
}

impl Limit {
    /// From now on. `None` when the end is so far away that no clock can tell it.
    pub(super) fn new(timeout: Duration) -> Option<Self> {
        Instant::now().checked_add(timeout).map(|deadline| Self { timeout, deadline })
    }

    fn message(self) -> String {
        format!("took longer than its timeout of {:?}", self.timeout)
    }
}

/// Works on a node once, and stops when its time is over. What it ran is then dropped, as by a cancellation.
pub(super) async fn attempt(
    shared: &Arc<Shared>,
    index: NodeIndex,
    report: &mut ResourceReport,
    begun: &mut Begun,
    limit: Option<Limit>,
) -> Result<Option<Exports>, Failure> {
    let node = shared.graph.node(index);
    let mut attempt = Attempt { graph: &shared.graph, node, report, begun, limit };
    let Some(limit) = limit else { return attempt.work(shared, index).await };
    let worked = tokio::time::timeout_at(limit.deadline, attempt.work(shared, index)).await;
    worked.unwrap_or_else(|_| {
        attempt.report.level = StatusLevel::Fatal;
        Err(Failure { stage: shared.stage(index), message: limit.message(), diagnostics: Vec::new() })
    })
}

impl Attempt<'_> {
    async fn work(&mut self, shared: &Arc<Shared>, index: NodeIndex) -> Result<Option<Exports>, Failure> {
        shared.enter(index, Stage::Render);
        let scope = NodeScope::new(shared, index);
        let rendered = render(self.graph, self.node, &scope)
            .map_err(|diagnostics| self.refused(Stage::Render, diagnostics))?;
        if !rendered.unknown.is_empty() {
            return self.unknown(shared.mode(), &rendered.unknown).map(Some);
        }
        let resource = self
            .node
            .resource
            .from_values(rendered.values)
            .map_err(|errors| self.refused(Stage::Render, self.field_diagnostics(&errors)))?;
        let mut cx = shared.context(index);
        if let Some(limit) = self.limit {
            cx = Cow::Owned(cx.into_owned().with_deadline(limit.deadline));
        }
        let refreshes = refreshes(shared, index);
        if refreshes.is_some() {
            cx = Cow::Owned(cx.into_owned().with_refreshing(Refreshing::NotNow));
        }
        self.enter(shared, index, Stage::Prepare);
        let mut task = match resource.prepare_any(&cx, &scope).await {
            Ok(task) => task,
            Err(error) => return Err(self.failed(Stage::Prepare, &error)),
        };
        self.enter(shared, index, Stage::Check);
        let checked = task.check_any(&cx, &scope).await;
        let mut checked = self.settle(Stage::Check, checked.unwrap_or_else(failed_status))?;
        let due = match refreshes {
            Some(refreshes) => self.due(refreshes, shared, index).await?,
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
            return Ok(exports(shared, &*task, index));
        }
        if shared.mode() == Mode::Plan {
            let level = plan_level(checked.level(), change, due.as_ref());
            self.report.level = self.report.level.max(level);
            self.report.outcome = match level {
                StatusLevel::MayChange => Outcome::MayChange,
                _ => Outcome::WillChange,
            };
            return Ok(exports(shared, &*task, index).map(|exports| self.planned(exports)));
        }
        if let Some(refreshes) = &shared.refreshes {
            let announced = refreshes.announce(self.graph, index).await;
            announced.map_err(|error| self.failed(Stage::Apply, &Error::other(error)))?;
        }
        *self.begun = Begun::Change;
        if due.is_some() {
            cx = Cow::Owned(cx.into_owned().with_refreshing(Refreshing::Now));
        }
        // An apply brings about all that is declared, from what is there by now: no refresh is left to make.
        let stage = if change { Stage::Apply } else { Stage::Refresh };
        self.enter(shared, index, stage);
        let applied = match stage {
            Stage::Refresh => task.refresh_any(&cx).await.unwrap_or_else(|| Err(self.no_refresh())),
            _ => task.apply_any(&cx).await,
        };
        let applied = applied.unwrap_or_else(|error| {
            checked.set_error(error);
            std::mem::take(&mut checked)
        });
        self.settle(stage, applied)?;
        self.enter(shared, index, Stage::CheckAfterApply);
        let mut again = task.check_any(&cx, &scope).await.unwrap_or_else(failed_status);
        if !again.level().halts() && needs_apply(&again) {
            again.set_error(still_differs(&again, stage));
        }
        self.settle(Stage::CheckAfterApply, again)?;
        self.report.outcome = Outcome::Changed;
        if let Some(refreshes) = refreshes
            && let Err(error) = refreshes.made(self.graph, index).await
        {
            self.report.warnings.push(format!("it will be refreshed once more by the next apply: {error}"));
        }
        Ok(exports(shared, &*task, index))
    }

    /// Why the node is to be refreshed.
    async fn due(
        &mut self,
        refreshes: &Refreshes,
        shared: &Shared,
        index: NodeIndex,
    ) -> Result<Option<Due>, Failure> {
        let due = refreshes.due(shared, index).await;
        due.map_err(|error| self.failed(Stage::Check, &Error::other(error)))
    }

    fn no_refresh(&self) -> Error {
        Error::msg(format!("{} cannot be refreshed: remove `on_change_of`", self.node.resource.name()))
    }

    fn enter(&self, shared: &Shared, index: NodeIndex, stage: Stage) {
        tracing::debug!(id = %self.node.id, ?stage, "begins");
        shared.enter(index, stage);
    }

    /// Takes what a status says into the report, and ends the work when its level halts.
    fn settle(&mut self, stage: Stage, mut status: Status) -> Result<Status, Failure> {
        self.report.level = status.level();
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
    fn unknown(&mut self, mode: Mode, fields: &[(&'static str, Unknown)]) -> Result<Exports, Failure> {
        if mode == Mode::Apply {
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

    /// The exports of a node with changes that a plan does not make.
    fn planned(&self, exports: Exports) -> Exports {
        let Value::Map(values) = exports.into_value() else { return Exports::new() };
        let mut planned = Exports::new();
        for (name, value) in values {
            let fields = &self.node.resource.schema().exports;
            let value = match fields.iter().find(|field| field.name == name) {
                Some(field) => self.mask(field, &name, value),
                None => value,
            };
            planned.insert(name, value);
        }
        planned
    }

    /// Makes what is only known after apply unknown, however deep it is.
    fn mask(&self, field: &ExportField, path: &str, value: Value) -> Value {
        if field.computed {
            return self.not_known(path);
        }
        let (Shape::Struct(inner), Value::Map(values)) = (&field.shape, &value) else { return value };
        let mut values = values.clone();
        for field in inner {
            if let Some(value) = values.get_mut(field.name) {
                *value = self.mask(field, &format!("{path}.{}", field.name), std::mem::take(value));
            }
        }
        Value::Map(values)
    }

    fn not_known(&self, path: &str) -> Value {
        Value::unknown(format!("{}.{path}", self.node.id.name()))
    }

    fn field_diagnostics(&self, errors: &[FieldError]) -> Vec<Diagnostic> {
        errors.iter().map(|error| Blame::new(self.graph, self.node).diagnose(error)).collect()
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

/// What a resource that is not worked on in a plan exports: nothing that is known.
pub(super) fn unknown_exports(node: &Node) -> Exports {
    let mut exports = Exports::new();
    for field in &node.resource.schema().exports {
        exports.insert(field.name, Value::unknown(format!("{}.{}", node.id.name(), field.name)));
    }
    exports
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
