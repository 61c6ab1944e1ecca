//! Events as programs read them: one JSON object on each line.

use std::sync::Arc;

use converge_core::engine::Event;
use converge_core::report::{SourceMap, json};
use serde::Serialize;

/// Turns each event into a line of JSON.
#[derive(Debug)]
pub(crate) struct JsonView {
    sources: Arc<SourceMap>,
}

impl JsonView {
    /// A view; `sources` is what the spans of failures point into.
    pub(crate) fn new(sources: Arc<SourceMap>) -> Self {
        Self { sources }
    }

    /// The line for an event.
    pub(crate) fn event(&self, event: &Event) -> serde_json::Result<String> {
        json_line(&json::event(event, &self.sources)?)
    }
}

/// Any data as one line of JSON.
pub(crate) fn json_line(data: &impl Serialize) -> serde_json::Result<String> {
    let mut line = serde_json::to_string(data)?;
    line.push('\n');
    Ok(line)
}
