//! The cache of a controller, which it can read without asking the store.
//!
//! A [`Cache`] contains all resources of the types that a controller manages or watches, as reported by the
//! watches. It finds them by identity and by [indexes](Index). The returned resources are copies that belong
//! to the caller.

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
