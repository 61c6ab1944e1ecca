//! The exports of resources in a plan, where only an apply would produce them.

use crate::graph::Node;
use crate::sdk::export::Exports;
use crate::types::schema::{ExportField, Shape};
use crate::types::value::Value;

/// Returns the exports of a resource that a plan does not work on: all are unknown.
pub(crate) fn unknown_exports(node: &Node) -> Exports {
    let mut exports = Exports::new();
    for field in &node.resource.schema().exports {
        exports.insert(field.name, not_known(node, field.name));
    }
    exports
}

/// Returns the exports of a node with pending changes.
pub(crate) fn planned_exports(node: &Node, exports: Exports) -> Exports {
    let Value::Map(values) = exports.into_value() else { return Exports::new() };
    let mut planned = Exports::new();
    for (name, value) in values {
        let fields = &node.resource.schema().exports;
        let value = match fields.iter().find(|field| field.name == name) {
            Some(field) => hide_computed(node, field, &name, value),
            None => value,
        };
        planned.insert(name, value);
    }
    planned
}

/// Replaces the values that are known only after an apply by unknown ones, at any depth.
fn hide_computed(node: &Node, field: &ExportField, path: &str, value: Value) -> Value {
    if field.computed {
        return not_known(node, path);
    }
    let (Shape::Struct(inner), Value::Map(values)) = (&field.shape, &value) else { return value };
    let mut values = values.clone();
    for field in inner {
        if let Some(value) = values.get_mut(field.name) {
            *value = hide_computed(node, field, &format!("{path}.{}", field.name), std::mem::take(value));
        }
    }
    Value::Map(values)
}

fn not_known(node: &Node, path: &str) -> Value {
    Value::unknown(format!("{}.{path}", node.id.name()))
}
