//! The result of a run for one resource.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::difference_format;
use crate::diagnostic::record::{self, LabelRecord, PlaceRecord};
use crate::diagnostic::{Diagnostic, Severity, SourceMap};
use crate::events::seconds;
use crate::graph::{NodeId, Role};
use crate::sdk::health::Health;
use crate::sdk::status::StatusLevel;
use crate::types::value::Value;
use crate::{Difference, Failure, Outcome, ResourceReport, Skipped, Stage, Waited};

/// The result of a resource, or of a parameter or structural node that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceResult {
    /// The ID of the resource.
    pub id: NodeId,
    /// The resource type, such as `file.content`.
    #[serde(rename = "type")]
    pub resource_type: String,
    /// The role of the node.
    pub role: Role,
    /// The outcome in one word.
    pub outcome: Outcome,
    /// The level of the last status.
    pub level: StatusLevel,
    /// The health, if the check reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
    /// The differences that were found or changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "difference_format")]
    pub differences: Vec<Difference>,
    /// The messages of the resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Whether the messages should be shown even if nothing changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub announces: bool,
    /// The warnings of the resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The failure, if the resource failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureResult>,
    /// Whether the run succeeds even if the resource failed.
    ///
    /// This is the case if it is optional, or was skipped only because of failed optional resources.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The reason why the work was not started.
    ///
    /// In a resource that *may* change, it is the gate or `when` that is still undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
    /// The resource whose changes must be made before the changes of this one are known; only in a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<NodeId>,
    /// The locks that the resource waited for, in order; only in an apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waited: Vec<Waited>,
    /// The paths that the check read, if the run [observed](crate::Run::observe_reads) them; see
    /// [`ResourceReport::reads`]. Not in the JSON form.
    #[serde(skip)]
    pub reads: Option<Box<[PathBuf]>>,
    /// The duration of the work, without the time [waited](Self::waited) for locks.
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
    /// The exports by name, as far as they are known and contain no secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exports: BTreeMap<String, Value>,
}

impl ResourceResult {
    /// Converts a resource report; the positions of its diagnostics are looked up in `sources`.
    pub(super) fn new(report: ResourceReport, resource_type: &str, sources: &SourceMap) -> Self {
        Self {
            id: report.id,
            resource_type: resource_type.to_owned(),
            role: report.role,
            outcome: report.outcome,
            level: report.level,
            health: report.health,
            differences: report.differences,
            messages: report.messages,
            announces: report.announces,
            warnings: report.warnings,
            failure: report.failure.map(|failure| FailureResult::new(failure, sources)),
            optional: report.optional,
            skipped: report.skipped,
            pending: report.pending,
            waited: report.waited,
            reads: report.reads,
            elapsed: report.elapsed,
            exports: BTreeMap::new(),
        }
    }

    /// Converts to the report in an event of the run, which lacks the positions of diagnostics.
    pub fn to_report(&self) -> ResourceReport {
        let failure = self.failure.as_ref().map(|failure| Failure {
            stage: failure.stage,
            message: failure.message.clone(),
            diagnostics: Vec::new(),
        });
        ResourceReport {
            role: self.role,
            level: self.level,
            health: self.health,
            differences: self.differences.clone(),
            messages: self.messages.clone(),
            announces: self.announces,
            warnings: self.warnings.clone(),
            failure,
            optional: self.optional,
            skipped: self.skipped.clone(),
            pending: self.pending.clone(),
            waited: self.waited.clone(),
            reads: self.reads.clone(),
            elapsed: self.elapsed,
            ..ResourceReport::new(self.id.clone(), self.outcome)
        }
    }
}

/// The failure of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailureResult {
    /// The stage that failed.
    pub stage: Stage,
    /// The message, of one or more lines.
    pub message: String,
    /// The diagnostics with positions, if the module is at fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Mistake>,
}

impl FailureResult {
    fn new(failure: Failure, sources: &SourceMap) -> Self {
        let Failure { stage, message, diagnostics } = failure;
        let diagnostics = diagnostics.iter().map(|diagnostic| Mistake::new(diagnostic, sources)).collect();
        Self { stage, message, diagnostics }
    }
}

/// An error or a warning about a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mistake {
    /// The stable code of the diagnostic.
    pub code: String,
    /// The severity.
    pub severity: Severity,
    /// A message of one line that names the subject.
    pub message: String,
    /// The labeled ranges; the first one is the primary one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<MistakeLabel>,
    /// A hint how to fix the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Mistake {
    fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let record = record::diagnostic(diagnostic, sources);
        Self {
            code: record.code.to_owned(),
            severity: record.severity,
            message: record.message.to_owned(),
            labels: record.labels.into_iter().map(MistakeLabel::new).collect(),
            help: record.help.map(str::to_owned),
        }
    }
}

/// A labeled range in a file; lines and columns (in characters) count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MistakeLabel {
    /// The name of the file.
    pub file: String,
    /// The line of the first character.
    pub line: usize,
    /// The column of the first character.
    pub column: usize,
    /// The line of the end, which is after the last character.
    pub end_line: usize,
    /// The column of the end, which is after the last character.
    pub end_column: usize,
    /// A short text, possibly empty.
    pub text: String,
}

impl MistakeLabel {
    fn new(LabelRecord { place, text, .. }: LabelRecord<'_>) -> Self {
        let PlaceRecord { file, line, column, end_line, end_column, .. } = place;
        Self { file: file.to_owned(), line, column, end_line, end_column, text: text.to_owned() }
    }
}
