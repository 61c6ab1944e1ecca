//! The builder of controllers.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;

use crate::identity::Id;
use crate::registry::{StoredResource, Typed};
use crate::resource::Finalizer;

mod finalizer;
mod report;
#[cfg(test)]
mod tests;

pub use finalizer::{FinalizerError, FinalizerEvent, ensure_finalizer, ensure_finalizer_removed, finalize};
pub use report::{report, update_status};

use super::action::Action;
use super::backoff::Backoff;
use super::cache::{CacheDefinition, Index, Query, ToKey};
use super::context::Runtime;
use super::engine::definition::{Definition, Function, Mapped, Placement, Settings, Watched};
use super::engine::feed;
use super::engine::predicate::Predicate;
use super::map::{MapError, Mapper};
use super::request::Request;
use super::supervisor::RunError;

/// A builder of a controller of `T`; [`reconcile`](Self::reconcile) turns it into a [`Definition`].
///
/// ```
/// use converge_controller::runtime::{Action, Controller, Request, Runtime, map};
/// use converge_controller::StoredResource;
/// use converge_controller::service::TypedError;
/// use converge_controller::storage::Consistency;
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", kind = "Artist", scope = namespace)]
/// struct Artist {}
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", kind = "Album", scope = namespace)]
/// struct Album {}
///
/// async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, TypedError> {
///     let Some(artist) = runtime.client.find_as::<Artist>(request.id(), Consistency::Eventual).await? else {
///         return Ok(Action::await_change());
///     };
///     let albums = runtime.client.list_by_owner(artist.id()).await?;
///     println!("{} has {} albums", artist.id().name, albums.len());
///     Ok(Action::await_change())
/// }
///
/// let controller = Controller::<Artist>::new("artists").watch::<Album>(map::owner()).reconcile(reconcile);
/// assert_eq!(controller.managed_type().to_string(), "demo.v2.Artist");
/// ```
pub struct Controller<T> {
    name: Arc<str>,
    predicate: Predicate,
    mapped: Vec<Mapped>,
    streams: Vec<feed::Stream>,
    cache: CacheDefinition,
    settings: Settings,
    cleanup: Option<(Finalizer, Cleanup<T>)>,
}

type Cleanup<T> = Function<Typed<T>, ()>;

