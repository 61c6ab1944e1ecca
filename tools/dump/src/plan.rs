//! The events of a plan as text.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::Arc;

use converge_core::engine::{Engine, Event};
use converge_core::graph::Graph;
use converge_core::system::LocalSystem;
use converge_core::view::json;
use serde_json::Value;

use crate::error::Error;

/// Plans the graph on this machine and returns the events as text in canonical order.
pub(crate) fn text(graph: &Arc<Graph>) -> Result<String, Error> {
    let engine = Engine::new(Arc::new(LocalSystem::new())).with_parallelism(NonZeroUsize::MIN);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut events: Vec<Event> = Vec::new();
    let mut sink = |event: Event| events.push(event);
    runtime.block_on(async { engine.plan(graph).sink(&mut sink).await })?;
    let mut text = String::new();
    for event in &events {
        outline(&mut text, 0, &json::event_kind(&event.kind, graph.sources())?);
    }
    Ok(text)
}

/// Formats JSON for people: one line per value, indented below its name.
fn outline(text: &mut String, depth: usize, value: &Value) {
    let indent = 2 * depth;
    let children: Vec<(&str, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.as_str(), value)).collect(),
        Value::Array(items) => items.iter().map(|item| ("-", item)).collect(),
        scalar => {
            let _ = writeln!(text, "{:indent$}{scalar}", "");
            return;
        }
    };
    for (index, (name, value)) in children.into_iter().enumerate() {
        // The first line of an event is its name, and the other lines belong to it.
        let indent = if depth == 0 && index > 0 { 2 } else { indent };
        if value.is_object() || value.is_array() {
            let _ = writeln!(text, "{:indent$}{name}:", "");
            outline(text, indent / 2 + 1, value);
        } else {
            let _ = writeln!(text, "{:indent$}{name}: {value}", "");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn what_belongs_together_is_indented() {
        let event = json!({
            "event": "resource-finished",
            "id": "root/task.a",
            "differences": [{ "name": "check", "changes": true }],
            "messages": ["one", "two"],
        });
        let mut text = String::new();
        super::outline(&mut text, 0, &event);
        assert_eq!(
            text,
            "event: \"resource-finished\"\n  id: \"root/task.a\"\n  differences:\n    -:\n      name: \"check\"\n      \
             changes: true\n  messages:\n    -: \"one\"\n    -: \"two\"\n"
        );
    }
}
