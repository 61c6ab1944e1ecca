//! What the service is asked for, where it takes more than an identity.

use crate::identity::{Id, TenancyPattern, Type};
use crate::resource::{Status, StatusKey, Version};
use crate::storage::Consistency;

/// Which resources to list or to watch.
///
/// ```
/// use converge_controller::{Type, TenancyPattern, service::List};
///
/// let artist: Type = "demo.v2.Artist".parse()?;
/// let everywhere = List::new(artist).in_tenancy(TenancyPattern::from_units("*", "*")?).with_prefix("ko");
/// assert_eq!(everywhere.name_prefix, "ko");
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
    /// How new a list has to be. A watch does not ask.
    pub consistency: Consistency,
}

impl List {
    /// All of a type.
    pub fn new(resource_type: Type) -> Self {
        Self { resource_type, tenancy: None, name_prefix: String::new(), consistency: Consistency::default() }
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
