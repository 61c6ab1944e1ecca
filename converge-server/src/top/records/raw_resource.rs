//! A resource as a server tells it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::top::status_text::clean;

/// A resource. What is not there is empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::top) struct Raw {
    pub(in crate::top) id: RawId,
    pub(super) owner: Option<RawId>,
    generation: Value,
    metadata: BTreeMap<String, Value>,
    status: BTreeMap<String, RawStatus>,
    pub(super) data: Value,
}

/// What names a resource.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::top) struct RawId {
    #[serde(rename = "type")]
    pub(super) resource_type: RawType,
    tenancy: RawTenancy,
    pub(super) name: String,
}

/// What kind it is of.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawType {
    pub(super) kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawTenancy {
    partition: String,
    namespace: String,
}

/// What one writer says of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawStatus {
    observed_generation: Value,
    conditions: Vec<RawCondition>,
    updated_at: Option<Timestamp>,
}

/// One thing that is so, or not.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawCondition {
    #[serde(rename = "type")]
    of: String,
    pub(super) state: String,
    pub(super) reason: String,
    pub(super) message: String,
}

impl RawId {
    /// What tells it from the others of its type.
    pub(in crate::top) fn key(&self) -> String {
        let RawTenancy { partition, namespace } = &self.tenancy;
        [partition, namespace, &self.name].map(|part| clean(part)).join("/")
    }

    /// The name for people; what is in the usual namespace or partition does not say so.
    pub(super) fn shown(&self) -> String {
        let RawTenancy { partition, namespace } = &self.tenancy;
        let is_usual = |unit: &str| unit.is_empty() || unit == "default";
        let parts: &[&str] = match (is_usual(partition), is_usual(namespace)) {
            (true, true) => &[&self.name],
            (true, false) => &[namespace, &self.name],
            (false, _) => &[partition, namespace, &self.name],
        };
        let parts: Vec<_> = parts.iter().filter(|part| !part.is_empty()).map(|part| clean(part)).collect();
        parts.join("/")
    }
}

impl Raw {
    /// A field that is a text or a number.
    pub(super) fn text(&self, field: &str) -> String {
        text(&self.data[field])
    }

    pub(super) fn is(&self, field: &str) -> bool {
        self.data[field].as_bool().unwrap_or_default()
    }

    pub(super) fn time(&self, field: &str) -> Option<Timestamp> {
        time(&self.data[field])
    }

    /// A field that names another resource.
    pub(super) fn of(&self, field: &str) -> RawId {
        named(&self.data[field])
    }

    /// The labels: what is noted but for those who work here.
    pub(super) fn labels(&self) -> String {
        let noted = self.metadata.iter().filter(|(name, _)| *name != "finalizers");
        let labels = noted.map(|(name, value)| match value.as_str() {
            None | Some("") => clean(name),
            Some(value) => format!("{}={}", clean(name), clean(value)),
        });
        labels.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn condition(&self, writer: &str, of: &str) -> Option<&RawCondition> {
        self.status.get(writer)?.conditions.iter().find(|found| found.of == of)
    }

    /// Whether a condition is there and true.
    pub(super) fn holds(&self, writer: &str, of: &str) -> bool {
        self.condition(writer, of).is_some_and(|found| found.state == "true")
    }

    /// What is said beside a condition.
    pub(super) fn message(&self, writer: &str, of: &str) -> String {
        self.condition(writer, of).map(|found| clean(&found.message)).unwrap_or_default()
    }

    /// Whether a writer has said anything, and if so, whether it is about the resource as it is now.
    pub(super) fn is_current(&self, writer: &str) -> Option<bool> {
        self.status.get(writer).map(|status| status.observed_generation == self.generation)
    }

    /// When a writer said something last.
    pub(super) fn updated(&self, writer: &str) -> Option<Timestamp> {
        self.status.get(writer)?.updated_at
    }
}

/// A text, or a number as one.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => clean(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

pub(super) fn time(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}

/// The name of another resource.
pub(super) fn named(value: &Value) -> RawId {
    RawId::deserialize(value).unwrap_or_default()
}
