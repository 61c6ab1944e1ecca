//! Mappers that read the cache.
//!
//! With an index of the references of managed resources, [`list`] returns the resources that refer to the
//! changed one. With an index of the prefixes by which they select, [`parents`] returns those that select it.
//! Together they replace manual bookkeeping of links and selections.

use crate::identity::Id;
use crate::registry::{StoredResource, Typed};
use crate::runtime::cache::{Cache, CacheError, Index, PrefixOf, ToKey};
use crate::runtime::request::Request;

use super::{Mapper, at_once};

/// Looks up each key computed from the changed resource.
fn lookup_all<A, B, K, I>(
    keys: impl Fn(&Typed<A>) -> I + Send + Sync + 'static,
    find: impl Fn(&Cache, &K) -> Result<Vec<Typed<B>>, CacheError> + Send + Sync + 'static,
) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    I: IntoIterator<Item = K>,
{
    at_once(move |runtime, changed| {
        let mut requests = Vec::new();
        for key in keys(&changed) {
            requests.extend(find(&runtime.cache, &key)?.iter().map(Request::from));
        }
        Ok(requests)
    })
}

/// Maps to the first `B` that an index has under the identity of the changed resource.
pub fn get<A, B, K>(index: &Index<B, K>) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    K: ToKey + From<Id> + 'static,
{
    get_by(index, |changed| Some(K::from(changed.resource.id.clone())))
}

/// Maps to the first `B` that an index has under each key computed from the changed resource.
pub fn get_by<A, B, K, I>(
    index: &Index<B, K>,
    keys: impl Fn(&Typed<A>) -> I + Send + Sync + 'static,
) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    K: ToKey + 'static,
    I: IntoIterator<Item = K>,
{
    let index = *index;
    lookup_all(keys, move |cache, key| Ok(cache.get(&index, key)?.into_iter().collect()))
}

/// Maps to each `B` that an index has under the identity of the changed resource.
pub fn list<A, B, K>(index: &Index<B, K>) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    K: ToKey + 'static,
    Id: PrefixOf<K>,
{
    list_by(index, |changed| Some(changed.resource.id.clone()))
}

/// Maps to each `B` that an index has under the computed keys or prefixes.
pub fn list_by<A, B, K, P, I>(
    index: &Index<B, K>,
    keys: impl Fn(&Typed<A>) -> I + Send + Sync + 'static,
) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    K: ToKey + 'static,
    P: PrefixOf<K>,
    I: IntoIterator<Item = P>,
{
    let index = *index;
    lookup_all(keys, move |cache, key| cache.list(&index, key))
}

/// Maps to each `B` whose index key is a prefix of the identity of the changed resource.
///
/// These are the resources that select the changed one.
pub fn parents<A, B, P>(index: &Index<B, P>) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    P: PrefixOf<Id> + 'static,
{
    parents_by(index, |changed| Some(changed.resource.id.clone()))
}

/// Maps to each `B` whose index key is a prefix of a key computed from the changed resource.
pub fn parents_by<A, B, P, K, I>(
    index: &Index<B, P>,
    keys: impl Fn(&Typed<A>) -> I + Send + Sync + 'static,
) -> Mapper<A, B>
where
    A: StoredResource,
    B: StoredResource,
    P: PrefixOf<K> + 'static,
    K: ToKey,
    I: IntoIterator<Item = K>,
{
    let index = *index;
    lookup_all(keys, move |cache, key| cache.parents(&index, key))
}
