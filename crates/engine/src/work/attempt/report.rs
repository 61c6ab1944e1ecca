//! Reporting of an attempt: its stage, its status messages and its failure.

use std::path::PathBuf;

use super::Attempt;
use super::differences::{add_new, differences};
use crate::diagnostic::{Diagnostic, ReachedLimit};
use crate::evaluate::Provenance;
use crate::events::progress::JobProgress;
use crate::events::report::{Failure, Stage};
use crate::sdk::error::{Error, Result};
use crate::sdk::status::{Status, TaskStatus};
use crate::tables::node_flags::VARIES;
use crate::types::value::FieldError;
use crate::work::system_layers::secret_exposure::exposed_warning;

impl Attempt<'_> {
    pub(super) fn enter(&self, stage: Stage) {
        tracing::debug!(id = %self.node.id, ?stage, "begins");
        self.shared.enter(self.index, stage);
        if self.shared.setup.room.is_some() {
            self.tells.tell(self.index, JobProgress::Stage(stage));
        }
    }

    /// Copies a status into the report, and fails if its level halts the work.
    pub(super) fn settle(&mut self, stage: Stage, mut status: Status) -> Result<Status, Failure> {
        self.report.level = status.level();
        self.report.health = status.health();
        self.report.announces |= status.announces();
        // A stage may repeat messages of the stage before.
        add_new(&mut self.report.messages, &status.messages());
        add_new(&mut self.report.warnings, &status.warnings());
        self.warn_of_exposed();
        if !status.level().halts() {
            return Ok(status);
        }
        if stage == Stage::Check && !self.marks.touched {
            self.report.differences = differences(&status, self.node.resource.schema());
        }
        let error = status.take_error().unwrap_or_else(|| Error::msg(status.level()));
        Err(self.failure(stage, &error))
    }

    /// Returns the paths that the check read, if it finds the same while none of them changes.
    pub(super) fn reads(&self) -> Option<Box<[PathBuf]>> {
        let observed = self.observed.as_ref()?;
        let (graph, flags) = (&self.shared.graph, &self.shared.flags);
        let mut around = std::iter::successors(Some(self.index), |node| graph.gate(*node));
        // A deferred `for_each` may have other instances.
        let varies =
            around.any(|node| flags.has(node, VARIES)) || graph.ends_of_added(self.index).next().is_some();
        let reads = observed.reads().filter(|_| !varies && self.node.resource.checks_only_system())?;
        Some(reads.into_iter().collect())
    }

    /// Warns about secrets that the task put where every user can read them.
    pub(super) fn warn_of_exposed(&mut self) {
        let Some(watched) = &self.watched else { return };
        let warning = |program: String| exposed_warning(&self.shared.graph, self.node, &program);
        let warnings: Vec<String> = watched.exposed().into_iter().map(warning).collect();
        add_new(&mut self.report.warnings, &warnings.iter().map(String::as_str).collect::<Vec<_>>());
    }

    pub(super) fn field_diagnostics(&self, errors: &[FieldError]) -> Vec<Diagnostic> {
        errors.iter().map(|error| Provenance::new(&self.shared.graph, self.node).diagnose(error)).collect()
    }

    pub(super) fn limit_diagnostic(&self, error: &Error, limit: ReachedLimit) -> Diagnostic {
        let diagnostic = Diagnostic::error("limit-reached", error.to_string());
        diagnostic.label(self.node.span, "").reached(limit)
    }

    pub(super) fn failure(&self, stage: Stage, error: &Error) -> Failure {
        if let Some(limit) = self.limit.filter(|_| is_deadline(error)) {
            return limit.failure(stage);
        }
        let diagnostics = match error {
            Error::Fields(errors) => self.field_diagnostics(errors),
            _ => error.limit().map(|limit| self.limit_diagnostic(error, limit)).into_iter().collect(),
        };
        Failure { stage, message: error.to_string(), diagnostics }
    }
}

/// Whether a resource gave up because its time limit expired.
fn is_deadline(error: &Error) -> bool {
    match error {
        Error::DeadlineExceeded { .. } => true,
        Error::Context { source, .. } => is_deadline(source),
        _ => false,
    }
}
