//! Questions that take more than one index.

use std::fmt;

use super::Cache;
use super::error::CacheError;

/// A question that takes more than one index, with a name. A controller declares it, and whoever reads its cache asks it by
/// this value.
///
/// Of an `A` it tells an `R`.
pub struct Query<A, R> {
    name: &'static str,
    answer: fn(&Cache, &A) -> Result<R, CacheError>,
}

impl<A, R> Query<A, R> {
    /// A query that is answered by a function.
    pub const fn new(name: &'static str, answer: fn(&Cache, &A) -> Result<R, CacheError>) -> Self {
        Self { name, answer }
    }

    /// What it is called.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl Cache {
    /// Answers a query.
    ///
    /// # Errors
    ///
    /// The query is not declared, or has no answer.
    pub fn query<A, R>(&self, query: &Query<A, R>, argument: &A) -> Result<R, CacheError> {
        if self.has_query(query.name) {
            (query.answer)(self, argument)
        } else {
            Err(CacheError::QueryNotFound { query: query.name })
        }
    }
}

impl<A, R> Clone for Query<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for Query<A, R> {}

impl<A, R> fmt::Debug for Query<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({:?})", self.name)
    }
}
