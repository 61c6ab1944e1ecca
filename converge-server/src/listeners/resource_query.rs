//! Which resources are meant.

use converge_controller::authorize::TenancyDefaults;
use converge_controller::service::List;
use converge_controller::{TenancyPattern, Type};

use super::error_response::Refusal;

/// What is said of resources that are to be listed or watched, as text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Which<'a> {
    /// Whose they are; `*` is any.
    pub(crate) partition: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name_prefix: &'a str,
    /// What is noted about them.
    pub(crate) selector: &'a str,
}

impl Which<'_> {
    /// The list that is meant.
    pub(crate) fn list(self, resource_type: Type, defaults: &TenancyDefaults) -> Result<List, Refusal> {
        let partition = partition(self.partition, self.namespace, defaults);
        let tenancy = TenancyPattern::from_units(&partition, self.namespace).map_err(Refusal::wrong)?;
        Ok(self.of_any(resource_type)?.in_tenancy(tenancy))
    }

    /// The same of any tenancy.
    pub(crate) fn of_any(self, resource_type: Type) -> Result<List, Refusal> {
        let list = List::new(resource_type).with_prefix(self.name_prefix);
        match self.selector.trim() {
            "" => Ok(list),
            selector => Ok(list.with_metadata(selector.parse().map_err(Refusal::wrong)?)),
        }
    }
}

/// A namespace without a partition is one of the caller's.
pub(crate) fn partition(partition: &str, namespace: &str, defaults: &TenancyDefaults) -> String {
    match (partition, namespace) {
        ("", namespace) if !namespace.is_empty() => defaults.partition.to_string(),
        (partition, _) => partition.to_owned(),
    }
}
