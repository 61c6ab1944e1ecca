//! The explanation of one resource as data.

use std::borrow::Cow;
use std::num::NonZeroU32;

use serde::Serialize;

use crate::graph::{EdgeReason, NodeId, Role};
use crate::json::{DiagnosticRecord, PlaceRecord, ThingRecord};
use crate::sdk::status::StatusLevel;
use converge_engine::{Difference, Outcome, Skipped, Stage};

/// The explanation of one node, made by [`explain`](super::explain).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation<'a> {
    /// The path of the node.
    pub id: NodeId,
    /// The name of the resource type.
    #[serde(rename = "type")]
    pub resource_type: &'static str,
    /// The role of the node in the graph.
    pub role: Role,
    /// The description of a parameter in its module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// The name of the module's source in messages.
    pub module: &'a str,
    /// The place of the declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
    /// The outcome of the node; structure nodes have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The level of the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<StatusLevel>,
    /// The differences with their causes.
    #[serde(rename = "differences")]
    pub causes: Vec<Cause<'a>>,
    /// The messages of the resource.
    pub messages: &'a [String],
    /// The warnings of the resource.
    pub warnings: &'a [String],
    /// The failure of the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureRecord<'a>>,
    /// The reason why the resource was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<&'a Skipped>,
    /// The dependency with pending changes that the check may see, which is why the plan says *may change*.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<&'a NodeId>,
    /// The gates that decide whether the node is handled, the closest first.
    pub gates: Vec<GateRecord<'a>>,
    /// The meta-arguments of the node.
    #[serde(flatten)]
    pub meta: MetaRecord<'a>,
    /// The dependencies of the node.
    pub waits_for: Vec<Wait<'a>>,
    /// The inferred dependencies that were left out.
    ///
    /// The graph already has the opposite order, because the module spells it out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The nodes that depend on this one.
    pub dependents: Vec<Dependent>,
}

/// A node that the explained node would otherwise wait for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The node.
    pub on: NodeId,
    /// The thing that both nodes manage or use.
    pub thing: ThingRecord,
}

/// A difference and its cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cause<'a> {
    /// The difference.
    #[serde(flatten)]
    pub difference: &'a Difference,
    /// Whether the field is written in the module.
    pub written: bool,
    /// The place of the field, or of the resource if the field is not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
    /// The references that make the value unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Wait<'a>>,
}

/// A failure with resolved source places.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FailureRecord<'a> {
    /// The stage that failed.
    pub stage: Stage,
    /// The message, one or more lines.
    pub message: &'a str,
    /// The diagnostics with places in the module, if the module is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<DiagnosticRecord<'a>>,
}

/// A gate that decides whether a node is handled: a case, or the call of a module.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GateRecord<'a> {
    /// The path of the gate.
    pub id: NodeId,
    /// The name for people, with backquotes.
    #[serde(skip)]
    pub called: String,
    /// The place of the gate in the module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
    /// The condition as written; a `default`, and a call with only `depends`, have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate: Option<String>,
    /// The verdict of the gate.
    #[serde(flatten)]
    pub verdict: Verdict<'a>,
}

/// The verdict of a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict<'a> {
    /// The nodes behind the gate are handled.
    Taken,
    /// The nodes behind the gate are not handled.
    NotTaken {
        /// The condition that was false.
        reason: &'a str,
    },
    /// The verdict is known only after an apply.
    Undecided {
        /// The value or resource that the verdict waits for.
        reason: &'a str,
    },
    /// The gate was not evaluated.
    NotAsked,
}

/// The meta-arguments of a node; those that are not written are omitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MetaRecord<'a> {
    /// The lock that the node holds while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Cow<'a, str>>,
    /// The condition of the node itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<WhenRecord<'a>>,
    /// The maximum duration of the work on the node, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<f64>,
    /// The retries after a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryRecord>,
}

/// The condition of a `when`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WhenRecord<'a> {
    /// The condition as written.
    pub predicate: String,
    /// The place of the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
}

/// The settings of a `retry`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RetryRecord {
    /// The maximum number of attempts.
    pub attempts: NonZeroU32,
    /// The delay before the second attempt, in seconds.
    pub delay_seconds: f64,
    /// The factor by which the delay grows after each attempt.
    pub backoff: f64,
}

/// A reason to wait for another node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Wait<'a> {
    /// The other node.
    pub on: NodeId,
    /// The kind of the edge.
    pub reason: EdgeReason,
    /// The thing that both nodes manage or use, if the edge is inferred and not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thing: Option<ThingRecord>,
    /// The place of the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
    /// The outcome of the other node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// A node that depends on the explained node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Dependent {
    /// The path of the node.
    pub id: NodeId,
    /// The kinds of the edges.
    pub reasons: Vec<EdgeReason>,
    /// The outcome of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}
