//! A resource in the JSON format of a server.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::top::status_text::clean;

/// A resource.
///
/// Missing fields are empty.
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

/// The id of a resource.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::top) struct RawId {
    #[serde(rename = "type")]
    pub(super) resource_type: RawType,
    tenancy: RawTenancy,
    pub(super) name: String,
}

/// The type of a resource.
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

/// The status of one writer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawStatus {
    observed_generation: Value,
    conditions: Vec<RawCondition>,
    updated_at: Option<Timestamp>,
}

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
    /// Returns the key that identifies the resource within its type.
    pub(in crate::top) fn key(&self) -> String {
        let RawTenancy { partition, namespace } = &self.tenancy;
        [partition, namespace, &self.name].map(|part| clean(part)).join("/")
    }

    /// Returns the name for people, without the default partition or namespace.
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
    pub(super) fn text(&self, field: &str) -> String {
        text(&self.data[field])
    }

    pub(super) fn is(&self, field: &str) -> bool {
        self.data[field].as_bool().unwrap_or_default()
    }

    pub(super) fn time(&self, field: &str) -> Option<Timestamp> {
        time(&self.data[field])
    }

    /// Returns a field that refers to another resource.
    pub(super) fn reference(&self, field: &str) -> RawId {
        named(&self.data[field])
    }

    /// Returns the labels: the metadata without internal keys.
    pub(super) fn labels(&self) -> String {
        let noted = self.metadata.iter().filter(|(name, _)| *name != "finalizers");
        let labels = noted.map(|(name, value)| match value.as_str() {
            None | Some("") => clean(name),
            Some(value) => format!("{}={}", clean(name), clean(value)),
        });
        labels.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn condition(&self, writer: &str, name: &str) -> Option<&RawCondition> {
        self.status.get(writer)?.conditions.iter().find(|condition| condition.of == name)
    }

    /// Whether a condition exists and is true.
    pub(super) fn holds(&self, writer: &str, name: &str) -> bool {
        self.condition(writer, name).is_some_and(|condition| condition.state == "true")
    }

    /// Returns the message of a condition.
    pub(super) fn message(&self, writer: &str, name: &str) -> String {
        self.condition(writer, name).map(|condition| clean(&condition.message)).unwrap_or_default()
    }

    /// Returns whether a writer's status is about the current generation, or `None` without a status.
    pub(super) fn is_current(&self, writer: &str) -> Option<bool> {
        self.status.get(writer).map(|status| status.observed_generation == self.generation)
    }

    /// Returns the time of a writer's last status.
    pub(super) fn updated(&self, writer: &str) -> Option<Timestamp> {
        self.status.get(writer)?.updated_at
    }
}

/// Converts a text or a number to text.
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

/// Parses a reference to another resource.
pub(super) fn named(value: &Value) -> RawId {
    RawId::deserialize(value).unwrap_or_default()
}
