//! An image registry for a single test.

use super::ready::ready;
use super::registry;
use crate::docker::{docker, unique};
use crate::skip;

/// A registry in its own container, which is removed on drop.
#[derive(Debug)]
pub struct Registry {
    container: String,
    address: String,
}

impl Registry {
    /// Starts an empty registry.
    ///
    /// If that is impossible, returns `None` and reports the test as skipped.
    pub fn start(test: &str) -> Option<Self> {
        if let Err(reason) = ready() {
            skip(test, reason);
            return None;
        }
        let container = unique(test);
        match registry::start(&container) {
            Ok(address) => Some(Self { container, address }),
            Err(failure) => panic!("{failure}"),
        }
    }

    /// Returns `HOST:PORT` for the engine.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the name of the container.
    pub fn container(&self) -> &str {
        &self.container
    }

    /// Pushes an image `NAME:TAG` like [`WEB`](registry::WEB) with this page to the registry.
    #[track_caller]
    pub fn push(&self, name: &str, page: &str) {
        if let Err(failure) = registry::push(&format!("{}/{name}", self.address), page) {
            panic!("{failure}");
        }
    }

    /// Stops answering, while connections stay open.
    #[track_caller]
    pub fn pause(&self) {
        self.control("pause");
    }

    /// Ends a [`pause`](Self::pause).
    #[track_caller]
    pub fn resume(&self) {
        self.control("unpause");
    }

    #[track_caller]
    fn control(&self, verb: &str) {
        if let Err(failure) = docker(&[verb, &self.container]) {
            panic!("{failure}");
        }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // If this fails, a later run removes the container as a leftover.
        let _ = docker(&["rm", "--force", "--volumes", &self.container]);
    }
}
