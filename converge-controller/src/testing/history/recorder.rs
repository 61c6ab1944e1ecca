//! The recording of operations.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::event::{Commit, Look, Mark, Moment, State, Watched};
use crate::identity::{Id, TenancyPattern, Type};
use crate::resource::{Data, Resource};
use crate::storage::{Key, Query};

/// The operations of many tasks on a store, with their results.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub(super) commits: Vec<Commit>,
    pub(super) looks: Vec<Look>,
    pub(super) watches: Vec<Watched>,
    /// The watch that saw everything.
    pub(super) witness: Option<Watched>,
}

/// Records the operations of tasks.
#[derive(Default)]
pub(super) struct Recorder {
    moments: AtomicU64,
    marks: AtomicU64,
    history: Mutex<History>,
}

impl Recorder {
    /// Returns a time later than all earlier ones.
    pub(super) fn moment(&self) -> Moment {
        self.moments.fetch_add(1, Ordering::SeqCst)
    }

    /// Returns a new mark.
    pub(super) fn mark(&self) -> Mark {
        self.marks.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn note(&self, note: impl FnOnce(&mut History)) {
        note(&mut self.history.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn finish(&self) -> History {
        self.history.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns the type of all resources of a history.
pub(super) fn resource_type() -> Type {
    "history.v1.Entry".parse().expect("a type")
}

/// Creates the query of all resources of a history, or of those of some units with a prefix.
pub(super) fn query(partition: &str, namespace: &str, prefix: &str) -> Query {
    let tenancy = TenancyPattern::from_units(partition, namespace).expect("a pattern");
    Query::new(&resource_type(), tenancy).with_prefix(prefix)
}

/// Returns a resource with a mark as data.
pub(super) fn marked(id: &Id, mark: Mark) -> Resource {
    let data = Data::new(&id.resource_type, mark.to_be_bytes().to_vec());
    Resource { data: Some(data), ..Resource::new(id.clone()) }
}

/// Returns the mark and the version of a resource.
pub(super) fn state(resource: &Resource) -> State {
    let value = resource.data.as_ref().and_then(|data| data.value[..].try_into().ok());
    State {
        key: Key::from_id(&resource.id),
        mark: value.map_or(Mark::MAX, Mark::from_be_bytes),
        version: resource.version.as_ref().map(ToString::to_string).unwrap_or_default(),
    }
}

impl History {
    /// Returns the number of requested transactions, and of those that the store acknowledged.
    pub fn transactions(&self) -> (usize, usize) {
        let successes = self.commits.iter().filter(|commit| commit.outcome == super::event::Outcome::Done);
        (self.commits.len(), successes.count())
    }

    /// Returns all keys that were requested.
    pub(super) fn keys(&self) -> BTreeSet<&Key> {
        self.commits.iter().flat_map(|commit| &commit.changes).map(|change| &change.key).collect()
    }
}

/// Returns whether a query matches the resource of a key.
pub(super) fn means(query: &Query, key: &Key) -> bool {
    let mut parts = key.as_str().split('/').skip(2);
    let mut next_part = || parts.next().unwrap_or_default();
    let (partition, namespace, name) = (next_part(), next_part(), next_part());
    let unit = |pattern: Option<&str>, unit| pattern.is_none_or(|expected| expected == unit);
    let TenancyPattern::Namespace(of_partition, of_namespace) = &query.tenancy else { return false };
    unit(only(of_partition), partition)
        && unit(only(of_namespace), namespace)
        && name.starts_with(&query.name_prefix)
}

fn only<T: AsRef<str>>(selector: &crate::Selector<T>) -> Option<&str> {
    match selector {
        crate::Selector::Any => None,
        crate::Selector::Only(unit) => Some(unit.as_ref()),
    }
}
