//! The work on one node: render, prepare, check, apply, check again.

use std::collections::HashSet;
use std::sync::Arc;

use super::event::{Difference, Failure, Outcome, ResourceReport, Stage};
use super::render::render;
use super::scope::NodeScope;
use super::shared::Shared;
use crate::context::Mode;
use crate::error::{Error, Result};
use crate::export::Exports;
use crate::graph::{Blame, Graph, Node, NodeIndex};
use crate::registry::AnyTask;
use crate::report::Diagnostic;
use crate::schema::{ExportField, Shape};
use crate::status::{Status, StatusLevel, TaskStatus};
use crate::value::{FieldError, Unknown, Value};

/// What the work on one node leaves behind.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) report: ResourceReport,
    /// What others may look up; `None` when nobody can.
    pub(super) exports: Option<Box<Exports>>,
}

/// Works on one node.
pub(super) async fn run(shared: &Arc<Shared>, index: NodeIndex) -> Done {
    let node = shared.graph.node(index);
    let report = ResourceReport::new(node.id.clone(), Outcome::Unchanged);
    let mut job = Job { graph: &shared.graph, node, report };
    let exports = match job.work(shared, index).await {
        Ok(exports) => exports.filter(|_| !shared.graph.dependents(index).is_empty()),
        Err(failure) => {
            job.report.outcome = Outcome::Failed;
            job.report.failure = Some(failure);
            None
        }
    };
    tracing::info!(id = %node.id, outcome = ?job.report.outcome, level = %job.report.level, "handled");
    Done { report: job.report, exports: exports.map(Box::new) }
}

struct Job<'a> {
    graph: &'a Graph,
    node: &'a Node,
    report: ResourceReport,
}

impl Job<'_> {
    async fn work(&mut self, shared: &Arc<Shared>, index: NodeIndex) -> Result<Option<Exports>, Failure> {
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
        let cx = shared.context(index);
        self.enter(shared, index, Stage::Prepare);
        let mut task = match resource.prepare_any(&cx, &scope).await {
            Ok(task) => task,
            Err(error) => return Err(self.failed(Stage::Prepare, &error)),
        };
        self.enter(shared, index, Stage::Check);
        let checked = task.check_any(&cx, &scope).await;
        let mut checked = self.settle(Stage::Check, checked.unwrap_or_else(failed_status))?;
        self.report.differences = differences(&checked);
        if !needs_apply(&checked) {
            return Ok(self.exports(&*task, index));
        }
        if shared.mode() == Mode::Plan {
            self.report.outcome = match checked.level() {
                StatusLevel::MayChange => Outcome::MayChange,
                _ => Outcome::WillChange,
            };
            return Ok(self.exports(&*task, index).map(|exports| self.planned(exports)));
        }
        self.enter(shared, index, Stage::Apply);
        let applied = task.apply_any(&cx).await.unwrap_or_else(|error| {
            checked.set_error(error);
            std::mem::take(&mut checked)
        });
        self.settle(Stage::Apply, applied)?;
        self.enter(shared, index, Stage::CheckAfterApply);
        let mut again = task.check_any(&cx, &scope).await.unwrap_or_else(failed_status);
        if !again.level().halts() && needs_apply(&again) {
            let left: String = again.diffs().iter().filter(|(_, diff)| diff.changes()).fold(
                String::new(),
                |text, (name, diff)| {
                    format!("{text}\n  {name}: {} -> {}", or_empty(diff.original()), or_empty(diff.current()))
                },
            );
            again.set_error(format!("still has changes after apply{left}"));
        }
        self.settle(Stage::CheckAfterApply, again)?;
        self.report.outcome = Outcome::Changed;
        Ok(self.exports(&*task, index))
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
        if stage == Stage::Check {
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
        let mut exports = Exports::new();
        for field in &self.node.resource.schema().exports {
            exports.insert(field.name, self.not_known(field.name));
        }
        Ok(exports)
    }

    fn exports(&self, task: &dyn AnyTask, index: NodeIndex) -> Option<Exports> {
        // Only a node that depends on this one may look something up in it.
        (!self.graph.dependents(index).is_empty()).then(|| task.exports_any())
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
        let diagnostics = match error {
            Error::Fields(errors) => self.field_diagnostics(errors),
            _ => Vec::new(),
        };
        Failure { stage, message: error.to_string(), diagnostics }
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
