//! Mappers that use only the changed resource.

use crate::identity::{Id, Reference};
use crate::registry::{StoredResource, Typed};
use crate::runtime::cache::{IdPrefix, by_id};
use crate::runtime::request::Request;

use super::{Mapper, at_once};

/// Maps to the owner, if it is a `B`.
pub fn owner<A: StoredResource, B: StoredResource>() -> Mapper<A, B> {
    ids(|changed: &Typed<A>| changed.resource.owner.clone())
}

/// Maps to the `B` with the same tenancy and name.
///
/// It compiles only if both types have the same scope.
pub fn same_name<A: StoredResource, B: StoredResource>() -> Mapper<A, B> {
    const { assert!(A::SCOPE as u8 == B::SCOPE as u8, "the types have different scopes") };
    at_once(|_, changed| {
        let id = changed.resource.id;
        Ok(vec![Request::new(id.tenancy, id.name)])
    })
}

/// Maps to every existing `B`.
pub fn all<A: StoredResource, B: StoredResource>() -> Mapper<A, B> {
    at_once(|runtime, _| {
        let resources = runtime.cache.list(&by_id::<B>(), &IdPrefix::of_type(B::resource_type()))?;
        Ok(resources.iter().map(Request::from).collect())
    })
}

/// Maps to those of the computed identities that are of type `B`.
pub fn ids<A, B, I>(ids: impl Fn(&Typed<A>) -> I + Send + Sync + 'static) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    I: IntoIterator<Item = Id>,
{
    at_once(move |_, changed| {
        Ok(ids(&changed).into_iter().filter_map(|id| Request::try_from(id).ok()).collect())
    })
}

/// Maps to the targets of the computed references that are of type `B`.
pub fn references<A, B, I>(references: impl Fn(&Typed<A>) -> I + Send + Sync + 'static) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    I: IntoIterator<Item = Reference>,
{
    ids(move |changed| references(changed).into_iter().map(Id::from).collect::<Vec<_>>())
}
