//! Keys of indexes.

use std::fmt;

use crate::identity::{Id, Name, Namespace, Partition, Reference, Tenancy, Type, Uid};
use crate::registry::{Ref, StoredResource};

/// The key of an index: a sequence of parts, each terminated by a zero byte.
///
/// A whole part is therefore a prefix of no other part.
///
/// ```
/// use converge_controller::runtime::Key;
///
/// let (web, website) = (Key::from_value(&("eu", "web")), Key::from_value(&("eu", "website")));
/// assert!(website.starts_with(&Key::from_value(&"eu")));
/// assert!(!website.starts_with(&web));
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Vec<u8>);

const END: u8 = 0;
/// The byte that precedes a terminator or an escape within a part.
const ESCAPE: u8 = 1;

impl Key {
    /// Returns the key of a value.
    pub fn from_value(value: &(impl ToKey + ?Sized)) -> Self {
        let mut key = Self::default();
        value.write(&mut key);
        key
    }

    /// Adds a part.
    pub fn part(&mut self, text: &str) {
        self.open_part(text);
        self.0.push(END);
    }

    /// Adds the beginning of a part.
    ///
    /// Nothing may be added after it.
    pub fn open_part(&mut self, text: &str) {
        for byte in text.bytes() {
            // This escape keeps the order of texts and their prefix relation in the keys.
            if byte <= ESCAPE {
                self.0.extend([ESCAPE, byte + 1]);
            } else {
                self.0.push(byte);
            }
        }
    }

    /// Adds a part of fixed length, which needs no terminator.
    pub fn bytes<const LENGTH: usize>(&mut self, bytes: [u8; LENGTH]) {
        self.0.extend(bytes);
    }

    /// Returns whether another key is a prefix of this one.
    pub fn starts_with(&self, beginning: &Self) -> bool {
        self.0.starts_with(&beginning.0)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the first `length` bytes of the key.
    pub(super) fn cut(&self, length: usize) -> Self {
        Self(self.0[..length.min(self.0.len())].to_vec())
    }

    /// Returns the smallest key above this one.
    pub(super) fn next(&self) -> Self {
        let mut next = self.clone();
        next.0.push(END);
        next
    }

    /// Returns the length of the common prefix of two keys in bytes.
    pub(super) fn common(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).take_while(|(one, other)| one == other).count()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:?})", String::from_utf8_lossy(&self.0))
    }
}

/// A value that can be looked up in an index.
///
/// Two values have the same key only if they mean the same.
pub trait ToKey {
    /// Adds the parts of the value to a key.
    fn write(&self, key: &mut Key);
}

/// A value that can be looked up in an index with keys of `A`: an `A`, or a prefix of its key.
pub trait PrefixOf<A>: ToKey {}

impl<A: ToKey> PrefixOf<A> for A {}

/// Implements the trait for references, so that values can be parts of a longer key.
impl<A: ToKey + ?Sized> ToKey for &A {
    fn write(&self, key: &mut Key) {
        (**self).write(key);
    }
}

impl ToKey for str {
    fn write(&self, key: &mut Key) {
        key.part(self);
    }
}

/// Implements keys that are the text of the value.
macro_rules! texts {
    ($($type:ty),*) => {$(
        impl ToKey for $type {
            fn write(&self, key: &mut Key) {
                key.part(self.as_str());
            }
        }
    )*};
}

texts!(String, Name, Partition, Namespace);

impl PrefixOf<String> for &str {}

