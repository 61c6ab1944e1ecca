//! What the service is asked for, where it takes more than an identity.

use crate::identity::{Id, TenancyPattern, Type};
use crate::resource::{Resource, Status, StatusKey, Version};
use crate::storage::Consistency;

use super::selector::MetadataSelector;

/// Which resources to list or to watch.
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
    /// Their type.
    pub resource_type: Type,
    /// Their tenancies. A list has to say; a watch without means any.
    pub tenancy: Option<TenancyPattern>,
    /// What their names begin with.
    pub name_prefix: String,
    /// What is noted about them.
    pub metadata: MetadataSelector,
    /// How new a list has to be. A watch does not ask.
    pub consistency: Consistency,
}

impl List {
    /// All of a type.
    pub fn new(resource_type: Type) -> Self {
        Self {
            resource_type,
            tenancy: None,
            name_prefix: String::new(),
            metadata: MetadataSelector::default(),
            consistency: Consistency::default(),
        }
    }

    /// Only those of these tenancies. A unit that the type uses and the pattern lacks is the one that the caller means
    /// where it names none.
    pub fn in_tenancy(self, tenancy: impl Into<TenancyPattern>) -> Self {
        Self { tenancy: Some(tenancy.into()), ..self }
    }

    /// Only those whose names begin with a text.
    pub fn with_prefix(self, name_prefix: impl Into<String>) -> Self {
        Self { name_prefix: name_prefix.into(), ..self }
    }

    /// Only those whose metadata a selector means. For a watch, one that is no longer meant is gone.
    pub fn with_metadata(self, metadata: MetadataSelector) -> Self {
        Self { metadata, ..self }
    }

    /// Whether a resource that was found by tenancy and name is meant too.
    pub(super) fn means(&self, found: &Resource) -> bool {
        found.id.resource_type == self.resource_type && self.metadata.matches(&found.metadata)
    }

    /// As new as this.
    pub fn consistency(self, consistency: Consistency) -> Self {
        Self { consistency, ..self }
    }
}

/// A status to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusUpdate {
    /// The resource, with its uid.
    pub id: Id,
    /// The state that the resource has to be in, if that matters.
    pub version: Option<Version>,
    /// The key of the one who reports.
    pub key: StatusKey,
    /// What it reports.
    pub status: Status,
}
