//! What can be measured of a server: one value, of which every part of it has the counters that it counts with.
//!
//! Labels are words that are known when this is compiled, or names of controllers: no client can make new ones.

mod count;
mod counting;
mod process;
mod store;
#[cfg(test)]
mod tests;
mod text;

use std::path::PathBuf;
use std::sync::Arc;

use converge_controller::storage::Backend;

use counting::Counting;
use process::Process;
use store::{Space, StoreCounts};
use text::{END, Text};

/// The metrics of one server.
#[derive(Debug)]
pub(crate) struct Metrics {
    process: Process,
    store: Arc<StoreCounts>,
    /// The file of the store, where it has one.
    file: Option<PathBuf>,
}

impl Metrics {
    /// Those of a server that starts now, with its store in this file, if it is in one.
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        Self { process: Process::new(), store: Arc::default(), file }
    }

    /// The same store, of which each operation is counted.
    pub(crate) fn counting(&self, store: Arc<dyn Backend>) -> Arc<dyn Backend> {
        Arc::new(Counting::new(store, Arc::clone(&self.store)))
    }

    /// All of them as [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/) text, behind those of controllers, which
    /// are such text already. Nothing is read from the store for it.
    pub(crate) async fn openmetrics(&self, controllers: &str) -> String {
        let space = match &self.file {
            Some(file) => Some(Space::of(file.clone()).await),
            None => None,
        };
        let mut text = Text::after(controllers.strip_suffix(END).unwrap_or(controllers).to_owned());
        self.process.write(&mut text);
        self.store.write(&mut text);
        if let Some(space) = space {
            space.write(&mut text);
        }
        text.end()
    }
}
