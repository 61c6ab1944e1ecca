//! What there is to say about one resource, as data.

use std::borrow::Cow;
use std::num::NonZeroU32;

use serde::Serialize;

use crate::engine::{Difference, Outcome, Skipped, Stage};
use crate::graph::{EdgeReason, NodeId, Role};
use crate::sdk::status::StatusLevel;
use crate::view::json::{DiagnosticRecord, PlaceRecord, ThingRecord};

/// Everything that is known of one node; made by [`explain`](super::explain).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation<'a> {
    /// Its path.
    pub id: NodeId,
    /// The name of its type.
    #[serde(rename = "type")]
    pub resource_type: &'static str,
    /// What it is for.
    pub role: Role,
    /// What a parameter is for, as the module says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// What messages call the source of the module that it is written in.
    pub module: &'a str,
    /// Where it is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
    /// What came of it. The structure of modules has no outcome of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Its level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<StatusLevel>,
    /// Its differences, with what causes them.
    #[serde(rename = "differences")]
    pub causes: Vec<Cause<'a>>,
    /// What the resource said.
    pub messages: &'a [String],
    /// What it warned of.
    pub warnings: &'a [String],
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureRecord<'a>>,
    /// Why it was not begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<&'a Skipped>,
    /// The dependency whose changes its check could see, once they are made: why a plan says that it may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<&'a NodeId>,
    /// What decides whether it is handled, the closest first.
    pub gates: Vec<GateRecord<'a>>,
    /// Its meta-arguments.
    #[serde(flatten)]
    pub meta: MetaRecord<'a>,
    /// What it waits for.
    pub waits_for: Vec<Wait<'a>>,
    /// What it would wait for because of a thing, if that did not wait for it: what a module spells out comes first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What waits for it.
    pub dependents: Vec<Dependent>,
}

/// A node that the one that is explained would wait for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The node.
    pub on: NodeId,
    /// The thing that both have to do with.
    pub thing: ThingRecord,
}

/// A difference, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cause<'a> {
    /// The difference.
    #[serde(flatten)]
    pub difference: &'a Difference,
    /// Whether the field is written.
    pub written: bool,
    /// Where the field is written; where it is not, the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
    /// Of a value that is not known, the references that make it so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Wait<'a>>,
}

/// A failure with its places resolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FailureRecord<'a> {
    /// What was being done.
    pub stage: Stage,
    /// In one line or more.
    pub message: &'a str,
    /// With places in the module, where it is the module that is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<DiagnosticRecord<'a>>,
}

/// Something that decides whether a node is handled: a case, or the call of a module.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GateRecord<'a> {
    /// Its path.
    pub id: NodeId,
    /// What people call it, with backquotes.
    #[serde(skip)]
    pub called: String,
    /// Where it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
    /// The condition as it is written; a `default` has none, nor has a call with only `depends`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate: Option<String>,
    /// What it decided.
    #[serde(flatten)]
    pub verdict: Verdict<'a>,
}

/// What a gate decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict<'a> {
    /// What is behind it is handled.
    Taken,
    /// It is not.
    NotTaken {
        /// What was not true.
        reason: &'a str,
    },
    /// That is known only after an apply.
    Undecided {
        /// What it waits for.
        reason: &'a str,
    },
    /// It did not come to that.
    NotAsked,
}

/// The meta-arguments of a node; what is not written is left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MetaRecord<'a> {
    /// The lock that it holds while it is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Cow<'a, str>>,
    /// Its own condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<WhenRecord<'a>>,
    /// How long work on it may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<f64>,
    /// What is done when that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryRecord>,
}

/// A `when`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WhenRecord<'a> {
    /// As it is written.
    pub predicate: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
}

/// A `retry`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RetryRecord {
    /// How often it is tried in all.
    pub attempts: NonZeroU32,
    /// The wait before the second attempt.
    pub delay_seconds: f64,
    /// By what the wait grows each time.
    pub backoff: f64,
}

/// One reason to wait for another node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Wait<'a> {
    /// The node that is waited for.
    pub on: NodeId,
    /// Why.
    pub reason: EdgeReason,
    /// The thing that both have to do with, where no name makes the one wait for the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thing: Option<ThingRecord>,
    /// Where the reference is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
    /// What came of that node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// A node that waits for the one that is explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Dependent {
    /// Its path.
    pub id: NodeId,
    /// Why it waits.
    pub reasons: Vec<EdgeReason>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}
