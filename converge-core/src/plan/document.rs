//! Plans and reports as documents that say what they are and of which version.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value as Json;

use super::basis::Basis;
use super::report::{Plan, Report};
use super::resource::ResourceResult;
use crate::engine::{OutputReport, Summary};
use crate::sdk::context::{RunId, RunMode};

/// The version of the documents that are written. Of another one with the same first number all that this version knows is
/// read; one with another first number is refused.
pub const VERSION: &str = "1.2";

pub(super) const PLAN: &str = "converge-plan";
pub(super) const REPORT: &str = "converge-report";

/// Why a text is no plan or report that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It is no JSON, or it is cut off.
    #[error("the text is no whole JSON document: {0}")]
    NotJson(String),
    /// It is JSON, but nothing that converge wrote as a document of this kind.
    #[error("the text is no document of the kind `{expected}`{}", .found.as_ref().map(|found| format!(", but `{}`", found.escape_debug())).unwrap_or_default())]
    Foreign {
        /// What was to be read: `converge-plan`.
        expected: &'static str,
        /// What the document says that it is.
        found: Option<String>,
    },
    /// Another version of converge wrote it, in a form that this one does not know.
    #[error(
        "the document has version {}, and this converge reads version {VERSION}: read it with the converge that wrote it, \
         or make it anew", .found.escape_debug()
    )]
    OtherVersion {
        /// The version of the document.
        found: String,
    },
    /// Something in it is not as it was written.
    #[error("the document is damaged: {0}")]
    Damaged(String),
}

/// A document as it is written.
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

/// What only a plan has.
#[derive(Serialize)]
struct WrittenPlan<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: &'a BTreeMap<String, String>,
    basis: &'a Basis,
}

/// What is read of that.
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
    /// Resources are sorted, whoever wrote them.
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

/// The rest of a document, when it is of the kind that is expected and of a version that can be read.
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
    /// Reads a document that was written by [`Serialize`].
    ///
    /// # Errors
    ///
    /// It is something else, of a version that cannot be read, cut off, or damaged.
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        read_report(parse(text)?)
    }
}

impl Plan {
    /// Reads a document that was written by [`Serialize`].
    ///
    /// # Errors
    ///
    /// It is something else, of a version that cannot be read, cut off, or damaged.
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
