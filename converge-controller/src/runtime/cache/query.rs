//! Named queries that use more than one index.

use std::fmt;

use super::Cache;
use super::error::CacheError;

/// A named query that uses more than one index.
///
/// A controller declares it, and readers of its cache pass this value. The argument is an `A`, and the answer
/// an `R`.
pub struct Query<A, R> {
    name: &'static str,
    answer: fn(&Cache, &A) -> Result<R, CacheError>,
}

impl<A, R> Query<A, R> {
    /// Creates a query from the function that answers it.
    pub const fn new(name: &'static str, answer: fn(&Cache, &A) -> Result<R, CacheError>) -> Self {
        Self { name, answer }
    }

    /// Returns the name of the query.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl Cache {
    /// Runs a query.
    ///
    /// # Errors
    ///
    /// Fails if the query is not declared, or if its function fails.
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
