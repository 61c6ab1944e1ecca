//! Transforms from the changed resource to others before they are mapped.

use std::fmt;
use std::sync::Arc;

use crate::identity::Id;
use crate::registry::{StoredResource, Typed};
use crate::runtime::cache::{Index, PrefixOf, ToKey};
use crate::runtime::context::Runtime;

use super::{Function, MapError, Mapper, with};

/// Transforms a changed `A` into the affected `B`.
///
/// Each `B` is then mapped as if it had changed, or transformed again.
pub struct Transform<A, B> {
    turn: Arc<Function<A, Typed<B>>>,
}

/// Creates a transform from a function of the changed resource.
pub fn transform<A, B, F, I, E>(
    turn: impl Fn(Runtime, Typed<A>) -> F + Send + Sync + 'static,
) -> Transform<A, B>
where
    F: Future<Output = Result<I, E>> + Send + 'static,
    I: IntoIterator<Item = Typed<B>>,
    E: Into<MapError>,
{
    Transform {
        turn: Arc::new(move |runtime, changed| {
            let turned = turn(runtime, changed);
            Box::pin(async move { Ok(turned.await.map_err(Into::into)?.into_iter().collect()) })
        }),
    }
}

/// Transforms into each `B` that an index has under the identity of the changed resource.
pub fn transform_list<A, B, K>(index: &Index<B, K>) -> Transform<A, B>
where
    A: StoredResource,
    B: StoredResource,
    K: ToKey + 'static,
    Id: PrefixOf<K>,
{
    transform_list_by(index, |changed: &Typed<A>| Some(changed.resource.id.clone()))
}

/// Transforms into each `B` that an index has under the computed keys or prefixes.
pub fn transform_list_by<A, B, K, P, I>(
    index: &Index<B, K>,
    keys: impl Fn(&Typed<A>) -> I + Send + Sync + 'static,
) -> Transform<A, B>
where
    A: StoredResource,
    B: StoredResource,
    K: ToKey + 'static,
    P: PrefixOf<K>,
    I: IntoIterator<Item = P>,
{
    let index = *index;
    let turned = move |runtime: &Runtime, changed: &Typed<A>| -> Result<Vec<Typed<B>>, MapError> {
        let mut turned = Vec::new();
        for key in keys(changed) {
            turned.extend(runtime.cache.list(&index, &key)?);
        }
        Ok(turned)
    };
    Transform {
        turn: Arc::new(move |runtime, changed| Box::pin(std::future::ready(turned(&runtime, &changed)))),
    }
}

impl<A: StoredResource, B: StoredResource> Transform<A, B> {
    /// Transforms a resource into others.
    ///
    /// # Errors
    ///
    /// Fails if the transform fails.
    pub async fn turn(&self, runtime: Runtime, changed: Typed<A>) -> Result<Vec<Typed<B>>, MapError> {
        (self.turn)(runtime, changed).await
    }

    /// Transforms the results again.
    pub fn then<C: StoredResource>(self, next: Transform<B, C>) -> Transform<A, C> {
        transform(move |runtime: Runtime, changed: Typed<A>| {
            let (first, next) = (self.clone(), next.clone());
            async move {
                let mut turned = Vec::new();
                for intermediate in first.turn(runtime.clone(), changed).await? {
                    turned.extend(next.turn(runtime.clone(), intermediate).await?);
                }
                Ok::<_, MapError>(turned)
            }
        })
    }

    /// Maps the results.
    pub fn map<C: StoredResource>(self, mapper: Mapper<B, C>) -> Mapper<A, C> {
        with(move |runtime: Runtime, changed: Typed<A>| {
            let (transform, mapper) = (self.clone(), mapper.clone());
            async move {
                let mut requests = Vec::new();
                for intermediate in transform.turn(runtime.clone(), changed).await? {
                    requests.extend(mapper.map(runtime.clone(), intermediate).await?);
                }
                Ok::<_, MapError>(requests)
            }
        })
    }
}

impl<A, B> Clone for Transform<A, B> {
    fn clone(&self) -> Self {
        Self { turn: Arc::clone(&self.turn) }
    }
}

impl<A: StoredResource, B: StoredResource> fmt::Debug for Transform<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transform({} to {})", A::resource_type(), B::resource_type())
    }
}
