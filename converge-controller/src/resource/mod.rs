//! A resource: its identity, its data, what is noted about it and what controllers report of it.

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

/// A resource, as it is stored, read, and given to be written.
///
/// What is read has a uid, a version and a generation. Whoever writes may leave them out: without a uid whichever
/// resource has the name is meant, without a version whatever state it is in now. The generation is always made by the
/// service.
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
    /// What finds it.
    pub id: Id,
    /// The resource whose end is its end too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Id>,
    /// Which state of the whole resource this is; every write changes it, of a status too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Which state of its data and metadata this is; the write of a status does not change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// What is noted about it.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// What controllers report of it, each under a key of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub status: BTreeMap<StatusKey, Status>,
    /// What it says, as a message of its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Data>,
}

impl Resource {
    /// A resource of which nothing is known but its identity.
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
