//! Indexes of cached resources.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::fmt;

use crate::identity::{Id, Reference};
use crate::registry::{StoredResource, Typed};
use crate::resource::Resource;

use super::key::{Key, ToKey};

/// An index by which cached resources of type `T` can be found, with keys of type `A`.
///
/// An index is a constant. A controller declares it and readers of its cache pass it, so the compiler checks
/// the type of the keys.
///
/// ```
/// use converge_controller::runtime::Index;
/// use converge_controller::{Ref, Reference, StoredResource};
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", kind = "Artist", scope = namespace)]
/// struct Artist {}
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", kind = "Album", scope = namespace)]
/// struct Album {
///     #[stored(tag = 1)]
///     artist: Option<Ref<Artist>>,
///     #[stored(tag = 2)]
///     genres: Vec<String>,
/// }
///
/// const BY_ARTIST: Index<Album, Reference> =
///     Index::one("artist", |album| album.artist.as_ref().map(Reference::from));
/// const BY_GENRE: Index<Album, String> = Index::many("genre", |album| album.genres.clone());
/// # let _ = (BY_ARTIST, BY_GENRE);
/// ```
pub struct Index<T: StoredResource, A> {
    name: &'static str,
    required: bool,
    keys: Keys<T, A>,
}

enum Keys<T: StoredResource, A> {
    One(fn(&Typed<T>) -> Option<A>),
    Many(fn(&Typed<T>) -> Vec<A>),
    RawOne(fn(&Resource) -> Option<A>),
    RawMany(fn(&Resource) -> Vec<A>),
    /// The identity, by which the resources are always sorted.
    Id,
}

impl<T: StoredResource, A> Index<T, A> {
    /// Creates an index in which a resource has at most one key.
    pub const fn one(name: &'static str, key: fn(&Typed<T>) -> Option<A>) -> Self {
        Self { name, required: false, keys: Keys::One(key) }
    }

    /// Creates an index in which a resource has any number of keys.
    pub const fn many(name: &'static str, keys: fn(&Typed<T>) -> Vec<A>) -> Self {
        Self { name, required: false, keys: Keys::Many(keys) }
    }

    /// Like [`one`](Self::one), with a key function that does not need the decoded data.
    pub const fn raw_one(name: &'static str, key: fn(&Resource) -> Option<A>) -> Self {
        Self { name, required: false, keys: Keys::RawOne(key) }
    }

    /// Like [`many`](Self::many), with a key function that does not need the decoded data.
    pub const fn raw_many(name: &'static str, keys: fn(&Resource) -> Vec<A>) -> Self {
        Self { name, required: false, keys: Keys::RawMany(keys) }
    }

    /// Requires a key of every resource: one without a key is reported as an error of its author.
    pub const fn required(self) -> Self {
        // A destructor cannot run in a constant, so the value is destructured.
        let Self { name, keys, .. } = self;
        Self { name, required: true, keys }
    }

    /// Returns the name of the index.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn is_id(&self) -> bool {
        matches!(self.keys, Keys::Id)
    }
}

/// The name of the index by identity, which every type has.
pub(super) const ID: &str = "id";

/// Returns the index by identity, which every type has.
///
/// A prefix can end at any unit of the tenancy.
pub const fn by_id<T: StoredResource>() -> Index<T, Id> {
    Index { name: ID, required: true, keys: Keys::Id }
}

/// Returns an index by owner, which finds the children of a resource.
pub const fn by_owner<T: StoredResource>() -> Index<T, Id> {
    Index::raw_one("owner", |resource| resource.owner.clone())
}

/// Returns an index by the references that a resource was made from; see [`BoundReferences`].
pub const fn by_bound_references<T: BoundReferences>() -> Index<T, Reference> {
    Index::many("bound_references", |resource| resource.bound_references().to_vec())
}

/// Data that list the resources they were made from.
///
/// Suppose a controller makes one resource from several others, and a reference between these changes. The
/// watch reports only the new reference, not the old one. The controller therefore stores the resources it
/// used in its result, and an [index of these](by_bound_references) finds the affected results.
pub trait BoundReferences: StoredResource {
    /// Returns the resources that the data were made from.
    fn bound_references(&self) -> &[Reference];
}

impl<T: StoredResource, A> Clone for Index<T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: StoredResource, A> Copy for Index<T, A> {}

impl<T: StoredResource, A> Clone for Keys<T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: StoredResource, A> Copy for Keys<T, A> {}

impl<T: StoredResource, A> fmt::Debug for Index<T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index({} by {:?})", T::resource_type(), self.name)
    }
}

/// An index of a `T` with any type of keys.
pub(super) trait AnyIndex<T: StoredResource>: Send + Sync {
    fn name(&self) -> &'static str;

    fn required(&self) -> bool;

    /// Returns the type of the keys.
    fn sorted_by(&self) -> TypeId;

    /// Returns whether the keys depend on the decoded data.
    fn reads_data(&self) -> bool;

    /// Returns the keys of a resource; `decoded` is `None` if its data cannot be decoded.
    fn keys(&self, resource: &Resource, decoded: Option<&Typed<T>>) -> BTreeSet<Key>;
}

impl<T: StoredResource, A: ToKey + 'static> AnyIndex<T> for Index<T, A> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn required(&self) -> bool {
        self.required
    }

    fn sorted_by(&self) -> TypeId {
        TypeId::of::<A>()
    }

    fn reads_data(&self) -> bool {
        matches!(self.keys, Keys::One(_) | Keys::Many(_))
    }

    fn keys(&self, resource: &Resource, decoded: Option<&Typed<T>>) -> BTreeSet<Key> {
        let keys = match (self.keys, decoded) {
            (Keys::One(key), Some(decoded)) => key(decoded).into_iter().collect(),
            (Keys::Many(keys), Some(decoded)) => keys(decoded),
            (Keys::RawOne(key), _) => key(resource).into_iter().collect(),
            (Keys::RawMany(keys), _) => keys(resource),
            (Keys::One(_) | Keys::Many(_), None) | (Keys::Id, _) => Vec::new(),
        };
        keys.iter().map(Key::from_value).collect()
    }
}
