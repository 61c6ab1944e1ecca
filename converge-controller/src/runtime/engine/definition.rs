//! The definition of a controller, without the types of its author.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::identity::{Id, Type};
use crate::resource::Resource;
use crate::runtime::action::Action;
use crate::runtime::backoff::Backoff;
use crate::runtime::cache::CacheDefinition;
use crate::runtime::context::Runtime;
use crate::runtime::supervisor::RunError;

use super::feed::Stream;
use super::predicate::Predicate;

/// A future that ends with a value or an error of the author.
pub(crate) type Outcome<T> = Pin<Box<dyn Future<Output = Result<T, RunError>> + Send>>;
/// A function of the author.
pub(crate) type Function<A, T> = Arc<dyn Fn(Runtime, A) -> Outcome<T> + Send + Sync>;
/// A function that is called when a run begins or ends.
pub(crate) type Notice = Arc<dyn Fn(&Runtime) + Send + Sync>;

/// The servers that a controller runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// One server, which holds the lease with the name of the controller.
    #[default]
    Singleton,
    /// Every server. Such a controller should not write resources that its other instances write too.
    EachServer,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Singleton => "singleton",
            Self::EachServer => "each-server",
        })
    }
}

/// A complete controller, to be [registered](crate::runtime::Manager::register).
pub struct Definition {
    pub(crate) name: Arc<str>,
    pub(crate) managed: Watched,
    /// The other watched types, in the order of declaration.
    pub(crate) mapped: Vec<Mapped>,
    pub(crate) streams: Vec<Stream>,
    pub(crate) cache: CacheDefinition,
    pub(crate) reconcile: Function<Id, Action>,
    pub(crate) settings: Settings,
}

/// A watched type.
#[derive(Clone)]
pub(crate) struct Watched {
    pub(crate) resource_type: Type,
    pub(crate) predicate: Predicate,
}

/// A watched type whose changes are mapped to managed resources.
#[derive(Clone)]
pub(crate) struct Mapped {
    pub(crate) watched: Watched,
    pub(crate) map: Function<Arc<Resource>, Vec<Id>>,
}

/// The settings that have defaults.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) initialize: Option<Function<(), ()>>,
    pub(crate) on_start: Option<Notice>,
    pub(crate) on_stop: Option<Notice>,
    pub(crate) backoff: Backoff,
    pub(crate) cooldown: Duration,
    pub(crate) concurrency: usize,
    pub(crate) placement: Placement,
    pub(crate) forced_after: Option<Duration>,
    pub(crate) grace: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            initialize: None,
            on_start: None,
            on_stop: None,
            backoff: Backoff::default(),
            cooldown: Duration::ZERO,
            concurrency: 1,
            placement: Placement::default(),
            forced_after: Some(Duration::from_hours(8)),
            grace: Duration::from_secs(30),
        }
    }
}

impl Definition {
    /// Returns the name of the controller.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type that the controller reconciles.
    pub fn managed_type(&self) -> &Type {
        &self.managed.resource_type
    }

    /// Iterates over the other watched types, in the order of declaration.
    pub fn watched_types(&self) -> impl Iterator<Item = &Type> {
        self.mapped.iter().map(|mapped| &mapped.watched.resource_type)
    }

    /// Returns the servers that the controller runs on.
    pub fn placement(&self) -> Placement {
        self.settings.placement
    }

    /// Iterates over all watched types, the managed one first.
    pub(crate) fn watches(&self) -> impl Iterator<Item = &Watched> {
        std::iter::once(&self.managed).chain(self.mapped.iter().map(|mapped| &mapped.watched))
    }
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched: Vec<String> = self.watched_types().map(ToString::to_string).collect();
        let Settings { backoff, placement, .. } = &self.settings;
        write!(
            f,
            "<Controller managed_type={}, watched_types=[{}], backoff=<base={:?}, max={:?}>, placement={placement}>",
            self.managed.resource_type,
            watched.join(", "),
            backoff.base(),
            backoff.max(),
        )
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
