//! Mappers that need the changed resource only.

use crate::identity::{Id, Reference};
use crate::registry::{StoredResource, Typed};
use crate::runtime::cache::{IdPrefix, by_id};
use crate::runtime::request::Request;

use super::{Mapper, at_once};

/// Names the owner, when that is a `B`.
pub fn owner<A: StoredResource, B: StoredResource>() -> Mapper<A, B> {
    ids(|changed: &Typed<A>| changed.resource.owner.clone())
}

/// Names the `B` of the same tenancy and name.
///
/// Both types have the same scope, or it does not compile.
pub fn same_name<A: StoredResource, B: StoredResource>() -> Mapper<A, B> {
    const { assert!(A::SCOPE as u8 == B::SCOPE as u8, "the types have different scopes") };
    at_once(|_, changed| {
        let id = changed.resource.id;
        Ok(vec![Request::new(id.tenancy, id.name)])
    })
}

/// Names every `B` that there is.
pub fn all<A: StoredResource, B: StoredResource>() -> Mapper<A, B> {
    at_once(|runtime, _| {
        let all = runtime.cache.list(&by_id::<B>(), &IdPrefix::of_type(B::resource_type()))?;
        Ok(all.iter().map(Request::from).collect())
    })
}

/// Names those of these identities that are of a `B`.
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

/// Names what these references mean, as far as it is a `B`.
pub fn references<A, B, I>(references: impl Fn(&Typed<A>) -> I + Send + Sync + 'static) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    I: IntoIterator<Item = Reference>,
{
    ids(move |changed| references(changed).into_iter().map(Id::from).collect::<Vec<_>>())
}
