//! By what the resources of a type can be found.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::fmt;

use crate::identity::{Id, Reference};
use crate::registry::{StoredResource, Typed};
use crate::resource::Resource;

use super::key::{Key, ToKey};

/// By what resources of a type `T` can be found, besides their identity: keys of type `A`.
///
/// It is a constant, which a controller declares and whoever reads its cache names; so nothing can be looked up by the
/// wrong sort of key.
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
    /// The identity, by which everything is sorted anyway.
    Id,
}

impl<T: StoredResource, A> Index<T, A> {
    /// An index in which a resource is once at most.
    pub const fn one(name: &'static str, key: fn(&Typed<T>) -> Option<A>) -> Self {
        Self { name, required: false, keys: Keys::One(key) }
    }

    /// An index in which a resource is any number of times.
    pub const fn many(name: &'static str, keys: fn(&Typed<T>) -> Vec<A>) -> Self {
        Self { name, required: false, keys: Keys::Many(keys) }
    }

    /// As [`one`](Self::one), for what can be said without decoding the data.
    pub const fn raw_one(name: &'static str, key: fn(&Resource) -> Option<A>) -> Self {
        Self { name, required: false, keys: Keys::RawOne(key) }
    }

    /// As [`many`](Self::many), for what can be said without decoding the data.
    pub const fn raw_many(name: &'static str, keys: fn(&Resource) -> Vec<A>) -> Self {
        Self { name, required: false, keys: Keys::RawMany(keys) }
    }

    /// The same index, in which every resource has to be: one that is not is an error of who wrote it, and is reported.
    pub const fn required(self) -> Self {
        // A destructor cannot run in a constant, so the parts are taken out by hand.
        let Self { name, keys, .. } = self;
        Self { name, required: true, keys }
    }

    /// What it is called.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn is_id(&self) -> bool {
        matches!(self.keys, Keys::Id)
    }
}

/// The name of the index that every type has.
pub(super) const ID: &str = "id";

/// The index by identity, which every type has. What is asked may stop at any unit of the tenancy.
pub const fn by_id<T: StoredResource>() -> Index<T, Id> {
    Index { name: ID, required: true, keys: Keys::Id }
}

/// An index by owner: finds what a resource owns.
pub const fn by_owner<T: StoredResource>() -> Index<T, Id> {
    Index::raw_one("owner", |resource| resource.owner.clone())
}

/// An index by the references that a resource was made of; see [`BoundReferences`].
pub const fn by_bound_references<T: BoundReferences>() -> Index<T, Reference> {
    Index::many("bound_references", |resource| resource.bound_references().to_vec())
}

/// Data that say which resources they were made of.
///
/// A controller that makes one resource of several others hears of a changed pointer only from its new state: which
/// resource it pointed to before is said nowhere. So it stores what it used in what it makes, and is told of changes by
/// way of an [index of these](by_bound_references) too.
pub trait BoundReferences: StoredResource {
    /// The resources that it was made of.
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

/// An index of a `T`, by whatever it is sorted.
pub(super) trait AnyIndex<T: StoredResource>: Send + Sync {
    fn name(&self) -> &'static str;

    fn required(&self) -> bool;

    /// The type of its keys.
    fn sorted_by(&self) -> TypeId;

    /// Whether the keys can be said only of decoded data.
    fn reads_data(&self) -> bool;

    /// The keys of a resource. One that cannot be decoded is given as such.
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
        keys.iter().map(Key::of).collect()
    }
}
