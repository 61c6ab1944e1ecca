//! Requests with more than an identity.

use crate::identity::{Id, TenancyPattern, Type};
use crate::resource::{Resource, Status, StatusKey, Version};
use crate::storage::Consistency;

use super::selector::MetadataSelector;

/// A selection of resources to list or to watch.
///
/// ```
/// use converge_controller::{Type, TenancyPattern, service::List};
///
/// let artist: Type = "demo.v2.Artist".parse()?;
/// let everywhere = List::new(artist).in_tenancy(TenancyPattern::from_units("*", "*")?).with_prefix("ko");
/// assert_eq!(everywhere.name_prefix, "ko");
///
/// let of_team = everywhere.with_metadata("team in (web, db)".parse()?);
/// assert_eq!(of_team.metadata.to_string(), "team in (db,web)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The type of the resources.
    pub resource_type: Type,
    /// The tenancies of the resources.
    ///
    /// A list requires them; a watch without them covers all.
    pub tenancy: Option<TenancyPattern>,
    /// The prefix of the names.
    pub name_prefix: String,
    /// The selector of the metadata.
    pub metadata: MetadataSelector,
    /// The required consistency of a list.
    ///
    /// A watch ignores it.
    pub consistency: Consistency,
}

impl List {
    /// Selects all resources of a type.
    pub fn new(resource_type: Type) -> Self {
        Self {
            resource_type,
            tenancy: None,
            name_prefix: String::new(),
            metadata: MetadataSelector::default(),
            consistency: Consistency::default(),
        }
    }

    /// Selects only these tenancies.
    ///
    /// A unit that the type uses and the pattern lacks is the default one of the caller.
    pub fn in_tenancy(self, tenancy: impl Into<TenancyPattern>) -> Self {
        Self { tenancy: Some(tenancy.into()), ..self }
    }

    /// Selects only names with this prefix.
    pub fn with_prefix(self, name_prefix: impl Into<String>) -> Self {
        Self { name_prefix: name_prefix.into(), ..self }
    }

    /// Selects only resources whose metadata match.
    ///
    /// A watch reports a resource that no longer matches as deleted.
    pub fn with_metadata(self, metadata: MetadataSelector) -> Self {
        Self { metadata, ..self }
    }

    /// Returns whether a resource that matches by tenancy and name is selected.
    pub(super) fn matches(&self, resource: &Resource) -> bool {
        resource.id.resource_type == self.resource_type && self.metadata.matches(&resource.metadata)
    }

    /// Sets the required consistency.
    pub fn consistency(self, consistency: Consistency) -> Self {
        Self { consistency, ..self }
    }
}

/// A status to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusUpdate {
    /// The resource, with its uid.
    pub id: Id,
    /// The version that the resource must have, if that matters.
    pub version: Option<Version>,
    /// The key of the reporter.
    pub key: StatusKey,
    /// The status.
    pub status: Status,
}
