//! Maps of values with text keys.

use std::ops::{Deref, DerefMut};

use indexmap::IndexMap;
use indexmap::map::{IntoIter, Iter};

/// A map with text keys, in the order in which its entries were written.
///
/// The map is an [`IndexMap`] behind one pointer, so that a [`Value`](super::Value) takes 24 bytes instead of
/// 72. Modules have many texts and few maps.
///
/// ```
/// use converge_core::value::{Value, ValueMap};
///
/// let ports: ValueMap<Value> = [("http".to_owned(), Value::Int(80))].into_iter().collect();
/// assert_eq!(ports.get("http"), Some(&Value::Int(80)));
/// assert_eq!(Value::Map(ports).to_string(), "{http = 80}");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueMap<T>(Box<IndexMap<String, T>>);

impl<T> Deref for ValueMap<T> {
    type Target = IndexMap<String, T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> DerefMut for ValueMap<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<T> From<IndexMap<String, T>> for ValueMap<T> {
    fn from(items: IndexMap<String, T>) -> Self {
        Self(Box::new(items))
    }
}

impl<T> From<ValueMap<T>> for IndexMap<String, T> {
    fn from(items: ValueMap<T>) -> Self {
        *items.0
    }
}

impl<T> FromIterator<(String, T)> for ValueMap<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(items: I) -> Self {
        IndexMap::from_iter(items).into()
    }
}

impl<T> IntoIterator for ValueMap<T> {
    type Item = (String, T);
    type IntoIter = IntoIter<String, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a ValueMap<T> {
    type Item = (&'a String, &'a T);
    type IntoIter = Iter<'a, String, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use crate::types::value::Value;

    #[test]
    fn a_value_is_as_small_as_a_list() {
        assert_eq!(size_of::<Value>(), size_of::<Vec<Value>>());
    }
}
