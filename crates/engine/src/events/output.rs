//! The value of an output of the root module.

use serde::{Deserialize, Serialize};

use crate::redact::Redactor;
use crate::types::value::Value;

/// The value of an output of the root module at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputReport {
    /// The name of the output.
    pub name: String,
    /// The description from the module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The value.
    #[serde(flatten)]
    pub value: OutputValue,
}

impl OutputReport {
    /// Creates the report of an output without a description.
    pub fn new(name: impl Into<String>, value: OutputValue) -> Self {
        Self { name: name.into(), description: None, value }
    }
}

/// The value of an output, as far as it can be shown. In JSON, the field `state` names the variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", content = "value", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutputValue {
    /// The value is known.
    Known(Value),
    /// The value is a secret or contains one, and is not shown.
    Sensitive,
    /// The value, or a part of it, is known only after an apply.
    Unknown,
    /// There is no value, because something it depends on failed or was not done.
    Missing,
}

impl OutputValue {
    pub(crate) fn new(value: &Value, redactor: &Redactor) -> Self {
        if value.contains_secret() {
            return Self::Sensitive;
        }
        if value.find_unknown().is_some() {
            return Self::Unknown;
        }
        // A secret may have entered the value in an untracked way, such as through a file.
        match serde_json::to_string(value) {
            Ok(text) if !redactor.is_in(&text) => Self::Known(value.clone()),
            _ => Self::Sensitive,
        }
    }

    /// Returns the value if it is known and may be shown.
    pub fn known(&self) -> Option<&Value> {
        match self {
            Self::Known(value) => Some(value),
            Self::Sensitive | Self::Unknown | Self::Missing => None,
        }
    }
}
