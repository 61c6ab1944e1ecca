//! A value that the root module gives at the end of a run.

use serde::{Deserialize, Serialize};

use crate::redact::Redactor;
use crate::types::value::Value;

/// A value that the root module gives, as it is at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputReport {
    /// The name of the output.
    pub name: String,
    /// What the value is, as the module says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The value.
    #[serde(flatten)]
    pub value: OutputValue,
}

/// The value of an output, as far as it can be told. JSON says which of these it is in the field `state`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", content = "value", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutputValue {
    /// It is this.
    Known(Value),
    /// It is a secret, or holds one, and is not told.
    Sensitive,
    /// It is known only after an apply: it, or a part of it, waits for a change.
    Unknown,
    /// There is none, as something that it is made of failed or was not done.
    Missing,
}

impl OutputValue {
    pub(super) fn new(value: &Value, redactor: &Redactor) -> Self {
        if value.contains_secret() {
            return Self::Sensitive;
        }
        if value.find_unknown().is_some() {
            return Self::Unknown;
        }
        // A secret may have come into it in a way that is not followed, such as by a file.
        match serde_json::to_string(value) {
            Ok(text) if !redactor.is_in(&text) => Self::Known(value.clone()),
            _ => Self::Sensitive,
        }
    }

    /// The value, when it is known and may be told.
    pub fn known(&self) -> Option<&Value> {
        match self {
            Self::Known(value) => Some(value),
            Self::Sensitive | Self::Unknown | Self::Missing => None,
        }
    }
}
