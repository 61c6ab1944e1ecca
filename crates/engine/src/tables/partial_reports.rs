//! Reports of aborted work: its future was dropped, or it panicked.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::events::report::ResourceReport;
use crate::graph::NodeIndex;

/// The partial reports of nodes whose work was aborted.
#[derive(Debug, Default)]
pub(crate) struct Unfinished(Mutex<HashMap<NodeIndex, Box<ResourceReport>>>);

impl Unfinished {
    pub(crate) fn keep(&self, index: NodeIndex, report: Box<ResourceReport>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(index, report);
    }

    pub(crate) fn take(&self, index: NodeIndex) -> Option<Box<ResourceReport>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&index)
    }

    fn add_elapsed(&self, index: NodeIndex, time: Duration) {
        if let Some(report) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&index) {
            report.elapsed += time;
        }
    }
}

/// Adds the elapsed time of aborted work to its reports. It must be dropped after the work.
pub(crate) struct Stopwatch<'a> {
    unfinished: &'a Unfinished,
    nodes: Vec<NodeIndex>,
    began: Instant,
}

impl<'a> Stopwatch<'a> {
    pub(crate) fn start(unfinished: &'a Unfinished, nodes: Vec<NodeIndex>) -> Self {
        Self::since(Instant::now(), unfinished, nodes)
    }

    pub(crate) fn since(began: Instant, unfinished: &'a Unfinished, nodes: Vec<NodeIndex>) -> Self {
        Self { unfinished, nodes, began }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Drop for Stopwatch<'_> {
    /// Work that ended normally has no unfinished report, so nothing is added.
    fn drop(&mut self) {
        for index in &self.nodes {
            self.unfinished.add_elapsed(*index, self.began.elapsed());
        }
    }
}
