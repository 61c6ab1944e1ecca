//! Queries for lists and watches of resources.

use converge_controller::authorize::TenancyDefaults;
use converge_controller::service::List;
use converge_controller::{TenancyPattern, Type};

use super::error_response::Refusal;

/// The text parameters of a list or watch request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceQuery<'a> {
    /// The partition; `*` matches any.
    pub(crate) partition: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name_prefix: &'a str,
    /// The selector of metadata.
    pub(crate) selector: &'a str,
}

impl ResourceQuery<'_> {
    /// Parses the query within the tenancy defaults of the caller.
    pub(crate) fn list(self, resource_type: Type, defaults: &TenancyDefaults) -> Result<List, Refusal> {
        let partition = partition(self.partition, self.namespace, defaults);
        let tenancy = TenancyPattern::from_units(&partition, self.namespace).map_err(Refusal::wrong)?;
        Ok(self.list_any(resource_type)?.in_tenancy(tenancy))
    }

    /// Parses the query without its tenancy; the list matches any tenancy.
    pub(crate) fn list_any(self, resource_type: Type) -> Result<List, Refusal> {
        let list = List::new(resource_type).with_prefix(self.name_prefix);
        match self.selector.trim() {
            "" => Ok(list),
            selector => Ok(list.with_metadata(selector.parse().map_err(Refusal::wrong)?)),
        }
    }
}

/// Returns the partition of a query, or the caller's default partition if only a namespace is given.
pub(crate) fn partition(partition: &str, namespace: &str, defaults: &TenancyDefaults) -> String {
    match (partition, namespace) {
        ("", namespace) if !namespace.is_empty() => defaults.partition.to_string(),
        (partition, _) => partition.to_owned(),
    }
}