impl<T: StoredResource> Controller<T> {
    /// Creates a controller with this name.
    ///
    /// The name is also that of its lease, and usually the key of the statuses that it writes.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        let mut cache = CacheDefinition::new();
        cache.hold::<T>();
        Self {
            name: name.into(),
            predicate: Predicate::generation_or_metadata(),
            mapped: Vec::new(),
            streams: Vec::new(),
            cache,
            settings: Settings::default(),
            cleanup: None,
        }
    }

    /// Watches another type; each change is mapped to the affected resources of `T`.
    pub fn watch<W: StoredResource>(self, mapper: Mapper<W, T>) -> Self {
        self.watch_when(Predicate::any(), mapper)
    }

    /// Like [`watch`](Self::watch), for some changes only.
    pub fn watch_when<W: StoredResource>(mut self, predicate: Predicate, mapper: Mapper<W, T>) -> Self {
        self.cache.hold::<W>();
        let watched = Watched { resource_type: W::resource_type().clone(), predicate };
        self.mapped.push(Mapped {
            watched,
            map: Arc::new(move |runtime, changed| {
                let mapper = mapper.clone();
                Box::pin(async move {
                    let changed = Typed::<W>::decode(crate::resource::Resource::clone(&changed))?;
                    let requests = mapper.map(runtime, changed).await?;
                    Ok(requests.into_iter().map(Id::from).collect())
                })
            }),
        });
        self
    }

    /// Watches a stream of events that are not resources, and maps them.
    ///
    /// Equal events are queued once. Each run of the controller opens the stream anew; a stream that ends is
    /// not reopened before the next run.
    pub fn watch_stream<S, E, F, I, M>(
        mut self,
        name: impl Into<Arc<str>>,
        open: impl Fn() -> S + Send + Sync + 'static,
        map: impl Fn(Runtime, E) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Stream<Item = E> + Send + 'static,
        E: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
        F: Future<Output = Result<I, M>> + Send + 'static,
        I: IntoIterator<Item = Request<T>>,
        M: Into<MapError>,
    {
        let map = Arc::new(map);
        let map = move |runtime: Runtime, event: E| {
            let mapped = map(runtime, event);
            async move { Ok(mapped.await.map_err(Into::into)?.into_iter().map(Id::from).collect()) }
        };
        self.streams.push(feed::stream(name.into(), open, map));
        self
    }

    /// Sets which changes of a `T` trigger a reconcile.
    ///
    /// By default, all except those of its statuses do.
    pub fn when(self, predicate: Predicate) -> Self {
        Self { predicate, ..self }
    }

    /// Adds an index of the managed type or of a watched one to the cache.
    pub fn index<R: StoredResource, A: ToKey + 'static>(mut self, index: &Index<R, A>) -> Self {
        self.cache.index(index);
        self
    }

    /// Adds a query to the cache.
    pub fn query<A, R>(mut self, query: &Query<A, R>) -> Self {
        self.cache.query(query);
        self
    }

    /// Sets the backoff of a resource after a failure, and of an event whose mapper failed.
    ///
    /// The default is `5 ms..=1000 s`.
    pub fn backoff(mut self, backoff: impl Into<Backoff>) -> Self {
        self.settings.backoff = backoff.into();
        self
    }

    /// Sets the minimum time between two reconciles of a resource; by default there is none.
    ///
    /// All triggers during this time result in a single reconcile afterwards. A controller that reads a
    /// thousand resources for one reconcile then does not read them a thousand times when all of them change.
    /// The first reconcile starts at once.
    pub fn cooldown(mut self, time: Duration) -> Self {
        self.settings.cooldown = time;
        self
    }

    /// Sets the number of resources reconciled at once, by default one.
    ///
    /// A single resource is never reconciled twice at once.
    pub fn concurrency(mut self, maximum: usize) -> Self {
        self.settings.concurrency = maximum;
        self
    }

    /// Sets where the controller runs if there are several servers.
    pub fn placement(mut self, placement: Placement) -> Self {
        self.settings.placement = placement;
        self
    }

    /// Sets the time after which a resource is reconciled again without a trigger; `None` for never.
    ///
    /// The default is eight hours. The actual time is shorter by a random part of up to a fifth.
    pub fn force_after(mut self, time: Option<Duration>) -> Self {
        self.settings.forced_after = time;
        self
    }

    /// Sets the time that running reconciles may take when the controller stops; then they are cancelled.
    ///
    /// The default is 30 seconds.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Sets a function that is called at the beginning of each run, before any watch or reconcile.
    ///
    /// If it fails, the run fails, and the next run tries again.
    pub fn initialize<F, E>(mut self, initialize: impl Fn(Runtime) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<RunError>,
    {
        self.settings.initialize = Some(Arc::new(move |runtime, ()| {
            let future = initialize(runtime);
            Box::pin(async move { future.await.map_err(Into::into) })
        }));
        self
    }

    /// Sets a function that is called when a run begins, after the initializer and before any watch.
    ///
    /// It should discard what the controller keeps in memory from the previous run.
    pub fn on_start(mut self, callback: impl Fn(&Runtime) + Send + Sync + 'static) -> Self {
        self.settings.on_start = Some(Arc::new(callback));
        self
    }

    /// Sets a function that is called when a run has ended, whatever the reason.
    pub fn on_stop(mut self, callback: impl Fn(&Runtime) + Send + Sync + 'static) -> Self {
        self.settings.on_stop = Some(Arc::new(callback));
        self
    }

    /// Adds a finalizer to each resource before its first reconcile.
    ///
    /// A resource that is marked for deletion is cleaned up instead of reconciled. After a successful cleanup
    /// the finalizer is removed.
    pub fn finalizer<F, E>(
        mut self,
        name: Finalizer,
        cleanup: impl Fn(Runtime, Typed<T>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<RunError>,
    {
        let cleanup: Cleanup<T> = Arc::new(move |runtime, resource| {
            let future = cleanup(runtime, resource);
            Box::pin(async move { future.await.map_err(Into::into) })
        });
        self.cleanup = Some((name, cleanup));
        self
    }

    /// Sets the reconciler, which makes the world match a resource, and builds the definition.
    ///
    /// The reconciler receives the name of a resource and reads it. A resource that does not exist was
    /// deleted. After an error or a panic, it is retried with a backoff.
    pub fn reconcile<F, E>(
        self,
        reconcile: impl Fn(Runtime, Request<T>) -> F + Send + Sync + 'static,
    ) -> Definition
    where
        F: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<RunError>,
    {
        let reconcile: Function<Request<T>, Action> = Arc::new(move |runtime, request| {
            let future = reconcile(runtime, request);
            Box::pin(async move { future.await.map_err(Into::into) })
        });
        let reconcile = match self.cleanup {
            None => reconcile,
            Some((name, cleanup)) => finalizer::with_finalizer(name, cleanup, reconcile),
        };
        Definition {
            name: self.name,
            managed: Watched { resource_type: T::resource_type().clone(), predicate: self.predicate },
            mapped: self.mapped,
            streams: self.streams,
            cache: self.cache,
            reconcile: Arc::new(move |runtime, id| match Request::try_from(id) {
                Ok(request) => reconcile(runtime, request),
                // The request is always for an identity of this type.
                Err(error) => Box::pin(std::future::ready(Err(error.into()))),
            }),
            settings: self.settings,
        }
    }

    /// Like [`reconcile`](Self::reconcile), with a context value shared by all calls.
    pub fn reconcile_with<C, F, E>(
        self,
        context: Arc<C>,
        reconcile: impl Fn(Runtime, Request<T>, Arc<C>) -> F + Send + Sync + 'static,
    ) -> Definition
    where
        C: Send + Sync + 'static,
        F: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<RunError>,
    {
        self.reconcile(move |runtime, request| reconcile(runtime, request, Arc::clone(&context)))
    }
}

impl<T: StoredResource> fmt::Debug for Controller<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Controller({:?} of {})", self.name, T::resource_type())
    }
}
