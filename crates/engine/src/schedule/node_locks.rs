//! Locks that nodes hold from their first check to their last: locks of groups and of duplicates.
//!
//! A node holds at most one of these locks and waits for no other one meanwhile, so they cannot deadlock.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::lock_waits::Awaited;
use crate::events::lock_wait::{HeldBy, LockKind};
use crate::graph::{EdgeReason, NodeIndex};
use crate::persistence::shared_locks::{Answer, Refused, SharedLocks};
use crate::sdk::context::RunMode;
use crate::sdk::export::Exports;
use crate::state::LockName;
use crate::tables::duplicates::may_have_duplicates;
use crate::tables::run_tables::Shared;
use crate::types::value::Value;

#[derive(Debug, Default)]
pub(super) struct Locks(HashMap<LockKey, NodeLock>);

/// A lock. At most one published node that has not ended holds it.
#[derive(Debug, Default)]
struct NodeLock {
    held: bool,
    waiting: BinaryHeap<Reverse<NodeIndex>>,
}

#[derive(Debug, PartialEq)]
enum LockKey {
    /// The group that the module names.
    Group(Arc<str>),
    /// Copies of one declaration with the same inputs.
    ///
    /// The address of the attributes identifies the declaration.
    Duplicates { declaration: usize, inputs: Vec<LockInput> },
}

/// A value that a declaration may read.
#[derive(Debug, PartialEq)]
enum LockInput {
    Param(Exports),
    Node(NodeIndex),
}

/// A NaN differs from itself and so has no duplicates; its lock is always free.
impl Eq for LockKey {}

impl Hash for LockKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Group(name) => name.hash(state),
            Self::Duplicates { declaration, inputs } => {
                declaration.hash(state);
                for input in inputs {
                    match input {
                        LockInput::Param(exports) => exports.iter().for_each(|(_, value)| hash(value, state)),
                        LockInput::Node(index) => index.hash(state),
                    }
                }
            }
        }
    }
}

impl LockKey {
    /// Returns the key of a node whose dependencies have ended, if this run takes locks.
    fn new(shared: &Shared, index: NodeIndex) -> Option<Self> {
        let node = shared.graph.node(index);
        if shared.mode() != RunMode::Apply {
            return None;
        }
        if let Some(group) = &node.group {
            return Some(Self::Group(Arc::clone(group)));
        }
        let input = |on, reason| match (reason, shared.exports(on)) {
            (EdgeReason::Param, Some(exports)) => Some(LockInput::Param(exports.clone())),
            (EdgeReason::Param | EdgeReason::Lookup, _) => Some(LockInput::Node(on)),
            _ => None,
        };
        may_have_duplicates(node).then(|| Self::Duplicates {
            declaration: Arc::as_ptr(&node.attributes).addr(),
            inputs: shared
                .graph
                .dependencies(index)
                .iter()
                .filter_map(|edge| input(edge.on, edge.reason))
                .collect(),
        })
    }
}

/// Hashes a value. Unequal values may collide; `==` decides.
fn hash(value: &Value, state: &mut impl Hasher) {
    match value {
        Value::Bool(value) => value.hash(state),
        Value::Int(value) => value.hash(state),
        Value::String(value) => value.hash(state),
        Value::List(items) => items.iter().for_each(|item| hash(item, state)),
        _ => {}
    }
}

impl LockKey {
    /// Returns a function that describes the wait for this lock, given its holder.
    fn awaited(&self) -> impl Fn(HeldBy) -> Awaited + use<> {
        let (lock, name) = match self {
            Self::Group(name) => (LockKind::Group, Some(Arc::clone(name))),
            Self::Duplicates { .. } => (LockKind::Duplicate, None),
        };
        move |held_by| Awaited { lock, name: name.as_deref().map(str::to_owned), held_by }
    }
}

/// Whether a node gets its lock.
pub(super) enum Turn {
    Now,
    Later(Awaited),
    Refused(Refused),
}

impl Locks {
    /// Takes the lock for a node, or makes the node wait for it.
    pub(super) fn lock(&mut self, shared: &Shared, others: &mut SharedLocks, index: NodeIndex) -> Turn {
        let Some(key) = LockKey::new(shared, index) else { return Turn::Now };
        let group = if let LockKey::Group(name) = &key { Some(others.group(name)) } else { None };
        let awaited = key.awaited();
        let lock = self.0.entry(key).or_default();
        if lock.held {
            lock.waiting.push(Reverse(index));
            return Turn::Later(awaited(HeldBy::ThisRun));
        }
        match group.map_or(Answer::Taken(None), |group| others.ask(&shared.held, group)) {
            Answer::Taken(_) => lock.held = true,
            Answer::Waits => {
                lock.waiting.push(Reverse(index));
                return Turn::Later(awaited(HeldBy::AnotherRun));
            }
            Answer::Refused(refused) => return Turn::Refused(refused),
        }
        Turn::Now
    }

    /// Returns the next node that waits for a group that another run held.
    pub(super) fn next(&mut self, name: &LockName) -> Option<NodeIndex> {
        let LockName::Group { name, .. } = name else { return None };
        let lock = self.0.get_mut(&LockKey::Group(Arc::clone(name)))?;
        lock.waiting.pop().map(|Reverse(next)| next)
    }

    pub(super) fn is_held(&self, shared: &Shared, index: NodeIndex) -> bool {
        LockKey::new(shared, index).and_then(|key| self.0.get(&key)).is_some_and(|lock| lock.held)
    }

    /// Whether others wait for the lock that a node holds.
    pub(super) fn is_wanted(&self, shared: &Shared, index: NodeIndex) -> bool {
        let lock = LockKey::new(shared, index).and_then(|key| self.0.get(&key));
        lock.is_some_and(|lock| !lock.waiting.is_empty())
    }

    /// Releases the lock of a node and returns the next node that waits for it.
    pub(super) fn unlock(
        &mut self,
        shared: &Shared,
        others: &SharedLocks,
        index: NodeIndex,
    ) -> Option<NodeIndex> {
        let key = LockKey::new(shared, index)?;
        let lock = self.0.get_mut(&key)?;
        lock.held = false;
        if let LockKey::Group(name) = &key {
            shared.held.give_back(&others.group(name));
        }
        lock.waiting.pop().map(|Reverse(next)| next)
    }
}