/// Implements keys that are the big-endian bytes of a number, which sort in numeric order.
macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl ToKey for $type {
            fn write(&self, key: &mut Key) {
                key.bytes(self.to_be_bytes());
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128);

impl ToKey for bool {
    fn write(&self, key: &mut Key) {
        key.bytes([u8::from(*self)]);
    }
}

impl ToKey for Uid {
    fn write(&self, key: &mut Key) {
        self.to_bits().write(key);
    }
}

impl ToKey for Type {
    /// Writes the type without its version: types that differ only in the version have the same resources.
    fn write(&self, key: &mut Key) {
        key.part(self.group.as_str());
        key.part(self.kind.as_str());
    }
}

impl ToKey for Tenancy {
    /// Writes the tenancy; an absent unit counts as the default one.
    fn write(&self, key: &mut Key) {
        self.partition().cloned().unwrap_or_default().write(key);
        self.namespace().cloned().unwrap_or_default().write(key);
    }
}

impl ToKey for Id {
    /// Writes the identity without the uid.
    fn write(&self, key: &mut Key) {
        self.resource_type.write(key);
        self.tenancy.write(key);
        self.name.write(key);
    }
}

impl ToKey for Reference {
    /// Writes the key of the target, without the section.
    fn write(&self, key: &mut Key) {
        self.resource_type.write(key);
        self.tenancy.write(key);
        self.name.write(key);
    }
}

impl<T: StoredResource> ToKey for Ref<T> {
    /// Writes the key of the target, without the section.
    fn write(&self, key: &mut Key) {
        T::resource_type().write(key);
        self.tenancy.write(key);
        self.name.write(key);
    }
}

impl<T: StoredResource> PrefixOf<Id> for Ref<T> {}
impl<T: StoredResource> PrefixOf<Reference> for Ref<T> {}
impl PrefixOf<Reference> for Id {}
impl PrefixOf<Id> for Reference {}

impl<A: ToKey, B: ToKey> ToKey for (A, B) {
    fn write(&self, key: &mut Key) {
        self.0.write(key);
        self.1.write(key);
    }
}

impl<A: ToKey, B: ToKey, C: ToKey> ToKey for (A, B, C) {
    fn write(&self, key: &mut Key) {
        self.0.write(key);
        self.1.write(key);
        self.2.write(key);
    }
}

impl<A: ToKey> ToKey for (A,) {
    fn write(&self, key: &mut Key) {
        self.0.write(key);
    }
}

impl<A: ToKey, B: ToKey> PrefixOf<(A, B)> for (A,) {}
impl<A: ToKey, B: ToKey, C: ToKey> PrefixOf<(A, B, C)> for (A,) {}
impl<A: ToKey, B: ToKey, C: ToKey> PrefixOf<(A, B, C)> for (A, B) {}

/// A prefix of identities and references: a type, then a part of tenancy and name.
///
/// In a lookup, it finds all identities that begin with it. As the key of an index, it expresses that a
/// resource selects others. [`Cache::parents`](crate::runtime::Cache::parents) then finds it from a selected
/// resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdPrefix(Key);

impl IdPrefix {
    /// Matches all resources of a type.
    pub fn of_type(resource_type: &Type) -> Self {
        Self(Key::from_value(resource_type))
    }

    /// Matches all resources of a type in a partition.
    pub fn in_partition(resource_type: &Type, partition: &Partition) -> Self {
        Self(Key::from_value(&(resource_type, partition)))
    }

    /// Matches all resources of a type in a namespace.
    pub fn in_namespace(resource_type: &Type, partition: &Partition, namespace: &Namespace) -> Self {
        Self(Key::from_value(&(resource_type, partition, namespace)))
    }

    /// Matches all resources of a type and a tenancy whose names begin with a text.
    pub fn names(resource_type: &Type, tenancy: &Tenancy, beginning: &str) -> Self {
        let mut key = Key::from_value(&(resource_type, tenancy));
        key.open_part(beginning);
        Self(key)
    }
}

impl ToKey for IdPrefix {
    fn write(&self, key: &mut Key) {
        key.0.extend(self.0.as_bytes());
    }
}

impl PrefixOf<Id> for IdPrefix {}
impl PrefixOf<Reference> for IdPrefix {}

/// A prefix of texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextPrefix(pub String);

impl ToKey for TextPrefix {
    fn write(&self, key: &mut Key) {
        key.open_part(&self.0);
    }
}

impl PrefixOf<String> for TextPrefix {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn artist(version: &str) -> Type {
        format!("demo.{version}.Artist").parse().expect("a type")
    }

    fn id(partition: &str, namespace: &str, name: &str) -> Id {
        let tenancy = Tenancy::from_units(partition, namespace).expect("a tenancy");
        Id::new(artist("v1"), tenancy, name.parse().expect("a name"))
    }

    #[test]
    fn identities_and_references_have_the_key_of_what_they_mean() {
        let korn = id("default", "default", "korn");
        let uid: Uid = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().expect("a uid");
        assert_eq!(Key::from_value(&korn), Key::from_value(&korn.clone().with_uid(uid)));
        let reference = Reference { section: "x".into(), ..Reference::from(korn.clone()) };
        assert_eq!(Key::from_value(&korn), Key::from_value(&reference));
        assert_eq!(
            Key::from_value(&korn),
            Key::from_value(&Id { resource_type: artist("v2"), ..korn.clone() })
        );
        for (partition, namespace) in [("", ""), ("default", "")] {
            assert_eq!(Key::from_value(&korn), Key::from_value(&id(partition, namespace, "korn")));
        }
        assert_ne!(Key::from_value(&korn), Key::from_value(&id("default", "default", "corn")));
        assert_ne!(Key::from_value(&korn), Key::from_value(&id("eu", "default", "korn")));
    }

    /// Checks whether a prefix matches an identity.
    #[track_caller]
    fn check(prefix: &IdPrefix, id: &Id, expect: bool) {
        assert_eq!(Key::from_value(id).starts_with(&Key::from_value(prefix)), expect, "{prefix:?} of {id}");
    }

    #[test]
    fn a_prefix_may_stop_at_any_unit() {
        let korn = id("eu", "music", "korn");
        let unit = |text: &str| text.parse().expect("a unit");
        check(&IdPrefix::of_type(&artist("v2")), &korn, true);
        check(&IdPrefix::of_type(&"demo.v1.Art".parse().expect("a type")), &korn, false);
        check(&IdPrefix::in_partition(&artist("v1"), &unit("eu")), &korn, true);
        check(&IdPrefix::in_partition(&artist("v1"), &unit("e")), &korn, false);
        let namespace = |text: &str| text.parse().expect("a namespace");
        check(&IdPrefix::in_namespace(&artist("v1"), &unit("eu"), &namespace("music")), &korn, true);
        check(&IdPrefix::in_namespace(&artist("v1"), &unit("eu"), &namespace("mus")), &korn, false);
        check(&IdPrefix::names(&artist("v1"), &korn.tenancy, ""), &korn, true);
        check(&IdPrefix::names(&artist("v1"), &korn.tenancy, "ko"), &korn, true);
        check(&IdPrefix::names(&artist("v1"), &korn.tenancy, "korn"), &korn, true);
        check(&IdPrefix::names(&artist("v1"), &korn.tenancy, "korns"), &korn, false);
    }

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_their_texts(a in "[\u{0}-\u{3}a-c]{0,4}", b in "[\u{0}-\u{3}a-c]{0,4}") {
            prop_assert_eq!(Key::from_value(&a).cmp(&Key::from_value(&b)), a.cmp(&b));
            prop_assert_eq!(Key::from_value(&a).starts_with(&Key::from_value(&b)), a == b);
            prop_assert_eq!(Key::from_value(&a).starts_with(&Key::from_value(&TextPrefix(b.clone()))), a.starts_with(&b));
        }

        #[test]
        fn no_two_pairs_have_one_key(
            a in ("[\u{0}-\u{2}a]{0,3}", "[\u{0}-\u{2}a]{0,3}"), b in ("[\u{0}-\u{2}a]{0,3}", "[\u{0}-\u{2}a]{0,3}"),
        ) {
            prop_assert_eq!(Key::from_value(&a).cmp(&Key::from_value(&b)), a.cmp(&b));
        }

        #[test]
        fn numbers_are_in_order(a: u64, b: u64) {
            prop_assert_eq!(Key::from_value(&a).cmp(&Key::from_value(&b)), a.cmp(&b));
        }
    }
}
