//! Types for the tests of the runtime: artists, albums, and playlists.
//!
//! Playlists select albums by name prefix.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::authorize::Caller;
use crate::clock::{Clock, Random};
use crate::registry::TypeRegistry;
use crate::service::{Client, Service};
use crate::storage::Backend;
use crate::{Id, Reference, Resource, StoredResource, Typed, Uid};

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub(super) struct Artist {
    #[stored(tag = 1)]
    pub(super) genre: String,
}

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub(super) struct Album {
    #[stored(tag = 1)]
    pub(super) artists: Vec<Reference>,
    #[stored(tag = 2)]
    pub(super) title: String,
}

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub(super) struct Playlist {
    #[stored(tag = 1)]
    pub(super) albums_from: String,
    #[stored(tag = 2)]
    pub(super) made_of: Vec<Reference>,
}

/// Returns the identity of a `T`.
pub(super) fn id<T: StoredResource>(name: &str) -> Id {
    Id::new(T::resource_type().clone(), T::SCOPE.default_tenancy(), name.parse().expect("a name"))
}

/// Returns a reference to a `T`.
pub(super) fn reference<T: StoredResource>(name: &str) -> Reference {
    id::<T>(name).into()
}

/// Returns a `T` that is not stored.
pub(super) fn resource<T: StoredResource>(name: &str, data: T) -> Resource {
    Typed::new(id::<T>(name), data).into_resource()
}

/// Returns a resource as a store returns it.
pub(super) fn stored(resource: Resource, uid: u128, version: u64) -> Resource {
    let id = resource.id.with_uid(Uid::from_bits(uid));
    Resource { id, version: Some(version.into()), ..resource }
}

/// Returns a client of a service with these types over a store, with the clock of the test.
pub(super) fn client(store: Arc<dyn Backend>) -> Client {
    let mut types = TypeRegistry::new();
    types.register::<Artist>().expect("no type twice");
    types.register::<Album>().expect("no type twice");
    types.register::<Playlist>().expect("no type twice");
    let clock = Clock::following_tokio(UNIX_EPOCH);
    Service::new(store, types, clock, Random::from_seed(1)).expect("no type twice").client(Caller::system())
}
