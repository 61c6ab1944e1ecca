//! A resource with decoded data.

use std::ops::{Deref, DerefMut};

use crate::identity::Id;
use crate::resource::{Metadata, Resource, Status, StatusKey};

/// A resource whose data are a `T`, to which it dereferences.
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
    /// The resource. Its encoded data do not reflect later changes of `data`.
    pub resource: Resource,
    /// The data.
    pub data: T,
}

impl<T> Typed<T> {
    /// Returns the identity.
    pub fn id(&self) -> &Id {
        &self.resource.id
    }

    /// Returns the owner, with which the resource is deleted.
    pub fn owner(&self) -> Option<&Id> {
        self.resource.owner.as_ref()
    }

    /// Returns the metadata.
    pub fn metadata(&self) -> &Metadata {
        &self.resource.metadata
    }

    /// Returns the metadata for changes.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.resource.metadata
    }

    /// Returns the status with a key.
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
