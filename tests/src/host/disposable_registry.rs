//! A registry that one test has for itself.

use super::ready::ready;
use super::registry;
use crate::docker::{docker, unique};
use crate::skip;

/// A registry in a container of its own, which ends with this value.
#[derive(Debug)]
pub struct Registry {
    container: String,
    address: String,
}

impl Registry {
    /// Starts a registry that holds nothing. `None` when that is not possible here, which is then reported.
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

    /// `HOST:PORT`, as the engine reaches it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The name of its container.
    pub fn container(&self) -> &str {
        &self.container
    }

    /// Makes the image `NAME:TAG` like [`WEB`](registry::WEB), with this page, in the registry.
    #[track_caller]
    pub fn push(&self, name: &str, page: &str) {
        if let Err(failure) = registry::push(&format!("{}/{name}", self.address), page) {
            panic!("{failure}");
        }
    }

    /// Stops answering, with connections that stay open.
    #[track_caller]
    pub fn pause(&self) {
        self.control("pause");
    }

    /// Ends [`pause`](Self::pause).
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
        // A container that is there after all is removed as one that was left over.
        let _ = docker(&["rm", "--force", "--volumes", &self.container]);
    }
}
