//! A resource: its identity, data, metadata and statuses.

mod data;
mod message;
mod metadata;
mod status;
mod version;

#[cfg(test)]
mod tests;

pub use data::Data;
#[cfg(any(feature = "etcd", feature = "redb"))]
pub(crate) use message::WireResource;
#[cfg(feature = "redb")]
pub(crate) use message::{Head, WireHead};
pub use metadata::{Finalizer, InvalidFinalizer, Metadata, MetadataError};
pub use status::{Condition, ConditionState, InvalidStatusKey, Status, StatusKey};
pub use version::{InvalidVersion, Version};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::identity::{Generation, Id};

/// A resource, as it is stored, read and written.
///
/// A resource that was read has a uid, a version and a generation. A writer may omit them. Without a uid, the
/// write applies to the resource that has the name. Without a version, it applies to the current state. The
/// service always sets the generation.
///
/// ```
/// use converge_controller::{Id, Resource, Scope};
///
/// let id = Id::new("demo.v2.Artist".parse()?, Scope::Namespace.default_tenancy(), "korn".parse()?);
/// let resource = Resource::new(id);
/// assert!(resource.version.is_none());
/// assert!(!resource.metadata.is_marked_for_deletion());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// The identity of the resource.
    pub id: Id,
    /// The owner: its deletion also deletes this resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Id>,
    /// The version of the whole resource; every write changes it, also that of a status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The generation of the data and metadata; the write of a status does not change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// The metadata.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The statuses that controllers report, each under its own key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub status: BTreeMap<StatusKey, Status>,
    /// The data, as a message of the resource type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Data>,
}

impl Resource {
    /// Creates a resource with only an identity.
    pub fn new(id: Id) -> Self {
        Self {
            id,
            owner: None,
            version: None,
            generation: None,
            metadata: Metadata::default(),
            status: BTreeMap::new(),
            data: None,
        }
    }
}
