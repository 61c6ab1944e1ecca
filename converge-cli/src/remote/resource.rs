//! A resource as returned by a server.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// A resource returned by a server: its parsed fields, and the whole JSON.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    seen: Seen,
    pub(crate) json: Json,
}

#[derive(Clone, Debug, Deserialize)]
struct Seen {
    id: Id,
    #[serde(default)]
    version: String,
    #[serde(default)]
    generation: String,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
    #[serde(default)]
    status: BTreeMap<String, Status>,
}

#[derive(Clone, Debug, Deserialize)]
struct Id {
    #[serde(default)]
    tenancy: Tenancy,
    name: String,
    #[serde(default)]
    uid: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Tenancy {
    #[serde(default)]
    partition: String,
    #[serde(default)]
    namespace: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Status {
    #[serde(default)]
    observed_generation: String,
    #[serde(default)]
    conditions: Vec<Condition>,
}

/// A condition that a controller reports for a resource.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Condition {
    #[serde(rename = "type")]
    pub(crate) name: String,
    pub(crate) state: String,
    #[serde(default)]
    pub(crate) reason: String,
    #[serde(default)]
    pub(crate) message: String,
}

impl Found {
    /// Parses a resource.
    ///
    /// # Errors
    ///
    /// Fails if the JSON is not a resource.
    pub(crate) fn new(json: Json) -> Result<Self, serde_json::Error> {
        Ok(Self { seen: Seen::deserialize(&json)?, json })
    }

    pub(crate) fn name(&self) -> &str {
        &self.seen.id.name
    }

    pub(crate) fn partition(&self) -> &str {
        &self.seen.id.tenancy.partition
    }

    pub(crate) fn namespace(&self) -> &str {
        &self.seen.id.tenancy.namespace
    }

    pub(crate) fn uid(&self) -> &str {
        &self.seen.id.uid
    }

    pub(crate) fn version(&self) -> &str {
        &self.seen.version
    }

    pub(crate) fn is_marked_for_deletion(&self) -> bool {
        self.seen.metadata.contains_key("deletionTimestamp")
    }

    /// Lists the conditions: the status key, whether it is about the current generation, and the condition.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = (&str, bool, &Condition)> {
        self.seen.status.iter().flat_map(|(key, status)| {
            let current = status.observed_generation == self.seen.generation;
            status.conditions.iter().map(move |condition| (key.as_str(), current, condition))
        })
    }

    /// Returns what users write of the resource, without fields that the service and controllers add.
    pub(crate) fn desired_state(&self) -> Json {
        let field = |name: &str| Some((name.to_owned(), self.json.get(name)?.clone()));
        Json::Object(["owner", "metadata", "data"].into_iter().filter_map(field).collect::<Map<_, _>>())
    }
}
