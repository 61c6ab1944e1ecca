//! Mappers from a changed resource to the affected managed resources.
//!
//! A [`Mapper`] receives a changed resource of one type, and returns the resources of the managed type to
//! reconcile. The functions of [`map`](self) create the common ones, and [`map::with`](with) creates one from
//! a closure. Both types are part of the type of a mapper, so that it cannot return resources of any other
//! type.
//!
//! A mapper reads the store and the cache of its controller. It is called again when it fails. The resources
//! that it returns need not exist.

use std::fmt;
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;

use crate::registry::{StoredResource, Typed};

mod index_mappers;
mod plain_mappers;
#[cfg(test)]
mod tests;
mod transform;

pub use index_mappers::{get, get_by, list, list_by, parents, parents_by};
pub use plain_mappers::{all, ids, owner, references, same_name};
pub use transform::{Transform, transform, transform_list, transform_list_by};

use super::context::Runtime;
use super::request::Request;

/// The reason why a mapper failed.
pub type MapError = Box<dyn std::error::Error + Send + Sync>;

type Mapped<T> = Pin<Box<dyn Future<Output = Result<Vec<T>, MapError>> + Send>>;
type Function<A, T> = dyn Fn(Runtime, Typed<A>) -> Mapped<T> + Send + Sync;

/// Maps a changed `A` to the `B` to reconcile; see [the module](self).
pub struct Mapper<A, B> {
    map: Arc<Function<A, Request<B>>>,
}

/// Creates a mapper from an async function of the changed resource.
///
/// The function gets the last state of a deleted resource.
pub fn with<A, B, F, I, E>(map: impl Fn(Runtime, Typed<A>) -> F + Send + Sync + 'static) -> Mapper<A, B>
where
    F: Future<Output = Result<I, E>> + Send + 'static,
    I: IntoIterator<Item = Request<B>>,
    E: Into<MapError>,
{
    let map = Arc::new(map);
    Mapper {
        map: Arc::new(move |runtime, changed| {
            let mapped = map(runtime, changed);
            Box::pin(async move { Ok(mapped.await.map_err(Into::into)?.into_iter().collect()) })
        }),
    }
}

/// Creates a mapper from a synchronous function.
fn at_once<A, B>(
    map: impl Fn(&Runtime, Typed<A>) -> Result<Vec<Request<B>>, MapError> + Send + Sync + 'static,
) -> Mapper<A, B>
where
    B: 'static,
{
    Mapper { map: Arc::new(move |runtime, changed| Box::pin(ready(map(&runtime, changed)))) }
}

impl<A: StoredResource, B: StoredResource> Mapper<A, B> {
    /// Returns the resources to reconcile.
    ///
    /// # Errors
    ///
    /// Fails if the mapper fails. Its partial results are discarded.
    pub async fn map(&self, runtime: Runtime, changed: Typed<A>) -> Result<Vec<Request<B>>, MapError> {
        (self.map)(runtime, changed).await
    }

    /// Combines the results of both mappers.
    ///
    /// If one fails, the combination fails.
    pub fn and(self, other: Self) -> Self {
        with(move |runtime: Runtime, changed: Typed<A>| {
            let (first, second) = (self.clone(), other.clone());
            async move {
                let mut requests = first.map(runtime.clone(), changed.clone()).await?;
                requests.extend(second.map(runtime, changed).await?);
                Ok::<_, MapError>(requests)
            }
        })
    }

    /// Maps each resulting `B` to the `C` with the same tenancy and name.
    ///
    /// It compiles only if both types have the same scope.
    pub fn renamed<C: StoredResource>(self) -> Mapper<A, C> {
        const { assert!(B::SCOPE as u8 == C::SCOPE as u8, "the types have different scopes") };
        with(move |runtime: Runtime, changed: Typed<A>| {
            let mapper = self.clone();
            async move {
                let requests = mapper.map(runtime, changed).await?;
                let renamed = |request: Request<B>| {
                    let id = request.id();
                    Request::new(id.tenancy.clone(), id.name.clone())
                };
                Ok::<_, MapError>(requests.into_iter().map(renamed).collect::<Vec<_>>())
            }
        })
    }
}

impl<A, B> Clone for Mapper<A, B> {
    fn clone(&self) -> Self {
        Self { map: Arc::clone(&self.map) }
    }
}

impl<A: StoredResource, B: StoredResource> fmt::Debug for Mapper<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapper({} to {})", A::resource_type(), B::resource_type())
    }
}
