//! Redaction of secrets according to the schema.

use super::field::{BlockKind, Field, Kind, find_field};
use crate::redact::Redactor;
use crate::types::value::Value;

impl Field {
    /// Redacts the secrets in a value of this field from now on.
    ///
    /// A sensitive field is redacted as a whole. In other fields, sensitive fields of blocks and values
    /// marked as secret are redacted.
    pub fn hide(&self, value: &Value, redactor: &Redactor) {
        if self.sensitive {
            redactor.hide_value(value);
        } else {
            hide(&self.kind, value, redactor);
        }
    }
}

impl Field {
    /// Whether the field, or a field inside its blocks, is sensitive.
    #[doc(hidden)]
    pub fn holds_sensitive(&self) -> bool {
        let mut kind = &self.kind;
        while let Kind::List(item) | Kind::OneOrMany(item) | Kind::Map(item) = kind {
            kind = item;
        }
        let in_block = |block: &BlockKind| block.fields.iter().any(Self::holds_sensitive);
        self.sensitive || matches!(kind, Kind::Block(block) if in_block(block))
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
        // A repeatable block that is written once.
        (Kind::List(item), Value::Map(_)) => hide(item, value, redactor),
        (kind, Value::Secret(inner)) => hide(kind, inner.expose(), redactor),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: Kind) -> Field {
        Field::with_check("f", "", kind, |_, _| Ok(()))
    }

    fn block(field: Field) -> Kind {
        Kind::Block(Box::new(BlockKind { fields: vec![field], rules: Vec::new() }))
    }

    #[test]
    fn what_is_sensitive_is_found_however_deep_it_is() {
        let check = |kind: Kind, expect| assert_eq!(field(kind.clone()).holds_sensitive(), expect, "{kind}");
        let secret = || {
            let mut field = field(Kind::String);
            field.sensitive = true;
            field
        };
        let list = |kind| Kind::List(Box::new(kind));
        assert!(secret().holds_sensitive());
        check(Kind::String, false);
        check(list(block(field(Kind::String))), false);
        check(block(secret()), true);
        check(list(block(secret())), true);
        check(Kind::OneOrMany(Box::new(block(secret()))), true);
        check(Kind::Map(Box::new(list(block(field(list(block(secret()))))))), true);
    }
}
