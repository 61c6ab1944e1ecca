//! The store that is tested.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::storage::Backend;

/// A store that is tested: new, without resources, and used by nobody else.
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
    // Dropped before what the store lives on.
    doors: Vec<Arc<dyn Backend>>,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl StoreUnderTest {
    /// A store that is used through this.
    pub fn new(backend: impl Backend) -> Self {
        Self { doors: vec![Arc::new(backend)], kept: Vec::new() }
    }

    /// Another way to the same store, such as another member of its cluster. The tests of many tasks go through all of
    /// them, the others through the last.
    pub fn with_door(mut self, backend: impl Backend) -> Self {
        self.doors.push(Arc::new(backend));
        self
    }

    /// Keeps what the store lives on as long as the store: its folder, its process.
    pub fn keeping(mut self, what: impl Any + Send + Sync) -> Self {
        self.kept.push(Arc::new(what));
        self
    }

    /// The ways to it.
    pub fn doors(&self) -> &[Arc<dyn Backend>] {
        &self.doors
    }

    /// One of the ways to it, the same for the same number.
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
