//! A resource with its data.

use std::ops::{Deref, DerefMut};

use crate::identity::Id;
use crate::resource::{Metadata, Resource, Status, StatusKey};

/// A resource whose data are a `T`, which it derefs to.
///
/// ```
/// use converge_controller::{Id, Scope, StoredResource, Typed};
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", scope = namespace)]
/// struct Artist {
///     #[stored(tag = 1)]
///     genre: String,
/// }
///
/// let id = Id::new(Artist::resource_type().clone(), Scope::Namespace.default_tenancy(), "korn".parse()?);
/// let artist = Typed::new(id, Artist { genre: "metal".into() });
/// let resource = artist.into_resource();
///
/// let artist = Typed::<Artist>::decode(resource)?;
/// assert_eq!(artist.genre, "metal");
/// assert_eq!(artist.id().name.as_str(), "korn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Typed<T> {
    /// The resource. Its data are those that were decoded, whatever became of them since.
    pub resource: Resource,
    /// The data.
    pub data: T,
}

impl<T> Typed<T> {
    /// What finds it.
    pub fn id(&self) -> &Id {
        &self.resource.id
    }

    /// The resource whose end is its end too.
    pub fn owner(&self) -> Option<&Id> {
        self.resource.owner.as_ref()
    }

    /// What is noted about it.
    pub fn metadata(&self) -> &Metadata {
        &self.resource.metadata
    }

    /// What is noted about it.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.resource.metadata
    }

    /// What is reported of it under a key.
    pub fn status(&self, key: &StatusKey) -> Option<&Status> {
        self.resource.status.get(key)
    }
}

impl<T> Deref for Typed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

impl<T> DerefMut for Typed<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.data
    }
}
