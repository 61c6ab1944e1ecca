//! What a controller knows without asking the store.
//!
//! A [`Cache`] holds all resources of the types that a controller manages or watches, as the watches told them, and finds
//! them by identity and by [indexes](Index). What it gives is a copy, which belongs to who asked.

mod definition;
mod error;
mod index;
mod key;
mod query;
mod reader;
mod table;
#[cfg(test)]
mod tests;
mod type_cache;
mod writer;

pub use definition::CacheDefinition;
pub use error::{CacheDefinitionError, CacheError, NotIndexed};
pub use index::{BoundReferences, Index, by_bound_references, by_id, by_owner};
pub use key::{IdPrefix, Key, PrefixOf, TextPrefix, ToKey};
pub use query::Query;
pub use reader::Cache;
pub use writer::{CacheWriter, Replaced, Upserted};
