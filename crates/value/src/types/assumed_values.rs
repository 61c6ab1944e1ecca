//! A cache of assumed lookup values, before the nodes that they lead to have run.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;

use crate::types::value::Value;

/// The maximum depth of lookups through other lookups, which bounds the use of the stack.
const DEEPEST: u8 = 16;

/// A cache that evaluates each value once, because many lookups may share a target.
#[derive(Debug)]
#[doc(hidden)]
pub struct Assumed<K> {
    known: RefCell<HashMap<K, Option<Value>>>,
    /// The depth at which a key was cut off; at that depth or deeper the key stays unknown.
    cut: RefCell<HashMap<K, u8>>,
    depth: Cell<u8>,
    /// Whether a value was cut off because of its depth.
    ///
    /// Results that depend on such a value may still be known elsewhere.
    is_cut: Cell<bool>,
}

impl<K> Default for Assumed<K> {
    fn default() -> Self {
        let (values, cut) = (RefCell::default(), RefCell::default());
        Self { known: values, cut, depth: Cell::new(0), is_cut: Cell::new(false) }
    }
}

impl<K: Eq + Hash + Copy> Assumed<K> {
    /// Returns the value of a key, or `None` if a part of it is unknown.
    ///
    /// `evaluate` computes a missing value and may ask for other keys.
    #[doc(hidden)]
    pub fn value(&self, key: K, evaluate: impl FnOnce() -> Option<Value>) -> Option<Value> {
        if let Some(entry) = self.known.borrow().get(&key) {
            return entry.clone();
        }
        let depth = self.depth.get();
        if depth == DEEPEST || self.cut.borrow().get(&key).is_some_and(|max_depth| depth >= *max_depth) {
            self.is_cut.set(true);
            return None;
        }
        self.depth.set(depth + 1);
        let was_cut = self.is_cut.replace(false);
        let value = evaluate().filter(|value| value.find_unknown().is_none());
        if value.is_some() || !self.is_cut.get() {
            self.known.borrow_mut().insert(key, value.clone());
        } else {
            self.cut.borrow_mut().insert(key, depth);
        }
        self.is_cut.set(was_cut || self.is_cut.get());
        self.depth.set(depth);
        if depth == 0 {
            self.cut.borrow_mut().clear();
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Evaluates a chain of keys up to a last one that is known.
    fn ask(assumed: &Assumed<u32>, calls: &Cell<u32>, key: u32, last: u32) -> Option<Value> {
        assumed.value(key, || {
            calls.set(calls.get() + 1);
            if key == last { Some(Value::from("it")) } else { ask(assumed, calls, key + 1, last) }
        })
    }

    #[test]
    fn each_is_found_out_once() {
        let (assumed, calls) = (Assumed::default(), Cell::new(0));
        for _ in 0..3 {
            assert_eq!(ask(&assumed, &calls, 0, 9), Some(Value::from("it")));
            assert_eq!(calls.get(), 10);
        }
    }

    #[test]
    fn what_is_too_deep_may_be_known_elsewhere() {
        let (assumed, calls) = (Assumed::default(), Cell::new(0));
        assert_eq!(ask(&assumed, &calls, 0, 20), None);
        assert_eq!(ask(&assumed, &calls, 10, 20), Some(Value::from("it")));
        assert_eq!(ask(&assumed, &calls, 0, 20), Some(Value::from("it")));
    }

    fn round(assumed: &Assumed<u32>, calls: &Cell<u32>) -> Option<Value> {
        assumed.value(0, || {
            calls.set(calls.get() + 1);
            round(assumed, calls)
        })
    }

    #[test]
    fn who_asks_for_itself_is_not_known() {
        let (assumed, calls) = (Assumed::<u32>::default(), Cell::new(0));
        assert_eq!(round(&assumed, &calls), None);
        assert_eq!(calls.get(), u32::from(DEEPEST));
    }

    /// Evaluates a tree in which each key asks for the next one twice.
    fn fork(assumed: &Assumed<u32>, calls: &Cell<u32>, key: u32) -> Option<Value> {
        assumed.value(key, || {
            calls.set(calls.get() + 1);
            let [first, second] = [fork(assumed, calls, key + 1), fork(assumed, calls, key + 1)];
            first.and(second)
        })
    }

    #[test]
    fn what_is_too_deep_costs_no_more_for_it() {
        let (assumed, calls) = (Assumed::default(), Cell::new(0));
        for key in 0..100 {
            assert_eq!(fork(&assumed, &calls, key), None);
        }
        assert!(calls.get() <= 100 * u32::from(DEEPEST), "{}", calls.get());
    }
}
