//! What a run said of one resource.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::difference_format;
use crate::diagnostic::{Diagnostic, Severity, SourceMap};
use crate::engine::{Difference, Failure, Outcome, ResourceReport, Skipped, Stage, Waited, seconds};
use crate::graph::{NodeId, Role};
use crate::sdk::health::Health;
use crate::sdk::status::StatusLevel;
use crate::types::value::Value;
use crate::view::json::{self, LabelRecord, PlaceRecord};

/// What a run said of one resource, or of a parameter or a part of the structure that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceResult {
    /// The resource.
    pub id: NodeId,
    /// Its type: `file.content`.
    #[serde(rename = "type")]
    pub resource_type: String,
    /// What it is for.
    pub role: Role,
    /// In one word.
    pub outcome: Outcome,
    /// The level of the last status.
    pub level: StatusLevel,
    /// How healthy it is, where its check said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
    /// What differs, or was changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "difference_format")]
    pub differences: Vec<Difference>,
    /// Messages of the resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Whether people are to read the messages also when nothing is changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub announces: bool,
    /// Warnings of the resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureResult>,
    /// Whether a run in which it fails is a success all the same: it is optional, or was skipped only for what failed and is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Why it was not begun. What may change and has this waits for a gate, or for its own `when`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
    /// Of a plan: the resource whose changes have to be made before it is known whether this one changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<NodeId>,
    /// Of an apply: the locks that it had to wait for, in the order of its waits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waited: Vec<Waited>,
    /// How long the work took, without what it [waited](Self::waited) for.
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
    /// What it exports, by name, as far as that is known and holds no secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exports: BTreeMap<String, Value>,
}

impl ResourceResult {
    /// The result that a report tells of. The places of its mistakes are looked up in `sources`.
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
            elapsed: report.elapsed,
            exports: BTreeMap::new(),
        }
    }

    /// The report that an event of the run would have. The places of mistakes are not in it.
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
            elapsed: self.elapsed,
            ..ResourceReport::new(self.id.clone(), self.outcome)
        }
    }
}

/// Why a resource failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailureResult {
    /// What was being done.
    pub stage: Stage,
    /// In one line or more.
    pub message: String,
    /// With places in the module, where it is the module that is wrong.
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

/// Something that is wrong in a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mistake {
    /// Stable name of the kind of mistake.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// One line that names the thing.
    pub message: String,
    /// Places; the first is the primary one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<MistakeLabel>,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Mistake {
    fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let record = json::diagnostic(diagnostic, sources);
        Self {
            code: record.code.to_owned(),
            severity: record.severity,
            message: record.message.to_owned(),
            labels: record.labels.into_iter().map(MistakeLabel::new).collect(),
            help: record.help.map(str::to_owned),
        }
    }
}

/// A place in a file, in lines and columns (characters) from 1, with what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MistakeLabel {
    /// Name of the file.
    pub file: String,
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line of the place after the last character.
    pub end_line: usize,
    /// Column of the place after the last character.
    pub end_column: usize,
    /// A few words; may be empty.
    pub text: String,
}

impl MistakeLabel {
    fn new(LabelRecord { place, text }: LabelRecord<'_>) -> Self {
        let PlaceRecord { file, line, column, end_line, end_column } = place;
        Self { file: file.to_owned(), line, column, end_line, end_column, text: text.to_owned() }
    }
}
