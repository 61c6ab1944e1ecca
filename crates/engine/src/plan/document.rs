//! The JSON documents of plans and reports, with their kind and version.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value as Json;

use super::basis::Basis;
use super::report::{Plan, Report};
use super::resource::ResourceResult;
use crate::sdk::context::{RunId, RunMode};
use crate::{OutputReport, Summary};
use converge_value::debug_as_text;

/// The version of written documents.
///
/// Documents with the same first number can be read, as far as this version knows their content. Others are
/// refused.
pub const VERSION: &str = "1.2";

pub(super) const PLAN: &str = "converge-plan";
pub(super) const REPORT: &str = "converge-report";

/// The reason why a text cannot be read as a plan or report.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The text is not JSON, or is cut off.
    #[error("the text is not a whole JSON document: {0}")]
    NotJson(String),
    /// The text is JSON, but not a converge document of the expected kind.
    #[error("the text is not a document of the kind `{expected}`{}", .found.as_ref().map(|found| format!(", but `{}`", found.escape_debug())).unwrap_or_default())]
    Foreign {
        /// The expected kind, such as `converge-plan`.
        expected: &'static str,
        /// The kind in the document, if any.
        found: Option<String>,
    },
    /// Another version of converge wrote the document, in a format that this version does not support.
    #[error(
        "the document has version {}, and this converge reads version {VERSION}: read it with the converge that wrote it, or make a new one", .found.escape_debug()
    )]
    OtherVersion {
        /// The version of the document.
        found: String,
    },
    /// The content of the document is invalid.
    #[error("the document is damaged: {0}")]
    Damaged(String),
}

debug_as_text!(DocumentError);

#[derive(Serialize)]
struct Body<'a> {
    document: &'a str,
    version: &'a str,
    run: &'a RunId,
    mode: RunMode,
    summary: Summary,
    resources: &'a [ResourceResult],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    outputs: &'a [OutputReport],
    #[serde(flatten)]
    plan: Option<WrittenPlan<'a>>,
}

/// The fields that only a plan has, for serialization.
#[derive(Serialize)]
struct WrittenPlan<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: &'a BTreeMap<String, String>,
    basis: &'a Basis,
}

/// The fields of a plan, for deserialization.
#[derive(Deserialize)]
struct PlanBody {
    #[serde(default)]
    labels: BTreeMap<String, String>,
    basis: Basis,
}

#[derive(Deserialize)]
struct ReportBody {
    run: RunId,
    mode: RunMode,
    summary: Summary,
    resources: Vec<ResourceResult>,
    #[serde(default)]
    outputs: Vec<OutputReport>,
}

impl From<ReportBody> for Report {
    /// Sorts the resources, whoever wrote the document.
    fn from(ReportBody { run, mode, summary, mut resources, outputs }: ReportBody) -> Self {
        resources.sort_by(|a, b| a.id.cmp(&b.id));
        Self { run, mode, resources, outputs, summary }
    }
}

impl<'a> Body<'a> {
    fn new(document: &'a str, report: &'a Report, plan: Option<WrittenPlan<'a>>) -> Self {
        let Report { run, mode, resources, outputs, summary } = report;
        Self { document, version: VERSION, run, mode: *mode, summary: *summary, resources, outputs, plan }
    }
}

/// Checks the kind and the version of a document, and returns its other fields.
fn open(json: Json, expected: &'static str) -> Result<Json, DocumentError> {
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let (kind, version) = (text("document"), text("version"));
    if kind.as_deref() != Some(expected) {
        return Err(DocumentError::Foreign { expected, found: kind });
    }
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    let version = version.ok_or_else(|| DocumentError::Damaged("it has no `version`".to_owned()))?;
    if major(&version) != major(VERSION) {
        return Err(DocumentError::OtherVersion { found: version });
    }
    Ok(json)
}

fn read<'de, T: Deserialize<'de>>(
    json: impl Deserializer<'de, Error = serde_json::Error>,
) -> Result<T, DocumentError> {
    T::deserialize(json).map_err(|error| DocumentError::Damaged(error.to_string()))
}

fn read_report(json: Json) -> Result<Report, DocumentError> {
    Ok(read::<ReportBody>(open(json, REPORT)?)?.into())
}

fn parse(text: &str) -> Result<Json, DocumentError> {
    serde_json::from_str(text).map_err(|error| DocumentError::NotJson(error.to_string()))
}

impl Report {
    /// Parses a document written by [`Serialize`].
    ///
    /// # Errors
    ///
    /// Fails if the text is not a document of this kind, has an unsupported version, is cut off, or is
    /// damaged.
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        read_report(parse(text)?)
    }
}

impl Plan {
    /// Parses a document written by [`Serialize`].
    ///
    /// # Errors
    ///
    /// Fails if the text is not a document of this kind, has an unsupported version, is cut off, or is
    /// damaged.
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        Self::from_value(parse(text)?)
    }

    fn from_value(json: Json) -> Result<Self, DocumentError> {
        let json = open(json, PLAN)?;
        let PlanBody { labels, basis } = read(&json)?;
        Ok(Self { report: read::<ReportBody>(json)?.into(), labels, basis })
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Body::new(REPORT, self, None).serialize(serializer)
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { report, labels, basis } = self;
        Body::new(PLAN, report, Some(WrittenPlan { labels, basis })).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Report {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_report(Json::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Json::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}
