//! Statuses that controllers report for a resource.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::debug_as_text;
use converge_derive::StoredEnum;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::identity::{Generation, Reference};

/// The key under which a controller reports: a text of its choice, usually its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct StatusKey(Arc<str>);

/// The error of an empty text given for a [`StatusKey`].
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key of a status cannot be empty: use the name of the controller that reports")]
pub struct InvalidStatusKey;

debug_as_text!(InvalidStatusKey);

impl StatusKey {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for StatusKey {
    type Err = InvalidStatusKey;

    fn from_str(text: &str) -> Result<Self, InvalidStatusKey> {
        if text.is_empty() { Err(InvalidStatusKey) } else { Ok(Self(text.into())) }
    }
}

impl TryFrom<String> for StatusKey {
    type Error = InvalidStatusKey;

    fn try_from(text: String) -> Result<Self, InvalidStatusKey> {
        text.parse()
    }
}

impl From<StatusKey> for String {
    fn from(key: StatusKey) -> String {
        key.as_str().to_owned()
    }
}

impl fmt::Display for StatusKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The status that one controller reports for a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// The generation of the resource that the status is about.
    pub observed_generation: Generation,
    /// The conditions, one for each aspect of the resource.
    ///
    /// Their order matters when two statuses are compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The time of the last write of the status.
    ///
    /// The service sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

impl Status {
    /// Creates a status with these conditions, about a generation.
    pub fn new(observed_generation: Generation, conditions: impl IntoIterator<Item = Condition>) -> Self {
        Self { observed_generation, conditions: conditions.into_iter().collect(), updated_at: None }
    }

    /// Returns whether another status has the same content, ignoring the times of the writes.
    ///
    /// Call it before a write: a write that changes nothing still triggers every watch.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        self.observed_generation == other.observed_generation && self.conditions == other.conditions
    }

    /// Returns the condition with a type.
    pub fn condition(&self, condition_type: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.condition_type == condition_type)
    }
}

/// The state of one aspect of a resource, with the reason.
///
/// ```
/// use converge_controller::{Condition, ConditionState};
///
/// let condition = Condition::new("accepted", ConditionState::False)
///     .reason("unknown_artist")
///     .message("there is no artist \"korn\"");
/// assert_eq!(condition.reason, "unknown_artist");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The type of the condition: a short text for programs.
    ///
    /// `True` should be the good state.
    #[serde(rename = "type")]
    pub condition_type: String,
    /// The state of the condition.
    pub state: ConditionState,
    /// The reason for the state: a short text for programs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The reason for the state: a sentence for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The resource that is the reason, of any scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Reference>,
}

impl Condition {
    /// Creates a condition without a reason.
    pub fn new(condition_type: impl Into<String>, state: ConditionState) -> Self {
        Self {
            condition_type: condition_type.into(),
            state,
            reason: String::new(),
            message: String::new(),
            resource: None,
        }
    }

    /// Sets the reason, for programs.
    pub fn reason(self, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..self }
    }

    /// Sets the message, for people.
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Sets the resource that is the reason.
    pub fn resource(self, resource: impl Into<Reference>) -> Self {
        Self { resource: Some(resource.into()), ..self }
    }
}

/// The state of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, StoredEnum)]
#[serde(rename_all = "lowercase")]
#[stored(package = "converge.resource")]
pub enum ConditionState {
    /// The state is unknown.
    Unknown = 0,
    /// The condition holds.
    True = 1,
    /// The condition does not hold.
    False = 2,
}

impl fmt::Display for ConditionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unknown => "unknown",
            Self::True => "true",
            Self::False => "false",
        })
    }
}

impl From<bool> for ConditionState {
    fn from(is_true: bool) -> Self {
        if is_true { Self::True } else { Self::False }
    }
}
