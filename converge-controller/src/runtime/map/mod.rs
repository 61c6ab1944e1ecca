//! Which resources are affected when another one changes.
//!
//! A [`Mapper`] is told that a resource of one type changed, and says which resources of the managed type are to be
//! looked at. The functions of [`map`](self) make the usual ones, and [`map::with`](with) makes one of a closure. Both types
//! are part of a mapper's type, so that it cannot name resources of any other.
//!
//! A mapper reads, from the store and from the cache of its controller. It is called again when it fails. What it names
//! need not exist.

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

/// Why a mapper failed.
pub type MapError = Box<dyn std::error::Error + Send + Sync>;

type Mapped<T> = Pin<Box<dyn Future<Output = Result<Vec<T>, MapError>> + Send>>;
type Function<A, T> = dyn Fn(Runtime, Typed<A>) -> Mapped<T> + Send + Sync;

/// Says which `B` are to be looked at when an `A` changes; see [the module](self).
pub struct Mapper<A, B> {
    map: Arc<Function<A, Request<B>>>,
}

/// A mapper that is a function of the changed resource, in its last state when it is gone.
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

/// A mapper that does not wait.
fn at_once<A, B>(
    map: impl Fn(&Runtime, Typed<A>) -> Result<Vec<Request<B>>, MapError> + Send + Sync + 'static,
) -> Mapper<A, B>
where
    B: 'static,
{
    Mapper { map: Arc::new(move |runtime, changed| Box::pin(ready(map(&runtime, changed)))) }
}

impl<A: StoredResource, B: StoredResource> Mapper<A, B> {
    /// Says which resources are to be looked at.
    ///
    /// # Errors
    ///
    /// The mapper fails. None of what it may have found counts then.
    pub async fn map(&self, runtime: Runtime, changed: Typed<A>) -> Result<Vec<Request<B>>, MapError> {
        (self.map)(runtime, changed).await
    }

    /// Names what either of two names. When one fails, nothing is named.
    pub fn and(self, other: Self) -> Self {
        with(move |runtime: Runtime, changed: Typed<A>| {
            let (one, other) = (self.clone(), other.clone());
            async move {
                let mut requests = one.map(runtime.clone(), changed.clone()).await?;
                requests.extend(other.map(runtime, changed).await?);
                Ok::<_, MapError>(requests)
            }
        })
    }

    /// Names, for each `B` that it names, the `C` of the same tenancy and name.
    ///
    /// Both have the same scope, or it does not compile.
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
