//! What is wrong with a cache, or with what is asked of it.

use super::super::panic::Panicked;
use crate::identity::{Id, Type};
use crate::registry::DataError;

/// A cache cannot be made so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheDefinitionError {
    /// A type has two indexes of one name, or one whose name is `id`, which every type has.
    #[error("type {resource_type} has two indexes of the name {index:?}")]
    DuplicateIndex {
        /// The type.
        resource_type: Type,
        /// The name.
        index: &'static str,
    },
    /// An index is of a type that the controller neither manages nor watches.
    #[error("index {index:?} is of {resource_type}, which is neither managed nor watched")]
    TypeNotWatched {
        /// The type.
        resource_type: Type,
        /// The name.
        index: &'static str,
    },
    /// There are two queries of one name.
    #[error("there are two queries of the name {query:?}")]
    DuplicateQuery {
        /// The name.
        query: &'static str,
    },
}

/// A cache does not answer.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The cache does not hold the type: the controller neither manages nor watches it.
    #[error("the cache does not hold {resource_type}: the controller neither manages nor watches it")]
    TypeNotIndexed {
        /// The type.
        resource_type: Type,
    },
    /// The controller did not declare the index, or declared another one of its name.
    #[error("the cache has no index {index:?} of {resource_type}: declare it where the controller is made")]
    IndexNotFound {
        /// The type.
        resource_type: Type,
        /// The name.
        index: &'static str,
    },
    /// The controller did not declare the query.
    #[error("the cache has no query {query:?}: declare it where the controller is made")]
    QueryNotFound {
        /// The name.
        query: &'static str,
    },
    /// The data of a resource are not what its type says.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// A resource is in the cache, but cannot be found by all of its indexes.
#[derive(Debug, thiserror::Error)]
pub enum NotIndexed {
    /// Its data cannot be decoded, so it is in no index that reads them.
    #[error("a resource is not in the indexes that read its data: {0}")]
    Data(DataError),
    /// The function that tells its key panicked.
    #[error("resource {id} is not in the index {index:?}, whose function {panicked}")]
    Panicked {
        /// The resource.
        id: Box<Id>,
        /// The name of the index.
        index: &'static str,
        /// The panic.
        panicked: Panicked,
    },
    /// It has no key for an index in which everything has to be.
    #[error("resource {id} has no key for the required index {index:?}")]
    MissingRequired {
        /// The resource.
        id: Box<Id>,
        /// The name of the index.
        index: &'static str,
    },
}
