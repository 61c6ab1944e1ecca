//! Secrets by the fields that they are in.

use super::field::{Field, Kind, find_field};
use crate::redact::Redactor;
use crate::types::value::Value;

impl Field {
    /// Hides from now on what a value of this field holds: all of it when the field is sensitive, else what is in sensitive
    /// fields of blocks, or marked as secret.
    pub fn hide(&self, value: &Value, redactor: &Redactor) {
        if self.sensitive {
            redactor.hide_value(value);
        } else {
            hide(&self.kind, value, redactor);
        }
    }
}

fn hide(kind: &Kind, value: &Value, redactor: &Redactor) {
    match (kind, value) {
        (Kind::List(item) | Kind::OneOrMany(item), Value::List(items)) => {
            for value in items {
                hide(item, value, redactor);
            }
        }
        (Kind::OneOrMany(item), value) => hide(item, value, redactor),
        (Kind::Map(item), Value::Map(items)) => {
            for value in items.values() {
                hide(item, value, redactor);
            }
        }
        (Kind::Block(block), Value::Map(items)) => {
            for (name, value) in items {
                if let Some((_, field)) = find_field(&block.fields, name) {
                    field.hide(value, redactor);
                }
            }
        }
        // A block that may be repeated and is written once.
        (Kind::List(item), Value::Map(_)) => hide(item, value, redactor),
        (kind, Value::Secret(inner)) => hide(kind, inner.expose(), redactor),
        _ => {}
    }
}
