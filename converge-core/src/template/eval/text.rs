//! Text that is being made, and how values print into it (`%v`).

use super::datum::{Datum, Known};
use super::float;
use crate::value::{Unknown, Value};

/// Text, and what the values that were printed into it make of it.
#[derive(Debug, Default)]
pub(in crate::template) struct Sink {
    pub(super) text: String,
    pub(super) secret: bool,
    /// The first unknown that was printed.
    pub(super) unknown: Option<Unknown>,
}

impl Sink {
    /// Remembers what a value makes of the text.
    pub(super) fn mark(&mut self, datum: &Datum) {
        self.secret |= datum.secret;
        if let Known::Unknown(unknown) = &datum.known {
            self.unknown.get_or_insert_with(|| unknown.clone());
        }
    }

    /// Prints a value as an action does.
    pub(super) fn print(&mut self, datum: &Datum) {
        match &datum.known {
            Known::Nil => {
                self.mark(datum);
                self.text.push_str("<no value>");
            }
            _ => self.value(datum),
        }
    }

    /// Prints a value as `%v` does.
    pub(super) fn value(&mut self, datum: &Datum) {
        self.mark(datum);
        match &datum.known {
            Known::Nil => self.text.push_str("<nil>"),
            Known::Null | Known::Unknown(_) => {}
            Known::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Known::Int(value) => self.text.push_str(&value.to_string()),
            Known::Float(value) => self.text.push_str(&float::shortest(*value)),
            Known::Text(text) => self.text.push_str(text),
            Known::List(items) => {
                self.text.push('[');
                self.items(items.iter());
                self.text.push(']');
            }
            Known::Map(items) => {
                self.text.push_str("map[");
                for (index, (name, item)) in items.iter().enumerate() {
                    self.text.push_str(if index == 0 { "" } else { " " });
                    self.text.push_str(name);
                    self.text.push(':');
                    self.item(item);
                }
                self.text.push(']');
            }
            Known::Platform(fields) => {
                self.text.push('{');
                self.items(fields.iter().map(|(_, item)| item));
                self.text.push('}');
            }
        }
    }

    fn items<'a>(&mut self, items: impl Iterator<Item = &'a Datum>) {
        for (index, item) in items.enumerate() {
            self.text.push_str(if index == 0 { "" } else { " " });
            self.item(item);
        }
    }

    /// An item of a list or map, where null is Go's nil.
    fn item(&mut self, item: &Datum) {
        match item.known {
            Known::Null => {
                self.mark(item);
                self.text.push_str("<nil>");
            }
            _ => self.value(item),
        }
    }

    /// The text as a value of the running template.
    pub(super) fn into_datum(self) -> Datum {
        let known = match self.unknown {
            Some(unknown) => Known::Unknown(unknown),
            None => Known::Text(self.text.into()),
        };
        Datum { known, secret: self.secret }
    }

    /// The text as the result of the template.
    pub(super) fn into_value(self) -> Value {
        self.into_datum().into_value()
    }
}
