//! The store under test.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::storage::Backend;

/// A store under test: new, empty, and not used by anything else.
///
/// ```
/// use converge_controller::storage::Memory;
/// use converge_controller::testing::StoreUnderTest;
///
/// let store = StoreUnderTest::new(Memory::new());
/// assert_eq!(store.doors().len(), 1);
/// ```
#[derive(Clone)]
pub struct StoreUnderTest {
    // The connections are dropped before the resources that the store depends on.
    doors: Vec<Arc<dyn Backend>>,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl StoreUnderTest {
    /// Creates a store that is used through this connection.
    pub fn new(backend: impl Backend) -> Self {
        Self { doors: vec![Arc::new(backend)], kept: Vec::new() }
    }

    /// Adds a connection to the same store, such as another member of its cluster.
    ///
    /// The tests with many tasks use all connections, the others the last one.
    pub fn with_door(mut self, backend: impl Backend) -> Self {
        self.doors.push(Arc::new(backend));
        self
    }

    /// Keeps a value as long as the store, such as its folder or process.
    pub fn keeping(mut self, resource: impl Any + Send + Sync) -> Self {
        self.kept.push(Arc::new(resource));
        self
    }

    /// Returns the connections.
    pub fn doors(&self) -> &[Arc<dyn Backend>] {
        &self.doors
    }

    /// Returns one of the connections, always the same for the same number.
    pub(super) fn door(&self, number: usize) -> &Arc<dyn Backend> {
        &self.doors[number % self.doors.len()]
    }
}

impl std::ops::Deref for StoreUnderTest {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        &**self.door(self.doors.len() - 1)
    }
}

impl fmt::Debug for StoreUnderTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreUnderTest").field("doors", &self.doors.len()).finish_non_exhaustive()
    }
}
