//! Hashing of values.

use std::hash::{Hash as _, Hasher};

use super::Value;

impl Value {
    /// Hashes the exposed value even if it is secret; callers never show the hash.
    #[doc(hidden)]
    pub fn hash_exposed(&self, hasher: &mut impl Hasher) {
        std::mem::discriminant(self).hash(hasher);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(hasher),
            Self::Int(value) => value.hash(hasher),
            Self::Float(value) => value.to_bits().hash(hasher),
            Self::String(text) => text.hash(hasher),
            Self::List(items) => {
                items.len().hash(hasher);
                for item in items {
                    item.hash_exposed(hasher);
                }
            }
            Self::Map(items) => {
                items.len().hash(hasher);
                for (name, item) in items {
                    name.hash(hasher);
                    item.hash_exposed(hasher);
                }
            }
            Self::Unknown(unknown) => unknown.hash(hasher),
            Self::Secret(secret) => secret.expose().hash_exposed(hasher),
        }
    }
}
