//! Errors of the definition of a cache, and of its reads.

use super::super::panic::Panicked;
use crate::debug_as_text;
use crate::identity::{Id, Type};
use crate::registry::DataError;

/// A mistake in the definition of a cache.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum CacheDefinitionError {
    /// A type has two indexes with one name, or an index with the reserved name `id`.
    #[error("type {resource_type} has two indexes of the name {index:?}")]
    DuplicateIndex {
        /// The type.
        resource_type: Type,
        /// The name of the index.
        index: &'static str,
    },
    /// An index is of a type that the controller neither manages nor watches.
    #[error("index {index:?} is of {resource_type}, which is neither managed nor watched")]
    TypeNotWatched {
        /// The type.
        resource_type: Type,
        /// The name of the index.
        index: &'static str,
    },
    /// Two queries have the same name.
    #[error("there are two queries of the name {query:?}")]
    DuplicateQuery {
        /// The name of the query.
        query: &'static str,
    },
}

debug_as_text!(CacheDefinitionError);

/// The reason why a read of the cache fails.
#[derive(thiserror::Error)]
pub enum CacheError {
    /// The type is not in the cache: the controller neither manages nor watches it.
    #[error("the cache does not hold {resource_type}: the controller neither manages nor watches it")]
    TypeNotIndexed {
        /// The type.
        resource_type: Type,
    },
    /// The controller did not declare the index, or declared another index with its name.
    #[error("the cache has no index {index:?} of {resource_type}: declare it where the controller is made")]
    IndexNotFound {
        /// The type.
        resource_type: Type,
        /// The name of the index.
        index: &'static str,
    },
    /// The controller did not declare the query.
    #[error("the cache has no query {query:?}: declare it where the controller is made")]
    QueryNotFound {
        /// The name of the query.
        query: &'static str,
    },
    /// The data of a resource are not a message of its type.
    #[error(transparent)]
    Data(#[from] DataError),
}

debug_as_text!(CacheError);

/// The reason why a cached resource is missing from an index.
#[derive(thiserror::Error)]
pub enum NotIndexed {
    /// The data cannot be decoded, so the resource is in no index that reads them.
    #[error("a resource is not in the indexes that read its data: {0}")]
    Data(DataError),
    /// The key function of the index panicked.
    #[error("resource {id} is not in the index {index:?}, whose function {panicked}")]
    Panicked {
        /// The resource.
        id: Box<Id>,
        /// The name of the index.
        index: &'static str,
        /// The panic.
        panicked: Panicked,
    },
    /// The resource has no key in an index that requires one.
    #[error("resource {id} has no key for the required index {index:?}")]
    MissingRequired {
        /// The resource.
        id: Box<Id>,
        /// The name of the index.
        index: &'static str,
    },
}

debug_as_text!(NotIndexed);
