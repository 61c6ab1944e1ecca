//! Paths and queries of resources on a server.

use super::encode::percent_encode;
use super::type_catalog::KnownType;

/// The type, name and tenancy of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) resource_type: KnownType,
    pub(crate) name: String,
    pub(crate) partition: String,
    pub(crate) namespace: String,
}

/// The query string of a URL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(String);

impl Query {
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.0.push(if self.0.is_empty() { '?' } else { '&' });
        self.0.push_str(name);
        self.0.push('=');
        self.0.push_str(&percent_encode(value));
        self
    }

    /// Adds a parameter unless it is empty.
    pub(crate) fn with_non_empty(self, name: &str, value: &str) -> Self {
        if value.is_empty() { self } else { self.with(name, value) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Named {
    pub(crate) fn query(&self) -> Query {
        Query::default()
            .with_non_empty("partition", &self.partition)
            .with_non_empty("namespace", &self.namespace)
    }

    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.resource_type.path(), percent_encode(&self.name))
    }
}
